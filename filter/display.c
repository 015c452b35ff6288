/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter consists of the texts of the groups of events, joined with `||`. The text of a group names the events of the group. It need
 * not name them if the group's tree is true only if a certain field is present, because the name of a field includes the name of its event.
 */
#include "filter/display.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/line.h"
#include "filter/compare.h"
#include "filter/describe.h"
#include "filter/expression.h"
#include "filter/glob.h"
#include "filter/tree.h"
#include "schema/field.h"

#define TW_DISPLAY_FALSE "!frame" /* in Wireshark every packet is a frame */

/*
 * Wireshark 4 compares like the filter language: a comparison with a missing field is false; if a field has several values, == requires
 * that one value is equal, and != requires that all values differ. Display filters cannot express the smallest number of a signed type, a
 * mask that includes the sign of a signed type, or a mask of a boolean. Where possible, a comparison with one of these is replaced by
 * another comparison with the same result.
 */

/* The context for writing a test. */
struct writing {
	struct tw_line *line;
	const struct tw_test *test;
	char name[TW_FIELD_NAME_MAX];
};

static void put(const struct writing *w, const char *text)
{
	tw_line__str(w->line, text);
}

/*
 * Append a text that is true if the field is present (@is_true), or that is never true. Functions that append a test return whether the
 * text needs parentheses in a larger expression.
 */
static bool put_certain(const struct writing *w, bool is_true)
{
	put(w, is_true ? w->name : TW_DISPLAY_FALSE);
	return false;
}

static void put_op(const struct writing *w, uint8_t op)
{
	tw_line__char(w->line, ' ');
	put(w, tw_test_op__text(op));
	tw_line__char(w->line, ' ');
}

static void put_hex(struct tw_line *line, uint8_t c)
{
	tw_line__str(line, "\\x");
	tw_line__hex_byte(line, c);
}

/* Whether a text can be written as a raw string, between r" and ", where no character is special. */
static bool can_be_raw(const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '"' || text[i] < ' ' || text[i] == 0x7f)
			return false;
	return !len || text[len - 1] != '\\';
}

static void put_regex(struct tw_line *line, const void *pattern, size_t len)
{
	if (!memchr(pattern, '\\', len) || !can_be_raw(pattern, len)) {
		tw_line__quoted(line, pattern, len, false);
		return;
	}
	tw_line__str(line, "r\"");
	tw_line__bytes(line, pattern, len);
	tw_line__char(line, '"');
}

static void put_literal(struct tw_line *line, uint8_t c)
{
	if (isalnum(c) || (c && strchr("_-/:,<>=@%&; ", c)))
		tw_line__char(line, (char)c);
	else
		put_hex(line, c);
}

static bool is_in_class(const uint8_t *at, size_t len, unsigned int c)
{
	const uint8_t byte = (uint8_t)c;

	return tw_glob__matches(at, len, &byte, 1);
}

/*
 * Append a character class as ranges of the bytes that it matches, written \xNN, because globs and regular expressions have different
 * special characters. NUL is left out, because a text has none.
 */
static void put_class(struct tw_line *line, const uint8_t *at, size_t len)
{
	bool any = false;

	tw_line__char(line, '[');
	for (unsigned int from = 1, to; from < 256; from = to + 1) {
		to = from;
		if (!is_in_class(at, len, from))
			continue;
		while (to < 255 && is_in_class(at, len, to + 1))
			to++;
		any = true;
		put_hex(line, (uint8_t)from);
		if (to == from)
			continue;
		tw_line__char(line, '-');
		put_hex(line, (uint8_t)to);
	}
	tw_line__str(line, any ? "]" : "^\\x00-\\xff]");
}

static void put_element(struct tw_line *line, const uint8_t *at, size_t len)
{
	if (*at == '*')
		tw_line__str(line, ".*");
	else if (*at == '?')
		tw_line__char(line, '.');
	else if (*at == '[' && len > 1)
		put_class(line, at, len);
	else
		put_literal(line, at[len - 1]);
}

static void put_glob(struct tw_line *line, const uint8_t *pattern, size_t len)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(pattern, len);
	size_t step;

	tw_line__str(line, glob.leading ? "r\"(?s-i)" : "r\"(?s-i)^");
	for (size_t i = 0; i < glob.body_len; i += step) {
		step = tw_glob__element(glob.body + i, glob.body_len - i);
		put_element(line, glob.body + i, step);
	}
	tw_line__str(line, glob.trailing ? "\"" : "\\z\"");
}

