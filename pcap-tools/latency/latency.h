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
	const char *const *by; /* @n_by fields whose values divide all pairs into groups; 0 = the fields of each pair */
	size_t n_by;           /* at most TW_PAIR_KEYS_MAX */
	bool skips_invalid; /* a pair whose key or condition does not fit an event is no error: its result is invalid */
	bool no_groups;     /* measure pairs without groups, also those that define some */
	uint64_t linear;    /* width of the buckets, ns or as values; 0 = powers of two, in the unit of each pair */
	size_t memory;      /* limit for beginnings without an end and for groups, of all pairs together, bytes */
	size_t top; /* number of the slowest samples of each pair that are described, at most TW_LATENCY_TOP_MAX */
	bool counts_types; /* only count all events: the first pair gets a group for each type, named "SYSTEM:EVENT" */
	bool stacks;       /* add up the times by the kernel stack at their beginning */
	const struct tw_filter *filter; /* events that do not match are ignored; NULL = none */
	/*
	 * If @interval is not 0, tw_latency__read() divides the capture into intervals of @interval ns. At the end of each interval with
	 * events, except the last, it calls interval_ended() and then clears the figures. @end: end of the interval, ns since 1970.
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
	bool is_invalid; /* the pair does not fit an event, which was left out: see skips_invalid */
};

/* What was measured since the beginning, or since tw_latency__clear(). */
struct tw_latency_result {
	struct tw_event_reader_stats read;        /* since the beginning; its ledger is complete after the last event */
	uint64_t unknown;                         /* events whose format is unknown */
	struct tw_capture_filter_stats filtered;  /* since the beginning */
	struct tw_undecided_predicates undecided; /* of the filter; complete after the last event */
	uint64_t first,
		last; /* times of the first and the last event that were counted by type, ns since 1970; 0 = none */
	uint64_t interval_end;                   /* end of the present interval, ns since 1970; 0 = none */
	const struct tw_pair_names *names;       /* of the groups */
	const struct tw_latency_measured *pairs; /* in the order of the options */
	size_t n_pairs;
};

struct tw_latency;

/**
 * tw_latency__new() - make a measurement without events
 * @options: borrowed until tw_latency__free()
 * Return: 0; -EINVAL if a condition of a pair, or the filter, is invalid, or if there are too many fields in @by; -E2BIG if a condition
 * exceeds a limit; -ENOMEM.
 */
int tw_latency__new(const struct tw_latency_options *options, struct tw_latency **ret, struct tw_error *error);

/** tw_latency__free() - free @l, which may be NULL */
void tw_latency__free(struct tw_latency *l);

/**
 * tw_latency__check() - check, before any event, whether the pairs can be measured in events of this machine with these formats
 * Return: 0; -EINVAL if a pair does not fit the formats: an event lacks the field of a key, no event of a pair has the field of a group,
 * the keys of two events are a text and a number, or a condition does not fit its event; -ENOMEM. After a failure, @l can only be freed.
 */
int tw_latency__check(struct tw_latency *l, const struct tw_schema *formats, struct tw_error *error);

/**
 * tw_latency__read() - measure the pairs of a capture; called once
 * @in: file descriptor of the capture; @name is its name in error texts
 * Return: 0; -EBADMSG if the capture is damaged: the events before the damage are measured; -EINVAL if a pair does not fit the formats of
 * the capture, as for tw_latency__check(), or if the capture lacks the format of an event that a pair needs, kernel stacks, or times;
 * -ENODATA, -EPROTONOSUPPORT as from tw_event_reader__check(); -ENOMEM; another -errno of reading.
 */
int tw_latency__read(struct tw_latency *l, int in, const char *name, struct tw_error *error);

/*
 * The same for the frames of a live run, in which the producer starts after tw_latency__begin(). tw_latency__end() measures the events that
 * the merge still holds, and completes the result. Return: as tw_latency__read(). A failure of tw_latency__frame() is final.
 */
int tw_latency__begin(struct tw_latency *l, struct tw_error *error);
int tw_latency__frame(struct tw_latency *l, const void *data, size_t len, struct tw_error *error);
int tw_latency__end(struct tw_latency *l, struct tw_error *error);

/** tw_latency__selects() - whether the run of a stream selected an event, as tw_identity__selects(); called after tw_latency__read() */
enum tw_selected tw_latency__selects(const struct tw_latency *l, const char *system, const char *event);

/** tw_latency__result() - the figures so far; valid until the next call of another function */
const struct tw_latency_result *tw_latency__result(struct tw_latency *l);

/**
 * tw_latency__pass() - add the times of pairs that have not ended to the sums: from the beginning of each pair to the latest event
 * The later end of such a pair then adds only the time from that event, so that each interval has its part of the time.
 * Return: 0, -ENOMEM.
 */
int tw_latency__pass(struct tw_latency *l);

/** tw_latency__clear() - begin new figures. A pair that has begun but not ended stays: its end counts for the new figures */
void tw_latency__clear(struct tw_latency *l);

#endif
