/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where every event of a stream went: one list of places whose sum is the number of recorded events:
 *
 * recorded = before + delivered + ... + disk
 *
 * The numbers of the channels, the producer's counters and the capture's own each contain a part of that (docs/wire-format.md,
 * "Numbers"). They are combined in tw_ledger__make() and nowhere else. The unexplained rest is the difference: it is shown, and never
 * added to a place that might fit.
 */
#ifndef TW_LEDGER_H
#define TW_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "stream/counters.h"

/* The list of places: key in texts, name, kind, heading, meaning. */
#define TW_LEDGER_PLACES(X)                                                                                        \
	X(before, BEFORE, EARLIER, "before", "recorded before this capture joined the stream")                     \
	X(delivered, DELIVERED, HERE, "delivered", "in this file")                                                 \
	X(elsewhere, ELSEWHERE, HERE, "other files", "in other files of this capture")                             \
	X(ring, RING, LOST, "ring", "the kernel's ring was full")                                                  \
	X(producer_filter, PRODUCER_FILTER, REJECTED, "filter", "rejected by the producer's filter")               \
	X(shed, SHED, LOST, "shed", "discarded by the producer, which had no room in time")                        \
	X(tx, TX, LOST, "tx drop", "refused by the producer's interface")                                          \
	X(classifier, CLASSIFIER, REJECTED, "classifier", "rejected by a classifier between producer and capture") \
	X(capture_filter, CAPTURE_FILTER, REJECTED, "capture filter", "rejected by the filter of this capture")    \
	X(unwanted, UNWANTED, REJECTED, "not wanted", "received after the capture had reached its limit")          \
	X(wire, WIRE, LOST, "wire", "missing by their numbers between producer and capture: filtered or lost")     \
	X(receiver, RECEIVER, LOST, "receiver", "the capture host's ring was full")                                \
	X(damaged, DAMAGED, LOST, "damaged", "received damaged or incomplete")                                     \
	X(disk, DISK, LOST, "disk", "could not be written")

/* Further numbers, which are no places: key, name, text after the number. */
#define TW_LEDGER_FACTS(X)                                                                                      \
	X(late, LATE, "events after newer ones")                                                                \
	X(reordered, REORDERED, "frames received out of order")                                                 \
	X(duplicates, DUPLICATES, "events received twice")                                                      \
	X(unknown, UNKNOWN, "losses of unknown size")                                                           \
	X(control_gaps, CONTROL_GAPS, "missing control frames")                                                 \
	X(malformed, MALFORMED, "frames that could not be read, or only in part")                               \
	X(tx_frames, TX_FRAMES, "frames refused by the producer's interface, with an unknown number of events") \
	X(unsure_rings, UNSURE_RINGS, "rings whose counters in the kernel do not match the producer's")         \
	X(tail_frames, TAIL_FRAMES, "frames missing after the last received frame, of all open streams (lower bound)")

enum tw_ledger_kind {
	TW_LEDGER_EARLIER,
	TW_LEDGER_HERE,
	TW_LEDGER_REJECTED,
	TW_LEDGER_LOST,
};

enum tw_ledger_place {
#define X(key, name, kind, heading, what) TW_PLACE_##name,
	TW_LEDGER_PLACES(X)
#undef X
		TW_PLACE_COUNT,
};

enum tw_ledger_fact {
#define X(key, name, what) TW_FACT_##name,
	TW_LEDGER_FACTS(X)
#undef X
		TW_FACT_COUNT,
};

/* The states of a ledger, from the least certain to the most certain. */
enum tw_ledger_state {
	TW_LEDGER_RUNNING, /* events may be on their way: recorded is the number so far */
	TW_LEDGER_OPEN,    /* no END, or the kernel's counters do not match: the larger one of numbers and last STATS */
	TW_LEDGER_CLOSED,  /* END arrived: recorded is the kernel's count */
};

