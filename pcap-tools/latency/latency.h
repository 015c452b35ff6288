/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the times between the events of pairs (pairs/), in a capture or in a live run. */
#ifndef TW_LATENCY_H
#define TW_LATENCY_H

#include "filter/filter.h"
#include "pairs/figures.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/events/reader.h"
#include "pcap-tools/latency/slowest.h"
#include "pcap-tools/latency/stacks.h"

#define TW_LATENCY_MEMORY ((size_t)256 << 20)

struct tw_latency_result;

struct tw_latency_options {
	const struct tw_pair *const *pairs; /* @n_pairs of them; borrowed, like all pointers below */
	size_t n_pairs;
	const char *const *by; /* @n_by names of groups, for all pairs; 0 = those of each pair */
	size_t n_by;           /* at most TW_PAIR_KEYS_MAX */
	bool skips_invalid; /* a pair whose key or condition does not fit an event is no error: its result is invalid */
	bool no_groups;     /* measure pairs without groups, also those that define some */
	uint64_t linear;    /* width of the buckets, ns; 0 = powers of two, in the unit of each pair */
	size_t memory;      /* for beginnings without an end and for groups, of all pairs together, bytes */
	size_t top;         /* number of the slowest samples that are described, at most TW_LATENCY_TOP_MAX; 0 = none */
	bool counts_types; /* count all events by their type instead: in a pair with values, whose names are "SYSTEM:EVENT" */
	bool stacks;       /* add up the times by the kernel stack at their beginning */
	const struct tw_filter *filter; /* events that do not match are ignored; NULL = none */
	/*
	 * tw_latency__read() calls this at the end of each interval of @interval ns that has events, and then clears the figures. The last
	 * interval is left to the caller. @end: end of the interval, ns since 1970. 0 = no intervals
	 */
	uint64_t interval;
	void (*interval_ended)(void *ctx, const struct tw_latency_result *result, uint64_t end);
	void *ctx;
};

/* What was measured of a pair. */
struct tw_latency_measured {
	struct tw_pair_figures figures;           /* the group with the largest sum of times is the first */
	const struct tw_latency_slowest *slowest; /* sorted */
	const struct tw_latency_stacks *stacks;   /* since the beginning, also after tw_latency__clear() */
	bool is_invalid;                          /* an event was left out, because of skips_invalid */
};

/* What was measured since the beginning, or since tw_latency__clear(). */
struct tw_latency_result {
	struct tw_event_reader_stats read;        /* always since the beginning; its ledger is made at the end */
	uint64_t unknown;                         /* events whose format is unknown */
	struct tw_capture_filter_stats filtered;  /* since the beginning */
	struct tw_undecided_predicates undecided; /* of the filter; made at the end */
	uint64_t first,
		last; /* times of the first and the last event that were counted by type, ns since 1970; 0 = none */
	uint64_t interval_end;             /* end of the present interval, ns since 1970; 0 = none */
	const struct tw_pair_names *names; /* of the groups */
	const struct tw_latency_measured
		*pairs; /* as in the options; the group with the largest sum of times is the first */
	size_t n_pairs;
};

struct tw_latency;

/** tw_latency__new() - begin without events. @options: borrowed until tw_latency__free(). Return: 0; -EINVAL if a condition of a pair, or the filter, is invalid; -ENOMEM */
int tw_latency__new(const struct tw_latency_options *options, struct tw_latency **ret, struct tw_error *error);

/** tw_latency__free() - NULL is fine */
void tw_latency__free(struct tw_latency *l);

/**
 * tw_latency__check() - check, before any event, whether the pairs can be measured in events of this machine with these formats
 * Return: 0; -EINVAL if an event has no field of a key's name, if no event of a pair has the field of a group, or if a condition cannot be
 * applied to its event; -ENOMEM. A failure is final.
 */
int tw_latency__check(struct tw_latency *l, const struct tw_schema *formats, struct tw_error *error);

/**
 * tw_latency__read() - measure the pairs of a capture; called once
 * @in: file descriptor of the capture; @name is its name in error texts
 * Return: 0; -EBADMSG if the capture is damaged: the events before the damage are measured; -EINVAL if an event has no field of a key's
 * name, or the capture has no format of an event that a pair needs; -ENODATA, -EPROTONOSUPPORT as from tw_event_reader__check(); -ENOMEM;
 * another -errno of reading.
 */
int tw_latency__read(struct tw_latency *l, int in, const char *name, struct tw_error *error);

/*
 * The same for the frames of a live run, in which the producer starts after tw_latency__begin(). tw_latency__end() measures the events that
 * wait for others, and completes the result. Return: as tw_latency__read(). A failure of tw_latency__frame() is final.
 */
int tw_latency__begin(struct tw_latency *l, struct tw_error *error);
int tw_latency__frame(struct tw_latency *l, const void *data, size_t len, struct tw_error *error);
int tw_latency__end(struct tw_latency *l, struct tw_error *error);

/** tw_latency__selects() - whether a stream of the capture selected an event, as tw_identity__selects(). After tw_latency__read() */
enum tw_selected tw_latency__selects(const struct tw_latency *l, const char *system, const char *event);

/** tw_latency__result() - the figures so far; valid until the next call of another function */
const struct tw_latency_result *tw_latency__result(struct tw_latency *l);

/**
 * tw_latency__pass() - add the time that what has begun has lasted, up to the last event; its end then counts from there
 * For sums of times per interval. Return: 0, -ENOMEM.
 */
int tw_latency__pass(struct tw_latency *l);

/** tw_latency__clear() - begin new figures. What has begun stays: its end counts for the new figures */
void tw_latency__clear(struct tw_latency *l);

#endif
