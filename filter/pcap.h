/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: a pcap filter, for `dumpcap -f` and `tcpdump`. If a frame has exactly one event, as its first record, the filter passes the
 * frame only if the event matches. The filter passes all other Tracewire frames, such as control frames, packed frames and frames of other
 * schemas, so that the capture can be decoded and a later stage can filter these frames. The filter recognises only frames that directly
 * follow an Ethernet header.
 */
#ifndef TW_FILTER_PCAP_H
#define TW_FILTER_PCAP_H

#include "base/line.h"
#include "filter/tree.h"

#define TW_PCAP_VALUE_MAX 1024 /* bytes of a value that is compared with text or bytes */

/**
 * tw_pcap__emit() - append the pcap filter to a line
 * @schema_id: the schema of the frames; 0 = any
 *
 * Return: 0; -EOPNOTSUPP as from tw_bound__check(); -E2BIG if the line has no room; -ENOMEM.
 */
int tw_pcap__emit(const struct tw_bound *bound, uint64_t schema_id, struct tw_line *line, struct tw_error *error);

#endif
