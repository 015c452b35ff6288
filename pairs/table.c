/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "pairs/shipped.h"
#include "schema/text_cursor.h"

/* A text that was read. The strings of its pairs point into it: each word ends with a NUL, which replaces the character after the word. */
struct text {
	struct text *next;
	char *source; /* at the end of @bytes; NULL = none */
	char bytes[];
};

struct tw_pair_table {
	struct text *texts;
	struct tw_pair *pairs;
	size_t n;
};

/* State while a text is read. */
struct parser {
	struct tw_error *error;
	const char *source;
	struct tw_text rest; /* lines that are not read yet */
	struct tw_text line; /* rest of the current line */
	const char *line_begin;
	unsigned int number; /* of the line, from 1 */
	struct tw_pair *pairs;
	size_t n;
};

const char *tw_pair_unit__name(enum tw_pair_unit unit)
{
	static const char *const names[] = { [TW_PAIR_NS] = "ns",
					     [TW_PAIR_US] = "us",
					     [TW_PAIR_MS] = "ms",
					     [TW_PAIR_BYTES] = "bytes",
					     [TW_PAIR_NUMBER] = "number" };

	return names[unit];
}

/* Whether an event of @pair with this role exists. @ret: if none exists, gets a missing one */
static bool has_role(const struct tw_pair *pair, enum tw_pair_role role, const bool *is_missing,
		     const struct tw_pair_event **ret)
{
	for (size_t i = 0; i < pair->n_events; i++) {
		if (pair->events[i].role != role)
			continue;
		if (!is_missing[i])
			return true;
		*ret = &pair->events[i];
	}
	return false;
}

const struct tw_pair_event *tw_pair__lacks(const struct tw_pair *pair, const bool *is_missing)
{
	const struct tw_pair_event *missing = NULL;

	if (tw_pair__has_values(pair))
		return has_role(pair, TW_PAIR_VALUE, is_missing, &missing) ? NULL : missing;
	if (has_role(pair, TW_PAIR_BEGIN, is_missing, &missing) && has_role(pair, TW_PAIR_END, is_missing, &missing))
		return NULL;
	return missing;
}

bool tw_pair_event__is_line(const struct tw_pair_event *event)
{
	return !strcmp(event->event, "print") && (!event->system || !strcmp(event->system, "ftrace"));
}

struct tw_pair_table *tw_pair_table__new(void)
{
	return calloc(1, sizeof(struct tw_pair_table));
}

void tw_pair_table__free(struct tw_pair_table *table)
{
	if (!table)
		return;
	while (table->texts) {
		struct text *text = table->texts;

		table->texts = text->next;
		free(text);
	}
	free(table->pairs);
	free(table);
}

const char *tw_pair_place__format(const char *source, unsigned int line, unsigned int column,
				  char ret[TW_PAIR_PLACE_MAX])
{
	if (source)
		snprintf(ret, TW_PAIR_PLACE_MAX, "%s:%u:%u: ", source, line, column);
	return ret;
}

/* The name of the text, for messages about all of it. */
static const char *name_of(const struct parser *p)
{
	return p->source ? p->source : "the arguments";
}

static unsigned int column_of(const struct parser *p, const char *at)
{
	return (unsigned int)(at - p->line_begin) + 1;
}

