/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A classifier: rules in order, each an expression and an action, applied to frames on an interface. The first rule that matches an
 * event decides. It is compiled to eBPF (filter/bpf/) or to keys of tc's u32 (filter/u32.h).
 *
 * For a frame of one event
 * - pass, mark, redirect apply to the frame;
 * - drop drops it, unless it has another record that must arrive (WATERMARK, LOST): then its event becomes FILTERED.
 *
 * For a packed frame
 * - each event whose rule says drop becomes FILTERED in place and keeps its number; if no event is left and nothing else must arrive,
 * the frame is dropped;
 * - otherwise the rule of the first event that is left decides: mark and redirect apply to the whole frame.
 *
 * Frames without events pass whatever the rules say, and are counted: control frames, LOST, WATERMARK, PARTs of an event. With redirect
 * (in tc) control frames are sent to both interfaces, because receivers after it could not decode events without them. Frames of another
 * schema match nothing, pass, and are counted. So do malformed frames; if only the rest of a frame is malformed, the events before it
 * are evaluated and filtered, and the frame passes.
 */
#ifndef TW_RULES_H
#define TW_RULES_H

#include "filter/filter.h"

#define TW_RULES_MAX 32

enum tw_action {
	TW_ACTION_PASS,
	TW_ACTION_DROP,
	TW_ACTION_MARK,     /* skb->mark = arg; not in XDP, which has no mark */
	TW_ACTION_REDIRECT, /* to the interface with index arg */
};

struct tw_rule {
	struct tw_bound *bound; /* all are bound to the same schema */
	uint8_t action;         /* enum tw_action */
	uint32_t arg;
};

struct tw_rules {
	const struct tw_rule *rules;
	unsigned int n;         /* at most TW_RULES_MAX */
	uint8_t default_action; /* for events that match no rule; enum tw_action */
	uint32_t default_arg;
	uint64_t schema_id; /* frames of another schema match nothing; 0 = any */
	bool big_endian;    /* byte order of the event bodies; frames with the other byte order are of another schema */
};

/*
 * The counters, for each stream and channel. One row for each rule, one for the default, then these. A row counts frames and events: in
 * packed frames the events that matched the rule, and the frames with at least one of them.
 */
enum tw_count {
	TW_COUNT_CONTROL,      /* control frames, and frames without an event; no events */
	TW_COUNT_PART,         /* frames with a piece of an event that is larger than a frame: passed; no events */
	TW_COUNT_OTHER_SCHEMA, /* passed: other schema, no rule applies; events according to their headers */
	TW_COUNT_UNREADABLE, /* passed: truncated, impossible lengths, or unchangeable at this hook (UDP over IPv6 in XDP) */
	TW_COUNT_DROPPED,  /* dropped frames, with their events; FILTERED ones are not counted */
	TW_COUNT_FILTERED, /* events that became FILTERED in place, and passed frames with one */
	TW_COUNT_MORE,     /* number of these counters */
};

/* A row of counters in the maps, host byte order; per CPU if possible. */
struct tw_counter {
	uint64_t frames, events;
};

/* The key of the counters' map. */
struct tw_counter_key {
	uint64_t stream_id; /* host byte order */
	uint16_t channel;
	uint16_t reserved[3];
};

/** tw_rules__row() - rule i; i = n is the default, without an expression */
static inline struct tw_rule tw_rules__row(const struct tw_rules *rules, unsigned int i)
{
	if (i < rules->n)
		return rules->rules[i];
	return (struct tw_rule){ .action = rules->default_action, .arg = rules->default_arg };
}

/** tw_rules__rows() - number of rows: rule i has row i, the default row n, enum tw_count c row n + 1 + c */
static inline unsigned int tw_rules__rows(const struct tw_rules *rules)
{
	return rules->n + 1 + TW_COUNT_MORE;
}

#endif