struct tw_ledger {
	enum tw_ledger_state state;
	uint64_t recorded;
	uint64_t place[TW_PLACE_COUNT];
	uint64_t fact[TW_FACT_COUNT];
};

/* The capture's own counts of emitted events. */
struct tw_ledger_own {
	uint64_t delivered, elsewhere, filtered, unwanted, disk;
	uint64_t explained; /* dropped by classifiers with their frames, according to their counters */
	uint64_t
		tail_frames; /* lower bound of frames missing after the last one, of any stream: no number shows them */
	bool finished;       /* nothing is on its way: the merge has released everything */
};

struct tw_ledger_sources {
	const struct tw_stream_counters *counters;
	struct tw_stream_numbers numbers; /* from the numbers of its channels */
	struct tw_ledger_own own;
};

/**
 * tw_ledger__make() - combine all numbers of one stream
 *
 * Events that are missing by their numbers are explained in this order: what the producer says it shed, or its interface dropped; what
 * classifiers counted; the rest is the receiver's ring or the wire, which the merge distinguishes by the receiver's drop counter.
 *
 * STATS are totals since the stream's start. A capture that joined late subtracts the first STATS that it received, but not what LOST
 * records reported to it directly: losses between joining and the first STATS are known only from these. What the producer's filter
 * rejected in that time, at most a second, counts as before.
 */
void tw_ledger__make(const struct tw_ledger_sources *sources, struct tw_ledger *ret);

/** tw_ledger__is_too_large() - whether its numbers, or their sum, exceed 64 bits: they stopped at UINT64_MAX */
bool tw_ledger__is_too_large(const struct tw_ledger *ledger);

/** tw_ledger__difference() - recorded less all places; 0 = balanced, above 0 = unexplained, below 0 = counted twice */
int64_t tw_ledger__difference(const struct tw_ledger *ledger);

/**
 * tw_ledger__is_known() - whether the difference is known: not if frames with an unknown number of events are missing, nor if the
 * kernel's counters do not match or the numbers are too large
 */
bool tw_ledger__is_known(const struct tw_ledger *ledger);

/** tw_ledger__sum() - the sum of all places of one kind */
uint64_t tw_ledger__sum(const struct tw_ledger *ledger, enum tw_ledger_kind kind);

/** tw_ledger__add() - add a ledger to @to; the result has the less certain state. tail_frames already includes both */
void tw_ledger__add(struct tw_ledger *to, const struct tw_ledger *ledger);

/** tw_ledger_state__name() - "running", "open", "closed" */
const char *tw_ledger_state__name(enum tw_ledger_state state);

/*
 * Texts. Each function writes at most @size bytes, at least 1, with a NUL at the end. Places with 0 are left out, except delivered. A
 * @size of TW_LEDGER_TEXT_MAX is always sufficient. Return: length.
 */
#define TW_LEDGER_TEXT_MAX 1536

/**
 * tw_ledger__comment() - the text stored in a file, in the comment of an interface statistics block
 *
 * "ledger version=1 state=closed recorded=10 delivered=9 wire=1 difference=0": pairs of a key and a decimal number, in any order after
 * the version. A missing key means 0, an unknown one is skipped. The difference is for human readers: it follows from the other numbers,
 * and is the word "unknown" if it is unknown.
 */
size_t tw_ledger__comment(const struct tw_ledger *ledger, char *ret, size_t size);

/**
 * tw_ledger__parse() - the inverse, for an untrusted file
 * Return: false, with @ret unchanged, if this is no ledger, one of another version, or has an invalid number.
 */
bool tw_ledger__parse(const char *text, size_t len, struct tw_ledger *ret);

/** tw_ledger__line() - text for people and logs: "10 recorded: 9 delivered, 1 wire; closed" */
size_t tw_ledger__line(const struct tw_ledger *ledger, char *ret, size_t size);

/** tw_ledger__json() - an object with every place and number, as the value of @key */
void tw_ledger__json(const struct tw_ledger *ledger, struct tw_json *json, const char *key);

#endif
