/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps and settings of all programs for socket events. */
#include "producer/sockets/sockets.bpf.h"

struct sockets_rings rings SEC(".maps");
struct tw_sockts_cpu cpus[TW_SOCKTS_CPUS_MAX];

const volatile uint32_t stream_clock;
const volatile uint32_t own_tgid;
const volatile uint32_t events_on;

char LICENSE[] SEC("license") = "GPL";