static bool is_truth(const struct tw_test *test)
{
	return test->field && (test->field->kind == TW_FIELD_BOOL ||
			       (tw_test__is_array(test) && test->field->elem_kind == TW_FIELD_BOOL));
}

/* Whether Wireshark shows the operand as a signed number. */
static bool has_sign(const struct tw_test *test)
{
	if (!test->field)
		return test->operand == TW_ON_PID;
	return test->field->is_signed && test->field->elem_kind != TW_FIELD_POINTER &&
	       test->field->elem_kind != TW_FIELD_BOOL;
}

uint64_t tw_display__sign_bit(const struct tw_test *test)
{
	const unsigned int size = test->operand == TW_ON_PID ? 4 : test->field ? test->field->elem_size : 0;

	return has_sign(test) ? 1ull << (8 * size - 1) : 0;
}

static void put_number(const struct writing *w, uint64_t value)
{
	if (has_sign(w->test)) {
		tw_line__i64(w->line, (int64_t)value);
	} else if (w->test->field && w->test->field->elem_kind == TW_FIELD_POINTER) {
		put(w, "0x");
		tw_line__hex(w->line, value);
	} else {
		tw_line__u64(w->line, value);
	}
}

static void put_comparison(const struct writing *w, uint8_t op, uint64_t value)
{
	put(w, w->name);
	put_op(w, op);
	put_number(w, value);
}

/* Append a test of a boolean, from the test's results for 0 and 1. Wireshark shows any other value as 1; kernels write no other value. */
static bool put_truth(const struct writing *w)
{
	const struct tw_range range = tw_range__of(w->test, 1);
	const bool no = tw_range__fits(&range, 0), yes = tw_range__fits(&range, 1);

	if (no == yes)
		return put_certain(w, yes);
	put(w, w->name);
	put(w, w->test->op == TW_TEST_NE ? " != " : " == ");
	tw_line__char(w->line, (w->test->op == TW_TEST_NE) == yes ? '0' : '1');
	return false;
}

/* Append a comparison with @least, the smallest number of its type. Display filters cannot write @least, so the text has another number. */
static bool put_least(const struct writing *w, uint64_t least)
{
	switch (w->test->op) {
	case TW_TEST_EQ:
	case TW_TEST_LE:
		put_comparison(w, TW_TEST_LT, least + 1);
		return false;
	case TW_TEST_NE:
	case TW_TEST_GT:
		put_comparison(w, TW_TEST_GE, least + 1);
		return false;
	case TW_TEST_WITHIN:
		if (w->test->high == least)
			put_comparison(w, TW_TEST_LT, least + 1);
		else
			put_comparison(w, TW_TEST_LE, w->test->high);
		return false;
	default:
		return put_certain(w, w->test->op == TW_TEST_GE);
	}
}

static void put_masked(const struct writing *w, uint64_t mask)
{
	const struct tw_test *test = w->test;

	put(w, w->name);
	put(w, " & ");
	put_number(w, mask);
	if (test->op == TW_TEST_NE && !(test->low & mask) && !tw_test__is_array(test))
		return;
	if (test->op == TW_TEST_WITHIN)
		put(w, " in {");
	else
		put_op(w, test->op);
	put_number(w, test->op == TW_TEST_EQ || test->op == TW_TEST_NE ? test->low & mask : test->low);
}

/* Append a comparison with a mask that includes the sign. The sign is tested by a comparison with 0. */
static bool put_masked_sign(const struct writing *w, uint64_t sign)
{
	const struct tw_test *test = w->test;
	const bool wants = (test->low & sign) != 0, is_equal = test->op == TW_TEST_EQ;

	if (test->mask & ~sign) {
		put_masked(w, test->mask & (sign - 1));
		put(w, is_equal ? " && " : " || ");
	}
	put_comparison(w, wants == is_equal ? TW_TEST_LT : TW_TEST_GE, 0);
	return (test->mask & ~sign) != 0;
}

