/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins a recording and a capture of packets in time order. Interfaces, statistics and packets keep their options, comments and
 * times; only the numbers of interfaces change. Names of addresses (NRB) and secrets (DSB) are copied if they have the byte order of this
 * machine and a packet could be as long. Other blocks, and the comments of the section of packets, are left out and counted.
 */
#ifndef TW_JOIN_H
#define TW_JOIN_H

#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/output/output.h"

struct tw_join_options {
	struct tw_capture_file *trace, *packets; /* open files, of which no packet was read */
	struct tw_output *output;                /* open and empty; the caller finishes and frees it */
};

/* The counters of one input. */
struct tw_join_count {
	uint64_t packets;     /* packets written */
	uint64_t frames;      /* those that are frames of Tracewire */
	uint64_t events;      /* events in these frames */
	uint64_t cut;         /* packets of which bytes beyond TW_PCAPNG_PACKET_MAX were left out */
	uint64_t disorder;    /* packets that are older than the packet before them in the same input */
	uint64_t first, last; /* earliest and latest packet time; if packets is 0: 0 */
	uint64_t left_out;    /* blocks of other types that were not */
	uint64_t comments;    /* comments of sections that were left out */
};

struct tw_join_stats {
	struct tw_join_count trace, packets;
	uint64_t bytes; /* size of the output */
};

/**
 * tw_join__run() - write the packets of both inputs in time order
 *
 * The order of the packets of each input does not change. At equal times, packets of @packets precede.
 *
 * @ret: also filled after a failure
 * Return: 0; -EBADMSG if an input is damaged, with the position in @error (everything before that position is in the output); -EINVAL if
 * @trace has no frame of Tracewire; another -errno, with @error filled.
 */
int tw_join__run(const struct tw_join_options *options, struct tw_join_stats *ret, struct tw_error *error);

#endif