#define FAIL_AT(p, line, at, err, fmt, ...) \
	tw_error__set((p)->error, err, "%s" fmt, TW_PAIR_PLACE((p)->source, line, column_of(p, at)), ##__VA_ARGS__)
#define FAIL(p, at, fmt, ...) FAIL_AT(p, (p)->number, at, -EINVAL, fmt, ##__VA_ARGS__)

/* Cuts the next word of the line, up to white space, and terminates it. Return: NULL at the end of the line */
static const char *next_word(struct parser *p)
{
	struct tw_text rest = tw_text__ltrim(p->line);
	const char *word = rest.at;

	while (rest.len && !tw_text__is_space(*rest.at))
		tw_text__cut(&rest, 1);
	if (rest.at == word)
		return NULL;
	*(char *)rest.at = '\0'; /* white space, or the byte after the text */
	if (rest.len)
		tw_text__cut(&rest, 1);
	p->line = rest;
	return word;
}

/* Cuts the rest of the line, without white space at its ends, and terminates it. It may be empty. */
static const char *rest_of_line(struct parser *p)
{
	const struct tw_text rest = tw_text__trim(p->line);

	p->line = (struct tw_text){ rest.at + rest.len, 0 };
	*(char *)p->line.at = '\0';
	return rest.at;
}

static bool is_name(const char *word)
{
	if (!*word)
		return false;
	for (; *word; word++) {
		if ((*word < 'a' || *word > 'z') && (*word < 'A' || *word > 'Z') && (*word < '0' || *word > '9') &&
		    *word != '_' && *word != '-')
			return false;
	}
	return true;
}

/* Names of pairs may have the form SYSTEM:EVENT.FIELD. */
static bool is_pair_name(const char *word)
{
	return *word &&
	       strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:") == strlen(word);
}

/* Splits @list at its commas. Return: 0; -EINVAL or -E2BIG */
static int parse_names(struct parser *p, const char *list, const char **ret, size_t *ret_n)
{
	char *at = (char *)list;

	for (*ret_n = 0; at; (*ret_n)++) {
		char *comma = strchr(at, ',');

		if (*ret_n == TW_PAIR_KEYS_MAX)
			return FAIL_AT(p, p->number, at, -E2BIG, "more than %d names", TW_PAIR_KEYS_MAX);
		if (comma)
			*comma = '\0';
		if (!is_name(at))
			return FAIL(p, at, "'%s' is not the name of a field", at);
		ret[*ret_n] = at;
		at = comma ? comma + 1 : NULL;
	}
	return 0;
}

static int end_line(struct parser *p)
{
	const char *more = next_word(p);

	return more ? FAIL(p, more, "'%s' is not expected: nothing may follow here", more) : 0;
}

static struct tw_pair *current(struct parser *p)
{
	return &p->pairs[p->n - 1];
}

/* Reads SYSTEM:EVENT or EVENT. */
static int parse_event_name(struct parser *p, const char *word, struct tw_pair_event *event)
{
	char *colon = strpbrk(word, ":/");

	if (colon)
		*colon = '\0';
	event->system = colon ? word : NULL;
	event->event = colon ? colon + 1 : word;
	event->line = p->number;
	event->column = column_of(p, word);
	if ((colon && !is_name(word)) || !is_name(event->event))
		return FAIL(p, word, "give an event as SYSTEM:EVENT, for example sched:sched_switch");
	return 0;
}

/* Reads `EVENT [KEY[,KEY]...] [if EXPRESSION]`. */
static int parse_event(struct parser *p, enum tw_pair_role role)
{
	struct tw_pair *pair = current(p);
	struct tw_pair_event *event = &pair->events[pair->n_events];
	const char *word = next_word(p);
	int err;

	if (!word)
		return FAIL(p, p->line.at, "an event is missing, for example sched:sched_switch");
	if (pair->n_events == TW_PAIR_EVENTS_MAX)
		return FAIL_AT(p, p->number, word, -E2BIG, "pair %s has more than %d events", pair->name,
			       TW_PAIR_EVENTS_MAX);
	*event = (struct tw_pair_event){ .role = role };
	err = parse_event_name(p, word, event);
	word = next_word(p);
	if (!err && word && strcmp(word, "if")) {
		err = parse_names(p, word, event->keys, &event->n_keys);
		word = next_word(p);
	}
	if (err)
		return err;
	if (word && strcmp(word, "if"))
		return FAIL(
			p, word,
			"'%s' is not expected: only `if` and an expression may follow; keys are separated by commas without blanks",
			word);
	if (word) {
		event->condition = rest_of_line(p);
		event->condition_column = column_of(p, event->condition);
		if (!*event->condition)
			return FAIL(p, event->condition, "the expression after `if` is missing");
	}
	pair->n_events++;
	return 0;
}

static int parse_begin(struct parser *p)
{
	return parse_event(p, TW_PAIR_BEGIN);
}

static int parse_end(struct parser *p)
{
	return parse_event(p, TW_PAIR_END);
}

static int parse_cancel(struct parser *p)
{
	return parse_event(p, TW_PAIR_CANCEL);
}

static int parse_text(struct parser *p)
{
	current(p)->text = rest_of_line(p);
	return 0;
}

static int parse_by(struct parser *p)
{
	const char *word = next_word(p);
	int err;

	if (!word)
		return FAIL(p, p->line.at, "the name of a field is missing");
	err = parse_names(p, word, current(p)->by, &current(p)->n_by);
	return err ? err : end_line(p);
}

static int parse_value(struct parser *p)
{
	return parse_event(p, TW_PAIR_VALUE);
}

static int parse_unit(struct parser *p)
{
	const char *word = next_word(p);

	for (enum tw_pair_unit unit = TW_PAIR_NS; word && unit <= TW_PAIR_NUMBER; unit++) {
		if (strcmp(word, tw_pair_unit__name(unit)))
			continue;
		current(p)->unit = unit;
		current(p)->has_unit = true;
		return end_line(p);
	}
	return FAIL(p, word ? word : p->line.at, "give a unit: ns, us or ms for times, bytes or number for values");
}

static int parse_again(struct parser *p)
{
	const char *word = next_word(p);

	if (!word || (strcmp(word, "first") && strcmp(word, "last")))
		return FAIL(p, word ? word : p->line.at,
			    "give `first` or `last`: the begin that counts if there are several");
	current(p)->keeps_first = !strcmp(word, "first");
	return end_line(p);
}

/* Checks a pair that has at least one line `value`. */
static int check_values(struct parser *p, unsigned int roles)
{
	struct tw_pair *pair = current(p);

	if (roles != 1u << TW_PAIR_VALUE)
		return tw_error__set(
			p->error, -EINVAL,
			"%spair %s has `value` together with `begin`, `end` or `cancel`: give it only `value`, or no `value`",
			TW_PAIR_PLACE(p->source, pair->line, 1), pair->name);
	if (pair->events[0].n_keys != 1)
		return tw_error__set(p->error, -EINVAL, "%sgive one field, whose value is measured",
				     TW_PAIR_PLACE(p->source, pair->events[0].line, pair->events[0].column));
	if (pair->n_by == TW_PAIR_KEYS_MAX)
		return tw_error__set(p->error, -EINVAL, "%spair %s with values has more than %d fields in `by`",
				     TW_PAIR_PLACE(p->source, pair->line, 1), pair->name, TW_PAIR_KEYS_MAX - 1);
	if (pair->unit == TW_PAIR_NS && !pair->has_unit)
		pair->unit = TW_PAIR_NUMBER;
	return 0;
}

/* Checks the pair whose lines were read. */
static int finish_pair(struct parser *p)
{
	const struct tw_pair *pair = p->n ? current(p) : NULL;
	unsigned int roles = 0;

	for (size_t i = 0; pair && i < pair->n_events; i++) {
		const struct tw_pair_event *event = &pair->events[i];

		roles |= 1u << event->role;
		if (event->n_keys != pair->events[0].n_keys)
			return tw_error__set(
				p->error, -EINVAL,
				"%s%s has %zu keys, but the first event of pair %s has %zu: all events of a "
				"pair need the same number",
				TW_PAIR_PLACE(p->source, event->line, event->column), event->event, event->n_keys,
				pair->name, pair->events[0].n_keys);
	}
	if (pair && roles & 1u << TW_PAIR_VALUE)
		return check_values(p, roles);
	if (pair && (~roles & (1u << TW_PAIR_BEGIN | 1u << TW_PAIR_END)))
		return tw_error__set(p->error, -EINVAL, "%spair %s has no line `%s`",
				     TW_PAIR_PLACE(p->source, pair->line, 1), pair->name,
				     roles & 1u << TW_PAIR_BEGIN ? "end" : "begin");
	return 0;
}

static int parse_pair(struct parser *p)
{
	const char *name = next_word(p);
	struct tw_pair *larger;

	if (!name || !is_pair_name(name))
		return FAIL(p, name ? name : p->line.at, "give the pair a name of letters, digits and - _ . :");
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->pairs[i].name, name))
			return FAIL(p, name, "pair %s is defined in line %u already", name, p->pairs[i].line);
	}
	if (p->n == TW_PAIRS_MAX)
		return FAIL_AT(p, p->number, name, -E2BIG, "more than %d pairs", TW_PAIRS_MAX);
	larger = reallocarray(p->pairs, p->n + 1, sizeof(*larger));
	if (!larger)
		return tw_error__set(p->error, -ENOMEM, "no memory for the pairs of %s", name_of(p));
	p->pairs = larger;
	p->pairs[p->n++] = (struct tw_pair){ .name = name, .text = "", .source = p->source, .line = p->number };
	return end_line(p);
}