/* Return: the result of a masked comparison, 1 or 0, if it is the same for all numbers; otherwise -1. */
static int order_is_certain(const struct tw_test *test)
{
	switch (test->op) {
	case TW_TEST_LT:
		return test->low > test->mask ? 1 : -1;
	case TW_TEST_LE:
		return test->low >= test->mask ? 1 : -1;
	case TW_TEST_GT:
		return test->low >= test->mask ? 0 : -1;
	case TW_TEST_EQ:
	case TW_TEST_NE:
		return test->low & ~test->mask ? test->op == TW_TEST_NE : -1;
	default:
		return test->low > test->mask ? 0 : -1;
	}
}

static bool put_mask(const struct writing *w)
{
	const struct tw_test *test = w->test;
	const uint64_t sign = tw_display__sign_bit(test);
	const int certain = order_is_certain(test);

	if (certain >= 0)
		return put_certain(w, certain);
	if (test->mask & sign)
		return put_masked_sign(w, sign);
	put_masked(w, test->mask);
	if (test->op == TW_TEST_WITHIN) {
		put(w, "..");
		put_number(w, test->high < test->mask ? test->high : test->mask);
		put(w, "}");
	}
	return false;
}

static bool put_range(const struct writing *w)
{
	put(w, w->name);
	put(w, " in {");
	put_number(w, w->test->low);
	put(w, "..");
	put_number(w, w->test->high);
	put(w, "}");
	return false;
}

static bool write_number(const struct writing *w)
{
	const struct tw_test *test = w->test;
	const uint64_t sign = tw_display__sign_bit(test);

	if (is_truth(test))
		return put_truth(w);
	if (test->has_mask)
		return put_mask(w);
	if (sign && test->low == -sign)
		return put_least(w, test->low);
	if (test->op == TW_TEST_WITHIN)
		return put_range(w);
	put_comparison(w, test->op, test->low);
	return false;
}

static void name_of(const struct tw_format *format, const struct tw_test *test, char *ret)
{
	const char *parts[4] = { NULL };

	if (test->operand == TW_ON_FIELD) {
		parts[0] = format->system;
		parts[1] = format->name;
		parts[2] = test->field->name;
	} else {
		parts[0] = tw_operand__info(test->operand)->name;
	}
	tw_field_name__join(parts, ret);
}

static void put_address(struct tw_line *line, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (i && (len == 4 || i % 2 == 0))
			tw_line__char(line, len == 4 ? '.' : ':');
		if (len == 4)
			tw_line__u64(line, bytes[i]);
		else if (i % 2 == 0)
			tw_line__hex(line, (uint64_t)bytes[i] << 8 | bytes[i + 1]);
	}
}

static void put_value(const struct writing *w, uint64_t number, const uint8_t *bytes, size_t len)
{
	const struct tw_test *test = w->test;

	if (test->operand == TW_ON_TIME) {
		tw_line__seconds(w->line, number);
	} else if (test->compared == TW_AS_TEXT) {
		tw_line__quoted(w->line, bytes, len, false);
	} else if (tw_field__address(test->field) != TW_ADDRESS_NONE && len == test->field->size) {
		put_address(w->line, bytes, len);
	} else {
		/* A single byte has a colon before it, so that Wireshark does not read it as a name. */
		put(w, len == 1 ? ":" : "");
		tw_line__hex_bytes(w->line, bytes, len);
	}
}

/*
 * Append a test that the field is inside or outside of a range. The field must not be an array, because Wireshark could compare the two
 * ends of the range with different elements.
 */
static bool put_between(const struct writing *w, bool inside, const uint8_t *low, size_t low_len, const uint8_t *high,
			size_t high_len)
{
	put(w, w->name);
	put(w, inside ? " >= " : " < ");
	put_value(w, w->test->low, low, low_len);
	put(w, inside ? " && " : " || ");
	put(w, w->name);
	put(w, inside ? " <= " : " > ");
	put_value(w, w->test->high, high, high_len);
	return true;
}

/* Append a comparison of leading bits, as a range: Wireshark accepts /PREFIX only for IP addresses. */
static bool put_prefix(const struct writing *w)
{
	const struct tw_test *test = w->test;
	uint8_t low[16], high[16];

	for (unsigned int i = 0; i < test->len && i < sizeof(low); i++) {
		const uint8_t mask = tw_prefix__mask(test->prefix, i);

		low[i] = test->bytes[i] & mask;
		high[i] = (uint8_t)(test->bytes[i] | ~mask);
	}
	return put_between(w, test->op == TW_TEST_EQ, low, test->len, high, test->len);
}

