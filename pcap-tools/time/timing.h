/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the times of a capture rest on, for each stream, and a check of the order of events of different streams. A capture is read in one
 * pass. The memory does not grow with the capture.
 */
#ifndef TW_TIMING_H
#define TW_TIMING_H

#include "pcap-tools/time/order.h"
#include "pcap-tools/time/stream_time.h"

#define TW_TIMING_STREAMS_MAX TW_STREAMS_LIVE_MAX /* streams that are described; records of further ones are counted */
#define TW_TIMING_MEMORY      ((size_t)64 << 20)  /* for events that wait for the other event of their pair */

struct tw_timing_options {
	/* Pairs of the order check, @n_pairs of them: `begin` is the cause, `end` the effect; borrowed. 0 = no check */
	const struct tw_pair *const *pairs;
	size_t n_pairs;
	bool needs_pairs; /* a pair whose events or fields the capture lacks is an error; otherwise, it is not checked */
	size_t memory;    /* 0 = TW_TIMING_MEMORY */
};

struct tw_timing_pair {
	const struct tw_pair *pair;
	bool is_checked; /* the capture has several streams, and the formats of both events; always true with options.needs_pairs */
	const struct tw_order *order;
	uint64_t unclear; /* events for which a condition reached its limit, which counts as no match */
};

struct tw_timing_result {
	struct tw_event_reader_stats read;
	struct tw_stream_time **streams; /* @n_streams of them, in order of appearance */
	uint32_t n_streams;
	uint64_t more_streams;              /* records of streams beyond TW_TIMING_STREAMS_MAX */
	uint64_t begin;                     /* earliest packet time of the streams, ns since 1970; 0 = unknown */
	uint64_t unknown;                   /* events whose format is unknown */
	const struct tw_timing_pair *pairs; /* in the order of the options */
	size_t n_pairs;
};

struct tw_timing;

/** tw_timing__new() - prepare the reading of a capture; @options is borrowed. Return: 0; -EINVAL, -E2BIG for a condition of a pair; -ENOMEM */
int tw_timing__new(const struct tw_timing_options *options, struct tw_timing **ret, struct tw_error *error);

/**
 * tw_timing__read() - read a capture to its end; called once
 * @in: file descriptor of the capture; @name is its name in error texts
 * Return: 0; -EBADMSG if the capture is damaged: everything before the damage is in the result; -EINVAL if a pair does not fit the formats
 * of the capture, or if the capture lacks the format of an event and options.needs_pairs is set; -ENODATA, -EPROTONOSUPPORT as from
 * tw_event_reader__check(); -ENOMEM; another -errno of reading.
 */
int tw_timing__read(struct tw_timing *timing, int in, const char *name, struct tw_error *error);

/** tw_timing__result() - the result; valid until tw_timing__free() */
const struct tw_timing_result *tw_timing__result(const struct tw_timing *timing);

/** tw_timing__free() - free @timing, which may be NULL */
void tw_timing__free(struct tw_timing *timing);

#endif
