/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps and settings that each object of programs has. */
#include "producer/sockets/sockets.bpf.h"

struct sockets_rings rings SEC(".maps");
struct sockets_doorbells doorbells SEC(".maps");
struct sockets_tasks tasks SEC(".maps");
struct sockets_phcs phcs SEC(".maps");
SEC(".data.cpus") struct tw_sockts_cpu cpus[TW_SOCKTS_CPUS_MAX] = { { 0 } };
SEC(".rodata.settings") const volatile struct tw_sockts_settings settings = { 0 };

char LICENSE[] SEC("license") = "GPL";
