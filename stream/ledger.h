/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where every event of a stream went. One list of places; what the kernel recorded is their sum:
 *
 *	recorded = before + delivered + ... + disk
 *
 * The numbers of the channels, the producer's counters and the capture's own each know a part of that (docs/wire-format.md,
 * "Numbers"). They are put together in tw_ledger__make() and nowhere else. What they don't explain is the difference: it is
 * shown, and never put to a place that might fit.
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
	X(wire, WIRE, LOST, "wire", "missing by their numbers: lost between producer and capture")                 \
	X(receiver, RECEIVER, LOST, "receiver", "the capture host's ring was full")                                \
	X(damaged, DAMAGED, LOST, "damaged", "received damaged or incomplete")                                     \
	X(disk, DISK, LOST, "disk", "could not be written")

/* Further counts, which are no places: key, name, text before the number. */
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

/* From the least certain on. */
enum tw_ledger_state {
	TW_LEDGER_RUNNING, /* events may be under way: recorded is what the numbers tell so far */
	TW_LEDGER_OPEN, /* END did not come, or the kernel's counters do not fit: the larger of numbers and last STATS */
	TW_LEDGER_CLOSED, /* END came: recorded is what the kernel counted */
};

struct tw_ledger {
	enum tw_ledger_state state;
	uint64_t recorded;
	uint64_t place[TW_PLACE_COUNT];
	uint64_t fact[TW_FACT_COUNT];
};

/* What the capture did with those that came out, by its own counting. */
struct tw_ledger_own {
	uint64_t delivered, elsewhere, filtered, unwanted, disk;
	uint64_t explained; /* dropped by classifiers with their frames, as their counters tell */
	uint64_t
		tail_frames; /* known to be missing behind the last that came, of whichever stream: no number tells of them */
	bool finished;       /* nothing is under way any more: the merge has let out everything */
};

struct tw_ledger_sources {
	const struct tw_stream_counters *books;
	struct tw_stream_numbers numbers; /* what the numbers of its channels told */
	struct tw_ledger_own own;
};

/**
 * tw_ledger__make() - put together what is known of one stream
 *
 * Events that are missing by their numbers are explained in this order: what the producer says it shed, or its interface
 * dropped; what classifiers count; the rest is the receiver's ring or the wire, as the merge tells by the receiver's drop counter.
 *
 * STATS are totals since the stream's start. A capture that joined late takes off what the first STATS that it saw says, but
 * never what LOST records told it itself: losses between joining and the first STATS are known by those alone, and what the
 * producer's filter rejected in that second at most counts as before.
 */
void tw_ledger__make(const struct tw_ledger_sources *sources, struct tw_ledger *ret);

/** tw_ledger__is_too_large() - its numbers, or their sum, do not fit 64 bits: they stopped at UINT64_MAX */
bool tw_ledger__is_too_large(const struct tw_ledger *ledger);

/** tw_ledger__difference() - recorded less all places; 0 = balanced, above 0 = unexplained, below 0 = counted twice */
int64_t tw_ledger__difference(const struct tw_ledger *ledger);

/**
 * tw_ledger__is_known() - whether the difference is: not where frames are missing of which nobody knows how many events they had, nor
 * where the kernel's counters do not fit or the numbers are too large
 */
bool tw_ledger__is_known(const struct tw_ledger *ledger);

/** tw_ledger__sum() - all places of one kind */
uint64_t tw_ledger__sum(const struct tw_ledger *ledger, enum tw_ledger_kind kind);

/** tw_ledger__add() - @to becomes the ledger of both; as certain as the less certain one. tail_frames are both's together already */
void tw_ledger__add(struct tw_ledger *to, const struct tw_ledger *ledger);

/** tw_ledger_state__name() - "running", "open", "closed" */
const char *tw_ledger_state__name(enum tw_ledger_state state);

/*
 * Texts. Each writes at most @size bytes, 1 at least, with a NUL at the end, and what has a value: a place that is 0 is left out, but
 * delivered never. @size of TW_LEDGER_TEXT_MAX is always enough. Return: length.
 */
#define TW_LEDGER_TEXT_MAX 1536

/**
 * tw_ledger__comment() - as a file keeps it, in the comment of an interface statistics block
 *
 * "ledger version=1 state=closed recorded=10 delivered=9 wire=1 difference=0": words of a key and a decimal number, in any
 * order behind the version. A key that is not there is 0, an unknown one is skipped. The difference is for whoever reads it:
 * it follows from the others, and is the word "unknown" where it is not known.
 */
size_t tw_ledger__comment(const struct tw_ledger *ledger, char *ret, size_t size);

/**
 * tw_ledger__parse() - the way back, from a stranger's file
 * Return: false, @ret untouched, if this is no ledger, one of another version, or one with a number that is none.
 */
bool tw_ledger__parse(const char *text, size_t len, struct tw_ledger *ret);

/** tw_ledger__line() - for people and logs: "10 recorded: 9 delivered, 1 wire; closed" */
size_t tw_ledger__line(const struct tw_ledger *ledger, char *ret, size_t size);

/** tw_ledger__json() - an object with every place and fact, as the value of @key */
void tw_ledger__json(const struct tw_ledger *ledger, struct tw_json *json, const char *key);

#endif
