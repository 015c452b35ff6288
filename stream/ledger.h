/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger shows where the recorded events of a stream went. A place is one counter: events that were delivered, or that were lost or
 * rejected at one stage. If nothing is unknown, each recorded event is counted at one place:
 *
 * recorded = before + delivered + ... + disk
 *
 * The numbers of the channels, the producer's counters and the capture's own counters each have a part of this information
 * (docs/wire-format.md, "Numbers"). Only tw_ledger__make() combines them. The difference is the number of recorded events at no known
 * place. The ledger shows the difference, and does not assign these events to a place by guessing.
 */
#ifndef TW_LEDGER_H
#define TW_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "stream/counters.h"

/* The places. Columns: key in comments and JSON, name, kind, heading in lines for people, meaning. */
#define TW_LEDGER_PLACES(X)                                                                                        \
	X(before, BEFORE, EARLIER, "before", "recorded before this capture joined the stream")                     \
	X(delivered, DELIVERED, HERE, "delivered", "in this file")                                                 \
	X(elsewhere, ELSEWHERE, HERE, "other files", "in other files of this capture")                             \
	X(ring, RING, LOST, "ring", "lost in the kernel's ring, which was full")                                   \
	X(producer_filter, PRODUCER_FILTER, REJECTED, "filter", "rejected by the producer's filter")               \
	X(shed, SHED, LOST, "shed", "discarded by the producer, because its output had no room in time")           \
	X(tx, TX, LOST, "tx drop", "refused by the producer's interface")                                          \
	X(classifier, CLASSIFIER, REJECTED, "classifier", "rejected by a classifier between producer and capture") \
	X(capture_filter, CAPTURE_FILTER, REJECTED, "capture filter", "rejected by the filter of this capture")    \
	X(unwanted, UNWANTED, REJECTED, "not wanted", "received after the capture had reached its limit")          \
	X(wire, WIRE, LOST, "wire", "missing at the capture, and counted at no other place: filtered or lost")     \
	X(receiver, RECEIVER, LOST, "receiver", "lost in the capture host's ring, which was full")                 \
	X(damaged, DAMAGED, LOST, "damaged", "received damaged or incomplete")                                     \
	X(disk, DISK, LOST, "disk", "could not be written")

/* Further numbers of a ledger, which are not in its sum. Columns: key, name, text after the number. */
#define TW_LEDGER_FACTS(X)                                                                                      \
	X(late, LATE, "events that follow newer events")                                                        \
	X(reordered, REORDERED, "frames received out of order")                                                 \
	X(duplicates, DUPLICATES, "events received twice")                                                      \
	X(unknown, UNKNOWN, "losses of unknown size")                                                           \
	X(control_gaps, CONTROL_GAPS, "missing control frames")                                                 \
	X(malformed, MALFORMED, "frames that could not be read, or only in part")                               \
	X(tx_frames, TX_FRAMES, "frames refused by the producer's interface, with an unknown number of events") \
	X(unsure_rings, UNSURE_RINGS,                                                                           \
	  "rings whose counters in the kernel cannot be read, or do not match the producer's")                  \
	X(tail_frames, TAIL_FRAMES, "frames missing at the end of open streams (lower bound)")

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
	TW_LEDGER_RUNNING, /* events may still arrive: recorded is the number so far */
	TW_LEDGER_OPEN, /* END is missing or counters do not match: recorded is the larger of two counts, by numbers and by STATS */
	TW_LEDGER_CLOSED, /* END arrived and counters match: recorded is the kernel's count */
};

struct tw_ledger {
	enum tw_ledger_state state;
	uint64_t recorded;
	uint64_t place[TW_PLACE_COUNT];
	uint64_t fact[TW_FACT_COUNT];
};

/* The capture's own counters. */
struct tw_ledger_own {
	uint64_t delivered, elsewhere, filtered, unwanted, disk; /* emitted events, by place */
	uint64_t explained;   /* events in frames that classifiers dropped, from the classifiers' counters */
	uint64_t receiver;    /* events lost at the receiver, from LOST records of a file, which has no drop counter */
	uint64_t tail_frames; /* lower bound of the frames lost after the last received frame, of all streams */
	bool finished;        /* no event can follow: the merge has emitted everything */
};

