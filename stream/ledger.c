/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of the ledger. The numbers are untrusted: sums saturate instead of wrapping. */
#include "stream/ledger.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Numbers of events that are missing and not assigned to a place yet, one for each class of gaps that the merge distinguishes. */
struct missing {
	uint64_t reported, wire, receiver;
};

/* Subtract up to @n from @there. Return: the amount subtracted. */
static uint64_t take_of(uint64_t *there, uint64_t n)
{
	const uint64_t taken = smaller(n, *there);

	*there -= taken;
	return taken;
}

/* Explain up to @n missing events: remove them from @m. Return: number of events explained. */
static uint64_t missing__take(struct missing *m, uint64_t n)
{
	const uint64_t reported = take_of(&m->reported, n), wire = take_of(&m->wire, n - reported);

	return reported + wire + take_of(&m->receiver, n - reported - wire);
}

/* Events that had a number and that the producer reported as lost. seen: events whose numbers are missing; unseen: all others. */
struct reported {
	uint64_t seen, unseen;
};

static struct reported reported__find(const struct tw_stream_counters *counters, enum tw_stream_counter counter,
				      struct missing *m)
{
	const uint64_t reported = tw_stream_counters__since(counters, counter), seen = missing__take(m, reported);

	return (struct reported){ .seen = seen, .unseen = reported - seen };
}

static uint64_t all_places(const struct tw_ledger *l)
{
	uint64_t sum = 0;

	for (int i = 0; i < TW_PLACE_COUNT; i++)
		sum = tw_count__plus(sum, l->place[i]);
	return sum;
}

static bool has_ended(const struct tw_ledger_sources *from)
{
	return from->own.finished && from->counters->ended &&
	       tw_stream_counters__reported(from->counters, TW_STREAM_RECORDED);
}

static enum tw_ledger_state state_of(const struct tw_ledger_sources *from)
{
	if (!from->own.finished)
		return TW_LEDGER_RUNNING;
	return has_ended(from) && !tw_stream_counters__total(from->counters, TW_STREAM_UNSURE_RINGS) ? TW_LEDGER_CLOSED
												     : TW_LEDGER_OPEN;
}

/*
 * Count the events before the capture joined. Events that passed the producer's filter have numbers, also if they were shed or if the
 * interface dropped them. Events that were lost in the ring or rejected by the producer's filter have no numbers: STATS counts them.
 */
static uint64_t count_before(const struct tw_ledger_sources *from)
{
	const struct tw_stream_counters *b = from->counters;
	const uint64_t ring = tw_stream_counters__total(b, TW_STREAM_RING) -
			      tw_stream_counters__since(b, TW_STREAM_RING),
		       filtered = tw_stream_counters__total(b, TW_STREAM_FILTERED) -
				  tw_stream_counters__since(b, TW_STREAM_FILTERED);

	return tw_count__plus(from->numbers.before, tw_count__plus(ring, filtered));
}

/* Return: number of all events with a number, plus the events without a number that the producer counted: ring and producer filter. */
static uint64_t recorded_by_numbers(const struct tw_ledger *l, const struct tw_stream_numbers *n)
{
	const uint64_t received = tw_count__plus(tw_count__plus(n->events_out, n->filtered),
						 tw_count__plus(n->incomplete, n->damaged)),
		       gaps = tw_count__plus(tw_count__plus(n->gaps_wire, n->gaps_receiver), n->gaps_reported);

	return tw_count__plus(tw_count__plus(l->place[TW_PLACE_BEFORE], tw_count__plus(received, gaps)),
			      tw_count__plus(l->place[TW_PLACE_RING], l->place[TW_PLACE_PRODUCER_FILTER]));
}