static const struct {
	const char *name;
	int (*parse)(struct parser *p);
} keywords[] = {
	{ "text", parse_text },   { "begin", parse_begin }, { "end", parse_end },   { "cancel", parse_cancel },
	{ "value", parse_value }, { "by", parse_by },       { "unit", parse_unit }, { "again", parse_again },
};

static int parse_line(struct parser *p)
{
	const char *word = next_word(p);
	struct tw_nearest nearest;
	int err;

	if (!word || *word == '#')
		return 0;
	if (!strcmp(word, "pair")) {
		err = finish_pair(p);
		return err ? err : parse_pair(p);
	}
	tw_nearest__init(&nearest, word);
	tw_nearest__offer(&nearest, "pair");
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (!strcmp(word, keywords[i].name))
			return p->n ? keywords[i].parse(p)
				    : FAIL(p, word, "'%s' is before the first `pair NAME`", word);
		tw_nearest__offer(&nearest, keywords[i].name);
	}
	return FAIL(p, word, "'%s' is none of pair, text, begin, end, cancel, value, again, by and unit%s%s%s", word,
		    nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "", nearest.best ? "?" : "");
}

static int parse_lines(struct parser *p)
{
	int err = 0;

	while (!err && tw_text__line(&p->rest, &p->line)) {
		p->line_begin = p->line.at;
		p->number++;
		err = parse_line(p);
	}
	return err ? err : finish_pair(p);
}