static bool write_value(const struct writing *w)
{
	const struct tw_test *test = w->test;
	const bool is_address = test->compared == TW_AS_BYTES && tw_field__address(test->field) != TW_ADDRESS_NONE;

	if (test->op == TW_TEST_WITHIN)
		return put_between(w, true, test->bytes, test->len, test->high_bytes, test->high_len);
	if (test->prefix && !is_address)
		return put_prefix(w);
	put(w, w->name);
	put_op(w, test->op);
	put_value(w, test->low, test->bytes, test->len);
	if (test->prefix) {
		tw_line__char(w->line, '/');
		tw_line__u64(w->line, test->prefix);
	}
	return false;
}

static bool write_pattern(const struct writing *w)
{
	const struct tw_test *test = w->test;
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);

	if (test->op == TW_TEST_GLOB && glob.plain && glob.leading == glob.trailing) {
		if (!glob.body_len && test->len)
			return put_certain(w, true);
		put(w, w->name);
		put(w, glob.leading ? " contains " : " == ");
		tw_line__quoted(w->line, glob.body, glob.body_len, false);
		return false;
	}
	put(w, w->name);
	put(w, " matches ");
	if (test->op == TW_TEST_MATCHES)
		put_regex(w->line, test->bytes, test->len);
	else
		put_glob(w->line, test->bytes, test->len);
	return false;
}

/*
 * Append a test that the back end does not refuse (filter/capability.h).
 * @format: the event's format
 * Return: whether the text needs parentheses in a larger expression.
 */
static bool display__test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line)
{
	struct writing w = { .line = line, .test = test };

	name_of(format, test, w.name);
	if (test->op == TW_TEST_EXISTS || (test->op == TW_TEST_CONTAINS && !test->len))
		return put_certain(&w, true);
	if (test->op == TW_TEST_MATCHES || test->op == TW_TEST_GLOB)
		return write_pattern(&w);
	if (test->compared == TW_AS_NUMBER && test->operand != TW_ON_TIME)
		return write_number(&w);
	return write_value(&w);
}

/* The outermost operator of a text. */
enum joint {
	JOINT_NOTHING, /* the text is empty */
	JOINT_ATOM,    /* no operator */
	JOINT_AND,
	JOINT_OR,
};

/*
 * How an event is named: by its system, if the system has several events and all of them are chosen; by its name, if all events of that
 * name are chosen; otherwise by both.
 */
enum written { BY_SYSTEM, BY_NAME, BY_BOTH };

/* An event of the schema. The arrays are indexed by BY_SYSTEM and BY_NAME. */
struct event_entry {
	const char *text[2];        /* the event's system and name */
	uint32_t same[2];           /* index of the first event with the same text */
	uint32_t n[2];              /* in the first event with a text: number of events with the text */
	uint32_t chosen[2];         /* in the first event with a text: number of chosen events with the text */
	bool is_chosen, is_written; /* choose() has chosen the event; list() has listed its text */
};

struct events {
	const struct tw_groups *groups;
	uint32_t n;
	struct event_entry *entries;
	uint32_t *list;  /* result of list(): indexes of events */
	uint32_t *slots; /* hash table of a text: index of the first event with the text + 1; 0 = free */
	uint32_t n_slots;
};

/* Return: index of the first event that has the same system (or name) as event @at; @by: BY_SYSTEM or BY_NAME. */
static uint32_t intern(struct events *events, unsigned int by, uint32_t at)
{
	const char *text = events->entries[at].text[by];
	uint32_t hash = 2166136261u, i;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	for (i = hash & (events->n_slots - 1); events->slots[i]; i = (i + 1) & (events->n_slots - 1))
		if (!strcmp(events->entries[events->slots[i] - 1].text[by], text))
			return events->slots[i] - 1;
	events->slots[i] = at + 1;
	return at;
}

static void find_shared(struct events *events, unsigned int by)
{
	memset(events->slots, 0, events->n_slots * sizeof(*events->slots));
	for (uint32_t i = 0; i < events->n; i++) {
		events->entries[i].same[by] = intern(events, by, i);
		events->entries[events->entries[i].same[by]].n[by]++;
	}
}

