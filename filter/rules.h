/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A classifier: a list of rules for frames on an interface. A rule is an expression and an action. For each event, the first rule whose
 * expression matches decides. A classifier is compiled to eBPF (filter/bpf/) or to keys of tc's u32 (filter/u32.h).
 *
 * The following describes eBPF programs in the kernel. eBPF programs on a NIC, and u32, evaluate only frames with one event; all other
 * frames pass. u32 ignores the records after an event, so its action `drop` also drops frames with a record that must arrive (see below).
 *
 * In a frame with one event
 * - `pass`, `mark` and `redirect` apply to the frame;
 * - `drop` drops the frame; but if the frame has another record that must arrive, such as WATERMARK or LOST, `drop` only changes the type
 * of the event to FILTERED.
 *
 * In a packed frame
 * - each event whose rule has the action `drop` is changed to FILTERED in place, and keeps its number;
 * - if an event remains, the action of the first remaining event's rule applies to the whole frame;
 * - if no event remains, the frame is dropped, unless it has another record that must arrive.
 *
 * Frames without a whole event pass and are counted, whatever the rules are. These are control frames, frames with only LOST or WATERMARK,
 * and frames with a PART of an event. In tc, control frames are also copied to each interface that a rule or the default action redirects
 * to, because receivers there need them to decode events. Frames of another schema match no rule; they pass and are counted. Malformed
 * frames pass and are counted, too. If a frame is malformed only after some events, these events are evaluated and filtered, and the frame
 * passes.
 */
#ifndef TW_RULES_H
#define TW_RULES_H

#include "filter/filter.h"

#define TW_RULES_MAX 32

enum tw_action {
	TW_ACTION_PASS,
	TW_ACTION_DROP,
	TW_ACTION_MARK,     /* skb->mark = arg; not in XDP, where packets have no mark */
	TW_ACTION_REDIRECT, /* send to the interface with index arg */
};

struct tw_rule {
	struct tw_bound *bound; /* the expression; all rules of a classifier are bound to the same schema */
	uint8_t action;         /* enum tw_action */
	uint32_t arg;           /* MARK: the mark; REDIRECT: an interface index */
};

struct tw_rules {
	const struct tw_rule *rules;
	unsigned int n;         /* at most TW_RULES_MAX */
	uint8_t default_action; /* for events that match no rule; enum tw_action */
	uint32_t default_arg;
	uint64_t schema_id; /* frames of other schemas match no rule; 0 = accept any schema */
	bool big_endian; /* byte order of the event bodies; a frame with the other byte order counts as a frame of another schema */
};

/*
 * Counters that belong neither to a rule nor to the default action. For each stream and channel there are rows of counters: one for each
 * rule, one for the default action, and one for each member of this enum. The row of a rule counts the events that matched the rule, and
 * the frames with at least one such event.
 */
enum tw_count {
	/*
	 * Control frames, and frames with neither an event nor a PART. On a NIC, also frames with a PART that is not the last PART of its
	 * event. Counts no events.
	 */
	TW_COUNT_CONTROL,
	TW_COUNT_PART,         /* frames with a PART of an event, which are never dropped; counts no events */
	TW_COUNT_OTHER_SCHEMA, /* frames of another schema; they pass; the number of events is taken from their headers */
	/*
	 * Frames that pass because the classifier cannot read or change them: truncated or malformed frames, frames of another version, and
	 * packets with several datagrams (GSO). In XDP, also frames in UDP over IPv6 if an event must be changed to FILTERED and the
	 * datagram has a checksum. In this case, the events that must be changed are counted, too; in all other cases, no events are
	 * counted. On a NIC, also frames that use event numbers and do not consist of exactly one EVENT.
	 */
	TW_COUNT_UNREADABLE,
	TW_COUNT_DROPPED, /* dropped frames and the events in them; events that were FILTERED before do not count */
	TW_COUNT_FILTERED, /* events that were changed to FILTERED, and frames with such an event that were not dropped */
	TW_COUNT_MORE,     /* number of counters in this enum */
};

/* A row of counters in the BPF maps, in host byte order. The maps of counters are per CPU, except on a NIC. */
struct tw_counter {
	uint64_t frames, events;
};

/* The key of the counters' map. */
struct tw_counter_key {
	uint64_t stream_id; /* host byte order */
	uint16_t channel;
	uint16_t reserved[3];
};

/** tw_rules__row() - Return: rule @i; if @i is rules->n, the default action as a rule without an expression */
static inline struct tw_rule tw_rules__row(const struct tw_rules *rules, unsigned int i)
{
	if (i < rules->n)
		return rules->rules[i];
	return (struct tw_rule){ .action = rules->default_action, .arg = rules->default_arg };
}

/** tw_rules__rows() - Return: number of rows: row i for rule i, row n for the default action, row n + 1 + c for enum tw_count c */
static inline unsigned int tw_rules__rows(const struct tw_rules *rules)
{
	return rules->n + 1 + TW_COUNT_MORE;
}

#endif