/* Adds the parsed pairs. Return: 0; -E2BIG, -ENOMEM with @table unchanged */
static int add_pairs(struct tw_pair_table *table, const struct parser *p)
{
	struct tw_pair *larger = reallocarray(table->pairs, table->n + p->n + 1, sizeof(*larger));
	size_t n = table->n;

	if (!larger)
		return tw_error__set(p->error, -ENOMEM, "no memory for the pairs of %s", name_of(p));
	table->pairs = larger;
	for (size_t i = 0; i < p->n; i++)
		n += !tw_pair_table__find(table, p->pairs[i].name, NULL);
	if (n > TW_PAIRS_MAX)
		return tw_error__set(p->error, -E2BIG, "%s: this file and earlier files have more than %d pairs",
				     name_of(p), TW_PAIRS_MAX);
	for (size_t i = 0; i < p->n; i++) {
		struct tw_pair *older = (struct tw_pair *)tw_pair_table__find(table, p->pairs[i].name, NULL);

		*(older ? older : &table->pairs[table->n++]) = p->pairs[i];
	}
	return 0;
}

static struct text *copy_text(const char *text, size_t len, const char *source)
{
	const size_t source_size = source ? strlen(source) + 1 : 0;
	struct text *copy = malloc(sizeof(*copy) + len + 1 + source_size);

	if (!copy)
		return NULL;
	memcpy(copy->bytes, text, len);
	copy->bytes[len] = '\0';
	copy->source = source ? memcpy(copy->bytes + len + 1, source, source_size) : NULL;
	return copy;
}

int tw_pair_table__parse(struct tw_pair_table *table, const char *text, size_t len, const char *source,
			 struct tw_error *error)
{
	struct parser p = { .error = error, .source = source };
	struct text *copy;
	int err;

	if (len > TW_PAIR_TEXT_MAX)
		return tw_error__set(error, -E2BIG, "%s: more than %d bytes", name_of(&p), TW_PAIR_TEXT_MAX);
	if (memchr(text, '\0', len))
		return tw_error__set(error, -EINVAL, "%s: not a text, because there is a NUL byte", name_of(&p));
	copy = copy_text(text, len, source);
	if (!copy)
		return tw_error__set(error, -ENOMEM, "no memory to read %s", name_of(&p));
	p.source = copy->source;
	p.rest = (struct tw_text){ copy->bytes, len };
	err = parse_lines(&p);
	err = err ? err : add_pairs(table, &p);
	free(p.pairs);
	if (err) {
		free(copy);
		return err;
	}
	copy->next = table->texts;
	table->texts = copy;
	return 0;
}

int tw_pair_table__ship(struct tw_pair_table *table, struct tw_error *error)
{
	return tw_pair_table__parse(table, tw_shipped_pairs, strlen(tw_shipped_pairs), "shipped.pairs", error);
}

int tw_pair_table__ship_ordered(struct tw_pair_table *table, struct tw_error *error)
{
	return tw_pair_table__parse(table, tw_ordered_pairs, strlen(tw_ordered_pairs), "ordered.pairs", error);
}

const struct tw_pair *tw_pair_table__find(const struct tw_pair_table *table, const char *name, struct tw_error *error)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, name);
	for (size_t i = 0; i < table->n; i++) {
		if (!strcmp(table->pairs[i].name, name))
			return &table->pairs[i];
		tw_nearest__offer(&nearest, table->pairs[i].name);
	}
	tw_error__set(error, -ENOENT, "there is no pair '%s'%s%s%s", name, nearest.best ? "; did you mean " : "",
		      nearest.best ? nearest.best : "", nearest.best ? "?" : "");
	return NULL;
}

size_t tw_pair_table__count(const struct tw_pair_table *table)
{
	return table->n;
}

const struct tw_pair *tw_pair_table__at(const struct tw_pair_table *table, size_t i)
{
	return i < table->n ? &table->pairs[i] : NULL;
}
