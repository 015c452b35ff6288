/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A classifier: rules in order, each an expression and what is to be done, for frames on their way. The first rule that matches
 * an event decides about it. What it is compiled to: eBPF (filter/bpf/), keys of tc's u32 (filter/u32/u32.h).
 *
 * Of a frame of one event
 *  - pass, mark, redirect apply to the frame;
 *  - drop drops it, unless something else stands in it that has to arrive (WATERMARK, LOST): then its event becomes FILTERED.
 * Of a packed frame
 *  - each event whose rule says drop becomes FILTERED in place and keeps its number; if no event is left and nothing else that has
 *    to arrive, the frame is dropped;
 *  - else the rule of the first event that is left decides: mark and redirect act on the whole frame.
 *
 * What is no event passes whatever the rules say, and is counted: control frames, LOST, WATERMARK, PARTs of an event. With
 * redirect (in tc) control frames go both ways: without them nobody behind it could decode.
 * Frames of another schema match nothing, pass, and are counted. So does what cannot be read; where only the rest of a frame
 * cannot, the events before it are judged and filtered, and the frame passes.
 */
#ifndef TW_RULES_H
#define TW_RULES_H

#include "filter/filter.h"

#define TW_RULES_MAX 32

enum tw_action {
	TW_ACTION_PASS,
	TW_ACTION_DROP,
	TW_ACTION_MARK,     /* skb->mark = arg; not in XDP, which has none */
	TW_ACTION_REDIRECT, /* to the interface with index arg */
};

struct tw_rule {
	struct tw_bound *bound; /* all of a classifier are bound to the same schema */
	uint8_t action;         /* enum tw_action */
	uint32_t arg;
};

struct tw_rules {
	const struct tw_rule *rules;
	unsigned int n;         /* TW_RULES_MAX at most */
	uint8_t default_action; /* for events that no rule matches; enum tw_action */
	uint32_t default_arg;
	uint64_t schema_id; /* frames of another one match nothing; 0 = whatever it is */
	bool big_endian;    /* bodies; frames with other ones are of another schema */
};

/*
 * What is counted, for each stream and channel. One row for each rule, one for the default, then these. A row counts frames and
 * events: for packed frames the events that the rule matched, and frames in which it matched one at least.
 */
enum tw_count {
	TW_COUNT_CONTROL,      /* control frames, and frames without an event; no events */
	TW_COUNT_PART,         /* frames with a piece of an event too large for one: passed; no events */
	TW_COUNT_OTHER_SCHEMA, /* passed: the rules are not for them; events as their header says */
	TW_COUNT_UNREADABLE, /* passed: cut short, lengths that cannot be, or what this hook cannot change (UDP over IPv6 in XDP) */
	TW_COUNT_DROPPED,  /* frames dropped, with the events in them: not those of FILTERED */
	TW_COUNT_FILTERED, /* events made FILTERED in place, and frames that have one and went on */
	TW_COUNT_MORE,     /* how many of these there are */
};

/* A row of counters as maps hold it, in the host's byte order; per CPU where that is possible. */
struct tw_counter {
	uint64_t frames, events;
};

/* The key of the counters' map. */
struct tw_counter_key {
	uint64_t stream_id; /* host byte order */
	uint16_t channel;
	uint16_t reserved[3];
};

/** tw_rules__row() - rule i; n is the default, without an expression */
static inline struct tw_rule tw_rules__row(const struct tw_rules *rules, unsigned int i)
{
	if (i < rules->n)
		return rules->rules[i];
	return (struct tw_rule){ .action = rules->default_action, .arg = rules->default_arg };
}

/** tw_rules__rows() - rows of counters: rule i has row i, the default row n, enum tw_count c row n + 1 + c */
static inline unsigned int tw_rules__rows(const struct tw_rules *rules)
{
	return rules->n + 1 + TW_COUNT_MORE;
}

#endif
