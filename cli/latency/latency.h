/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `tracewire latency`. */
#ifndef CLI_LATENCY_H
#define CLI_LATENCY_H

#include "pcap-tools/latency/latency.h"

/** latency__load_pairs() - read the table of pairs: built in, of the machine, of the user. Return: 0, or -errno with @error filled */
int latency__load_pairs(struct tw_pair_table **ret, struct tw_error *error);

/** latency__print() - print the histograms and the counters of all pairs as text */
void latency__print(const struct tw_latency_result *result);

/** latency__print_json() - print the same as one JSON object. Times are in ns */
void latency__print_json(const char *file, const struct tw_latency_result *result);

#endif