static void take_facts(const struct tw_ledger_sources *from, struct tw_ledger *l)
{
	const struct tw_stream_numbers *n = &from->numbers;

	l->fact[TW_FACT_LATE] = n->late;
	l->fact[TW_FACT_REORDERED] = n->reordered;
	l->fact[TW_FACT_DUPLICATES] = n->duplicates;
	l->fact[TW_FACT_CONTROL_GAPS] = n->control_gaps;
	l->fact[TW_FACT_MALFORMED] = n->malformed;
	l->fact[TW_FACT_UNKNOWN] = from->counters->unknown;
	l->fact[TW_FACT_UNSURE_RINGS] = tw_stream_counters__total(from->counters, TW_STREAM_UNSURE_RINGS);
	l->fact[TW_FACT_TAIL_FRAMES] = has_ended(from) ? 0 : from->own.tail_frames;
	l->fact[TW_FACT_TX_FRAMES] = tw_stream_counters__since(from->counters, TW_STREAM_TX_FRAMES);
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Set the number of recorded events, and add the producer's losses that no gap shows: @shed and @tx events. For example, events that are
 * lost at the end of a channel leave no gap.
 *
 * If the capture received the stream's first control frame, all @shed events are added. If not, some of them may have been shed before the
 * capture joined. If an interface does not report which frames it dropped, @tx may count events for dropped frames that had only metadata.
 * Such uncertain losses are added only up to the number of recorded events that no place explains.
 */
static void settle(const struct tw_ledger_sources *from, uint64_t shed, uint64_t tx, struct tw_ledger *l)
{
	const uint64_t numbers = recorded_by_numbers(l, &from->numbers),
		       unseen = from->counters->from_start ? tw_count__plus(shed, tx) : 0,
		       reported = tw_stream_counters__total(from->counters, TW_STREAM_RECORDED);
	uint64_t left;

	l->recorded = tw_count__plus(numbers, unseen);
	if (l->state == TW_LEDGER_CLOSED || (l->state == TW_LEDGER_OPEN && reported > l->recorded))
		l->recorded = reported;
	left = minus(l->recorded, numbers);
	l->place[TW_PLACE_SHED] += from->counters->from_start ? shed : smaller(shed, left);
	l->place[TW_PLACE_TX] += smaller(tx, minus(left, shed));
}

void tw_ledger__make(const struct tw_ledger_sources *from, struct tw_ledger *ret)
{
	const struct tw_stream_numbers *n = &from->numbers;
	struct missing missing = { .reported = n->gaps_reported, .wire = n->gaps_wire, .receiver = n->gaps_receiver };
	struct tw_ledger l = { .state = state_of(from) };
	struct reported shed, tx;

	missing.receiver += take_of(&missing.wire, from->own.receiver);
	shed = reported__find(from->counters, TW_STREAM_SHED, &missing);
	tx = reported__find(from->counters, TW_STREAM_TX, &missing);
	l.place[TW_PLACE_BEFORE] = count_before(from);
	l.place[TW_PLACE_DELIVERED] = from->own.delivered;
	l.place[TW_PLACE_ELSEWHERE] = from->own.elsewhere;
	l.place[TW_PLACE_RING] = tw_stream_counters__since(from->counters, TW_STREAM_RING);
	l.place[TW_PLACE_PRODUCER_FILTER] = tw_stream_counters__since(from->counters, TW_STREAM_FILTERED);
	l.place[TW_PLACE_SHED] = shed.seen;
	l.place[TW_PLACE_TX] = tx.seen;
	l.place[TW_PLACE_CLASSIFIER] = tw_count__plus(n->filtered, missing__take(&missing, from->own.explained));
	l.place[TW_PLACE_CAPTURE_FILTER] = from->own.filtered;
	l.place[TW_PLACE_UNWANTED] = from->own.unwanted;
	l.place[TW_PLACE_DAMAGED] = tw_count__plus(n->incomplete, n->damaged);
	/* missing.reported is not 0 if LOST records reported more events than the counters include */
	l.place[TW_PLACE_WIRE] = tw_count__plus(missing.wire, missing.reported);
	l.place[TW_PLACE_RECEIVER] = missing.receiver;
	l.place[TW_PLACE_DISK] = from->own.disk;
	settle(from, shed.unseen, tx.unseen, &l);
	take_facts(from, &l);
	*ret = l;
}

bool tw_ledger__is_too_large(const struct tw_ledger *ledger)
{
	return ledger->recorded == UINT64_MAX || all_places(ledger) == UINT64_MAX;
}

int64_t tw_ledger__difference(const struct tw_ledger *ledger)
{
	const uint64_t sum = all_places(ledger), recorded = ledger->recorded;

	if (recorded >= sum)
		return recorded - sum > INT64_MAX ? INT64_MAX : (int64_t)(recorded - sum);
	return sum - recorded > INT64_MAX ? -INT64_MAX : -(int64_t)(sum - recorded);
}

bool tw_ledger__is_known(const struct tw_ledger *ledger)
{
	return !ledger->fact[TW_FACT_TAIL_FRAMES] && !ledger->fact[TW_FACT_UNSURE_RINGS] &&
	       !tw_ledger__is_too_large(ledger);
}

uint64_t tw_ledger__sum(const struct tw_ledger *ledger, enum tw_ledger_kind kind)
{
	static const uint8_t kinds[] = {
#define X(key, name, kind, heading, what) TW_LEDGER_##kind,
		TW_LEDGER_PLACES(X)
#undef X
	};
	uint64_t sum = 0;

	for (int i = 0; i < TW_PLACE_COUNT; i++)
		sum = kinds[i] == kind ? tw_count__plus(sum, ledger->place[i]) : sum;
	return sum;
}

void tw_ledger__add(struct tw_ledger *to, const struct tw_ledger *ledger)
{
	const uint64_t tail = tw_count__larger(to->fact[TW_FACT_TAIL_FRAMES], ledger->fact[TW_FACT_TAIL_FRAMES]);

	to->state = to->state < ledger->state ? to->state : ledger->state;
	to->recorded = tw_count__plus(to->recorded, ledger->recorded);
	for (int i = 0; i < TW_PLACE_COUNT; i++)
		to->place[i] = tw_count__plus(to->place[i], ledger->place[i]);
	for (int i = 0; i < TW_FACT_COUNT; i++)
		to->fact[i] = tw_count__plus(to->fact[i], ledger->fact[i]);
	to->fact[TW_FACT_TAIL_FRAMES] = tail;
}

const char *tw_ledger_state__name(enum tw_ledger_state state)
{
	static const char *const names[] = { "running", "open", "closed" };

	return names[state];
}
