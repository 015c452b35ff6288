/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps that the programs of sockts:ingress_ts share. bpftool of Debian 12 must read this file before those that use the maps. */
#include "producer/sockets/ingress.bpf.h"
#include "producer/sockets/ingress_sampled.bpf.h"

struct ingress_datagrams in_datagrams SEC(".maps");
struct ingress_receivers in_receivers SEC(".maps");
struct ingress_queued in_queue SEC(".maps");
struct ingress_doing in_doing SEC(".maps");
struct ingress_wakes in_wakes SEC(".maps");
struct ingress_sampled in_sampled SEC(".maps");