/* Return: 0 or -ENOMEM; the caller frees the arrays in either case. */
static int events__init(struct events *events, const struct tw_groups *groups)
{
	*events = (struct events){ .groups = groups, .n = (uint32_t)groups->bound->n_events, .n_slots = 16 };
	while (events->n_slots < 2 * events->n)
		events->n_slots *= 2;
	events->entries = calloc(events->n + 1, sizeof(*events->entries));
	events->list = calloc(events->n + 1, sizeof(*events->list));
	events->slots = calloc(events->n_slots, sizeof(*events->slots));
	if (!events->entries || !events->list || !events->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < events->n; i++) {
		events->entries[i].text[BY_SYSTEM] = groups->bound->events[i].format->system;
		events->entries[i].text[BY_NAME] = groups->bound->events[i].format->name;
	}
	find_shared(events, BY_SYSTEM);
	find_shared(events, BY_NAME);
	return 0;
}

/* Choose the events of a group, or all events of the schema that are not in the group (@others). */
static void choose(struct events *events, uint32_t group, bool others)
{
	for (uint32_t i = 0; i < events->n; i++)
		memset(events->entries[i].chosen, 0, sizeof(events->entries[i].chosen));
	for (uint32_t i = 0; i < events->n; i++) {
		struct event_entry *entry = &events->entries[i];

		entry->is_chosen = (events->groups->group_of[i] == group + 1) != others;
		events->entries[entry->same[BY_SYSTEM]].chosen[BY_SYSTEM] += entry->is_chosen;
		events->entries[entry->same[BY_NAME]].chosen[BY_NAME] += entry->is_chosen;
	}
}

static enum written written_by(const struct events *events, const struct event_entry *entry)
{
	const struct event_entry *system = &events->entries[entry->same[BY_SYSTEM]];
	const struct event_entry *name = &events->entries[entry->same[BY_NAME]];

	if (system->n[BY_SYSTEM] > 1 && system->chosen[BY_SYSTEM] == system->n[BY_SYSTEM])
		return BY_SYSTEM;
	return name->chosen[BY_NAME] == name->n[BY_NAME] ? BY_NAME : BY_BOTH;
}

/*
 * List the chosen events that are named in the way @by: with BY_SYSTEM, one event of each system; with BY_NAME, one event of each name.
 * Return: number of listed events.
 */
static uint32_t list(struct events *events, enum written by)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < events->n; i++)
		events->entries[i].is_written = false;
	for (uint32_t i = 0; i < events->n; i++) {
		struct event_entry *entry = &events->entries[i];

		if (!entry->is_chosen || written_by(events, entry) != by)
			continue;
		if (by != BY_BOTH)
			entry = &events->entries[entry->same[by]];
		if (!entry->is_written)
			events->list[n++] = i;
		entry->is_written = true;
	}
	return n;
}

static void put_text(const struct events *events, uint32_t i, enum written by, struct tw_line *line)
{
	const char *text = events->entries[events->list[i]].text[by];

	tw_line__quoted(line, text, strlen(text), false);
}

/* Append `key == "a"` or `key in {"a", "b"}`, preceded by ` || ` if @goes_on. Return: false if there was nothing to append */
static bool put_set(struct events *events, enum written by, const char *key, bool goes_on, struct tw_line *line)
{
	const uint32_t n = list(events, by);

	if (!n)
		return false;
	tw_line__str(line, goes_on ? " || " : "");
	tw_line__str(line, key);
	tw_line__str(line, n == 1 ? " == " : " in {");
	for (uint32_t i = 0; i < n; i++) {
		tw_line__str(line, i ? ", " : "");
		put_text(events, i, by, line);
	}
	tw_line__str(line, n == 1 ? "" : "}");
	return true;
}

/* Append a text that is true only for the events of a group, or only for the other events of the schema (@others). */
static enum joint put_set_of_events(struct events *events, uint32_t group, bool others, struct tw_line *line)
{
	uint32_t sets, pairs;

	choose(events, group, others);
	sets = put_set(events, BY_SYSTEM, "trace.system", false, line);
	sets += put_set(events, BY_NAME, "trace.event", sets, line);
	pairs = list(events, BY_BOTH);
	for (uint32_t i = 0; i < pairs; i++) {
		tw_line__str(line, sets + i ? " || " : "");
		tw_line__str(line, sets + pairs > 1 ? "(trace.system == " : "trace.system == ");
		put_text(events, i, BY_SYSTEM, line);
		tw_line__str(line, " && trace.event == ");
		put_text(events, i, BY_NAME, line);
		tw_line__str(line, sets + pairs > 1 ? ")" : "");
	}
	if (sets + pairs > 1)
		return JOINT_OR;
	return pairs ? JOINT_AND : sets ? JOINT_ATOM : JOINT_NOTHING;
}

