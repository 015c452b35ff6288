/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the times between the events of pairs (pairs/) in a capture. */
#ifndef TW_LATENCY_H
#define TW_LATENCY_H

#include "pairs/histogram.h"
#include "pairs/names.h"
#include "pairs/pairing.h"
#include "pairs/table.h"
#include "pcap-tools/events/reader.h"

#define TW_LATENCY_GROUPS_MAX 4096 /* groups of a pair; samples of further groups are counted together */
#define TW_LATENCY_MEMORY     ((size_t)256 << 20)

struct tw_latency_options {
	const struct tw_pair *const *pairs; /* @n_pairs of them */
	size_t n_pairs;
	const char *const *by; /* @n_by names of groups, for all pairs; 0 = those of each pair */
	size_t n_by;           /* at most TW_PAIR_KEYS_MAX */
	uint64_t linear;       /* width of the buckets, ns; 0 = powers of two, in the unit of each pair */
	size_t memory;         /* for beginnings without an end, of all pairs together, bytes */
};

/* The samples with equal names of the groups. */
struct tw_latency_group {
	uint64_t names
		[TW_PAIR_KEYS_MAX]; /* numbers in tw_latency_result.names; TW_PAIR_OTHER in all = samples of further groups */
	struct tw_histogram histogram; /* times in ns */
};

/* The result for one pair. */
struct tw_latency_pair {
	const struct tw_pair *pair;
	const char *const *by; /* names of the groups; @n_by of them, 0 = no groups */
	size_t n_by;
	struct tw_pairing_stats stats;
	bool is_missing[TW_PAIR_EVENTS_MAX]; /* the capture has no format of this event of the pair */
	uint64_t unreadable;                 /* events whose keys are not in the record */
	uint64_t unclear; /* events for which `matches` in a condition reached its limit, which counts as no match */
	struct tw_histogram all;          /* of all groups */
	struct tw_latency_group **groups; /* @n_groups of them, the one with the largest sum of times first */
	size_t n_groups;
};

struct tw_latency_result {
	struct tw_event_reader_stats read;
	uint64_t unknown; /* events whose format is unknown */
	struct tw_pair_names *names;
	struct tw_latency_pair *pairs; /* as in the options */
	size_t n_pairs;
};

/**
 * tw_latency__run() - measure the pairs of a capture
 * @in: file descriptor of the capture; @name is its name in error texts
 * @ret: valid also after -EBADMSG; free with tw_latency__fini() in any case
 * Return: 0; -EBADMSG if the capture is damaged: the events before the damage are measured; -EINVAL if a condition of a pair is invalid, an
 * event has no field of a key's name, or the capture has no format of an event that a pair needs; -ENODATA, -EPROTONOSUPPORT as from
 * tw_event_reader__check(); -ENOMEM; another -errno of reading.
 */
int tw_latency__run(int in, const char *name, const struct tw_latency_options *options, struct tw_latency_result *ret,
		    struct tw_error *error);

/** tw_latency__fini() - free the members of a result */
void tw_latency__fini(struct tw_latency_result *result);

#endif