struct tw_ledger_sources {
	const struct tw_stream_counters *counters;
	struct tw_stream_numbers numbers; /* from the event numbers of the stream's channels */
	struct tw_ledger_own own;
};

/**
 * tw_ledger__make() - combine all numbers of one stream
 *
 * Events that are missing according to their numbers are assigned to places by these sources, in this order: the producer's reports of
 * shed events, its reports of events dropped by its interface, and the counters of classifiers. The remaining events belong to the
 * places `receiver` and `wire`. The merge distinguishes these two places by the receiver's drop counter; for a file, LOST records
 * distinguish them.
 *
 * STATS are totals since the stream's start. If a capture joined late, the values of the first STATS that it received are subtracted.
 * Losses between joining and the first STATS are known only from LOST records, so nothing is subtracted from the sums of LOST records.
 * Events that the producer's filter rejected in that time, usually at most a second, count in the place `before`.
 */
void tw_ledger__make(const struct tw_ledger_sources *sources, struct tw_ledger *ret);

/** tw_ledger__is_too_large() - whether recorded or the sum of the places exceeds 64 bits: sums saturate at UINT64_MAX */
bool tw_ledger__is_too_large(const struct tw_ledger *ledger);

/** tw_ledger__difference() - recorded minus the sum of all places; positive: events without a place, negative: events counted twice */
int64_t tw_ledger__difference(const struct tw_ledger *ledger);

/**
 * tw_ledger__is_known() - whether the difference is known
 * The difference is unknown if the ledger's tail_frames or unsure_rings is above 0, or if a sum does not fit into 64 bits.
 */
bool tw_ledger__is_known(const struct tw_ledger *ledger);

/** tw_ledger__sum() - sum of all places of one kind */
uint64_t tw_ledger__sum(const struct tw_ledger *ledger, enum tw_ledger_kind kind);

/** tw_ledger__add() - add a ledger to @to, and keep the less certain state and the larger tail_frames, which counts all streams */
void tw_ledger__add(struct tw_ledger *to, const struct tw_ledger *ledger);

/** tw_ledger_state__name() - the name of a state: "running", "open", "closed" */
const char *tw_ledger_state__name(enum tw_ledger_state state);

/*
 * Texts. tw_ledger__comment() and tw_ledger__line() write at most @size bytes, NUL included; @size is at least 1, and TW_LEDGER_TEXT_MAX
 * is always sufficient. Places with the value 0 are omitted, except delivered. Return: length without the NUL.
 */
#define TW_LEDGER_TEXT_MAX 1536

/**
 * tw_ledger__comment() - write the text that files contain, as a comment of an interface statistics block
 * For example: "ledger version=1 state=closed recorded=10 delivered=9 wire=1 difference=0". After the version, the text has pairs of a key
 * and a value, which a parser accepts in any order. To a parser, a missing number is 0, and a missing state means open; unknown keys are
 * skipped. The difference is for human readers and is not parsed; it may be the word "unknown".
 */
size_t tw_ledger__comment(const struct tw_ledger *ledger, char *ret, size_t size);

/**
 * tw_ledger__parse() - parse a text of tw_ledger__comment() from an untrusted file
 * Return: false, with @ret unchanged, if the text is not a ledger, has another version, or has an invalid value.
 */
bool tw_ledger__parse(const char *text, size_t len, struct tw_ledger *ret);

/** tw_ledger__line() - write a text for people and logs: "10 recorded: 9 delivered, 1 wire; closed" */
size_t tw_ledger__line(const struct tw_ledger *ledger, char *ret, size_t size);

/** tw_ledger__json() - write an object with state, recorded, difference, all places and all facts as the value of @key */
void tw_ledger__json(const struct tw_ledger *ledger, struct tw_json *json, const char *key);

#endif