/* Whether a tree can be true only if an operand is present; with @wants_field, only if a field of an event is present. */
static bool tells(const struct tw_node *root, bool wants_field)
{
	const struct tw_node *node = root;

	for (;;) {
		bool is;

		while (node->first)
			node = node->first;
		is = node->kind == TW_NODE_TEST && !node->negated &&
		     (!wants_field || node->test->operand == TW_ON_FIELD);
		/* In an AND, one child with this property is sufficient; in an OR, all children must have it. */
		while (node != root && (!node->next || is == (node->parent->kind == TW_NODE_AND)))
			node = node->parent;
		if (node == root)
			return is;
		node = node->next;
	}
}

/*
 * Append a text that is true for the events of the group, and false for all other events of the schema. If the group has unknown ids, the
 * text is also true for events with such ids.
 */
static enum joint put_all_but(struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &events->groups->groups[i];
	const bool is_reported = group->has_unknown && tells(group->root, false);
	const bool has_others = tw_group__knows(group) < events->n;

	if (!is_reported)
		tw_line__str(line, group->has_unknown ? "trace.event_id" : "trace.event");
	if (!has_others)
		return is_reported ? JOINT_NOTHING : JOINT_ATOM;
	tw_line__str(line, is_reported ? "!(" : " && !(");
	put_set_of_events(events, i, true, line);
	tw_line__char(line, ')');
	return is_reported ? JOINT_ATOM : JOINT_AND;
}

/*
 * Append a condition that is true only for the events of a group. Append nothing if the group's tree implies this condition. If the group
 * has unknown ids, or most of the events, the condition lists the events that are not in the group.
 */
static enum joint put_events(struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_group *group = &events->groups->groups[i];
	const size_t n = tw_group__knows(group), n_known = events->n;

	if (tells(group->root, true))
		return JOINT_NOTHING;
	if (group->has_unknown || n == n_known || (n > 16 && n > n_known / 2))
		return put_all_but(events, i, line);
	return put_set_of_events(events, i, false, line);
}

static void put_group(struct events *events, uint32_t i, struct tw_line *line)
{
	const struct tw_groups *g = events->groups;
	const struct tw_group *group = &g->groups[i];
	char *const begin = line->at;
	enum joint joint = put_events(events, i, line);
	char *text;

	if (joint == JOINT_OR && group->len)
		tw_line__wrap(line, begin, "(");
	if (joint != JOINT_NOTHING && group->len)
		tw_line__str(line, " && ");
	text = line->at;
	tw_line__bytes(line, g->pool + group->at, group->len);
	if (joint != JOINT_NOTHING && group->is_joint)
		tw_line__wrap(line, text, "(");
	if (group->len)
		joint = joint != JOINT_NOTHING || group->is_joint || group->is_and ? JOINT_AND : JOINT_ATOM;
	if (joint == JOINT_AND && g->n > 1)
		tw_line__wrap(line, begin, "(");
}

int tw_display__emit(const struct tw_bound *bound, struct tw_line *line, struct tw_error *error)
{
	static const struct tw_expression_style style = {
		.and_text = " && ",
		.or_text = " || ",
		.not_text = "!",
		.nests_ands = true,
		.test = display__test,
	};
	const size_t room = (size_t)(line->end - line->at);
	struct events events = { 0 };
	struct tw_groups groups;
	int err = tw_groups__make(bound, &style, TW_BACK_END_DISPLAY, room, &groups, error);

	if (!err && events__init(&events, &groups))
		err = tw_error__set(error, -ENOMEM, "display: out of memory for the names of events");
	for (uint32_t i = 0; i < groups.n && !err && !line->cut; i++) {
		tw_line__str(line, i ? " || " : "");
		put_group(&events, i, line);
	}
	if (!err && !groups.n)
		tw_line__str(line, TW_DISPLAY_FALSE);
	if (!err && line->cut)
		err = tw_error__set(
			error, -E2BIG,
			"the expression is too long for the back end display: its translation needs more than %zu bytes",
			room);
	free(events.slots);
	free(events.list);
	free(events.entries);
	tw_groups__fini(&groups);
	return err;
}
