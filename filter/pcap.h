/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: a capture filter of libpcap, for dumpcap -f and tcpdump. It lets pass the frames of one event that match, and all that
 * are no such frames but ours: control frames, LOST, PARTs, packed frames, another schema; so that what is captured can be
 * decoded and a later stage can go on. Behind plain Ethernet only.
 */
#ifndef TW_FILTER_PCAP_H
#define TW_FILTER_PCAP_H

#include "base/line.h"
#include "filter/tree.h"

#define TW_PCAP_VALUE_MAX 1024 /* bytes of a text or bytes that are compared with */

/**
 * tw_pcap__emit() - append the filter
 * @schema_id: 0 = whatever it is
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(); -E2BIG where the line has no room.
 */
int tw_pcap__emit(const struct tw_bound *bound, uint64_t schema_id, struct tw_line *line, struct tw_error *error);

#endif
