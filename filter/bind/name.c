/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bind/name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "filter/bind/bind.h"
#include "schema/field.h"

#define TASK "the task that was running"

/*
 * The keys of the language. `meaning` is set for keys that can be mistaken for a field of some events; tw_filter__ambiguous_key() uses it
 * to explain the key.
 */
static const struct filter_key {
	const char *name;
	uint8_t kind, operand;
	const char *meaning;
} keys[] = {
	{ "event", TW_NAME_EVENT, 0, NULL },
	{ "system", TW_NAME_SYSTEM, 0, NULL },
	{ "pid", TW_NAME_OPERAND, TW_ON_PID, "the pid of " TASK },
	{ "common_pid", TW_NAME_OPERAND, TW_ON_PID, NULL },
	{ "comm", TW_NAME_OPERAND, TW_ON_COMM, "the name of " TASK },
	{ "COMM", TW_NAME_OPERAND, TW_ON_COMM, NULL },
	{ "cpu", TW_NAME_OPERAND, TW_ON_CPU, "the CPU of the record" },
	{ "CPU", TW_NAME_OPERAND, TW_ON_CPU, NULL },
	{ "flags", TW_NAME_OPERAND, TW_ON_FLAGS, "common_flags of the record" },
	{ "common_flags", TW_NAME_OPERAND, TW_ON_FLAGS, NULL },
	{ "common_preempt_count", TW_NAME_OPERAND, TW_ON_PREEMPT, NULL },
	{ "host", TW_NAME_OPERAND, TW_ON_HOST, "the name of the machine" },
	{ "time", TW_NAME_OPERAND, TW_ON_TIME, "the time of the record" },
};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

/* Return: a key; NULL if @word is no key. */
static const struct filter_key *find_key(const char *word)
{
	for (size_t i = 0; i < N_KEYS; i++)
		if (!strcmp(keys[i].name, word))
			return &keys[i];
	return NULL;
}

static const struct tw_format *with_field(const struct tw_schema *schema, const char *name)
{
	for (size_t i = 0; i < tw_schema__count(schema); i++) {
		const struct tw_format *format = tw_schema__at(schema, i);

		if (tw_format__find(format, name))
			return format;
	}
	return NULL;
}

bool tw_filter__ambiguous_key(const struct tw_filter *filter, const struct tw_schema *schema, struct tw_error *ret)
{
	for (unsigned int i = 0; i < filter->n_predicates; i++) {
		const struct tw_predicate *predicate = filter->predicates[i];
		const struct filter_key *key = find_key(predicate->name);
		const struct tw_format *format = key && key->meaning ? with_field(schema, predicate->name) : NULL;

		if (!format)
			continue;
		tw_filter_error(ret, 0, predicate->column,
				"%s is %s; for the field of %s, write %s.%s; for the field of any event, write any.%s",
				predicate->name, key->meaning, format->name, format->name, predicate->name,
				predicate->name);
		return true;
	}
	return false;
}

bool tw_filter_name__is_key(const char *word)
{
	return find_key(word);
}

/* Whether a name is that of a common field. A key with such a name remains a key after an event name, as in sched_switch.common_pid. */
static bool is_common(const char *field)
{
	return !strncmp(field, "common_", 7);
}

static int check_characters(const struct tw_predicate *predicate, struct tw_error *error)
{
	const char *name = predicate->name;

	if (strlen(name) >= TW_NAME_PARTS_MAX)
		return tw_filter_error(error, -EINVAL, predicate->column,
				       "this name is longer than the name of any field");
	if (name[0] == '-' || (name[0] >= '0' && name[0] <= '9' && !strpbrk(name, ".:")))
		return tw_filter_error(error, -EINVAL, predicate->column,
				       "'%s' is not a name; a comparison begins with a name: cpu == 1", name);
	for (const char *c = name; *c; c++) {
		if (!tw_field_name__may_have(*c) && *c != '.' && *c != ':')
			return tw_filter_error(error, -EINVAL, predicate->column + (uint32_t)(c - name),
					       "'%s' is not a name: it contains '%c'", name, *c);
	}
	return 0;
}

/* Split a name at its dots and its colon. In SYSTEM:EVENT, as tracefs writes it, the third part is "". Return: number of parts; -EINVAL. */
static int cut(const struct tw_predicate *predicate, char *buf, char *parts[3], struct tw_error *error)
{
	const bool has_colon = strchr(buf, ':');
	int n = 0;

	for (char *at = buf, *next; at; at = next) {
		next = strpbrk(at, ".:");
		if (n == 3)
			return tw_filter_error(error, -EINVAL, predicate->column,
					       "'%s' has more parts than SYSTEM.EVENT.FIELD", predicate->name);
		if (!*at || next == at || (next && has_colon && (*next == ':') != !n))
			return tw_filter_error(error, -EINVAL, predicate->column + (uint32_t)(at - buf),
					       "'%s' is not a name: write FIELD, EVENT.FIELD or SYSTEM.EVENT.FIELD",
					       predicate->name);
		parts[n++] = at;
		if (next)
			*next++ = '\0';
	}
	if (has_colon && n == 2)
		parts[n++] = parts[1] + strlen(parts[1]);
	return n;
}

int tw_filter_name__read(const struct tw_predicate *predicate, struct tw_filter_name *ret, struct tw_error *error)
{
	const struct filter_key *key = NULL;
	char *parts[3];
	int n = check_characters(predicate, error);

	if (n)
		return n;
	strcpy(ret->buf, predicate->name);
	ret->system = ret->event = ret->field = NULL;
	n = cut(predicate, ret->buf, parts, error);
	if (n < 0)
		return n;
	ret->kind = TW_NAME_FIELD;
	ret->field = parts[n - 1];
	if (n > 1 && (n == 3 || strcmp(parts[0], "any") != 0))
		ret->event = parts[n - 2];
	if (n == 3)
		ret->system = parts[0];
	if (n == 1 || is_common(ret->field))
		key = find_key(ret->field);
	if (key) {
		ret->kind = key->kind;
		ret->operand = key->operand;
	}
	return 0;
}

/* Whether a typed name matches a name of the kernel. Characters that this language does not allow in names are typed as '_'. */
static bool same(const char *typed, const char *kernels)
{
	while (*typed && *kernels && (*typed == *kernels || (*typed == '_' && !tw_field_name__may_have(*kernels)))) {
		typed++;
		kernels++;
	}
	return !*typed && !*kernels;
}

static bool same_or_any(const char *typed, const char *kernels)
{
	return !typed || same(typed, kernels);
}

bool tw_filter_name__is_of(const struct tw_filter_name *name, const struct tw_format *format)
{
	return same_or_any(name->system, format->system) && same_or_any(name->event, format->name);
}

const struct tw_field *tw_filter_name__find(const struct tw_filter_name *name, const struct tw_format *format)
{
	for (unsigned int i = format->n_common; i < format->n_fields; i++) {
		if (same(name->field, format->fields[i].name))
			return &format->fields[i];
	}
	return NULL;
}

/* A search for the part of a name (system, event or field) that no event of the schema has, and for similar names. */
struct unknown {
	const struct tw_filter_name *name;
	bool has_system, has_event; /* the schema has the system; the system has the event */
	const char *same_event;     /* an event whose name equals the field, ignoring case; NULL = none */
	struct tw_nearest system, event, field;
};

static void look_at(struct unknown *unknown, const struct tw_format *format)
{
	const struct tw_filter_name *name = unknown->name;

	tw_nearest__offer(&unknown->system, format->system);
	if (name->field && !strcasecmp(name->field, format->name))
		unknown->same_event = format->name;
	if (!same_or_any(name->system, format->system))
		return;
	unknown->has_system = true;
	tw_nearest__offer(&unknown->event, format->name);
	if (!same_or_any(name->event, format->name))
		return;
	unknown->has_event = true;
	for (unsigned int i = format->n_common; i < format->n_fields; i++)
		tw_nearest__offer(&unknown->field, format->fields[i].name);
}

const char *tw_filter_hint(const struct tw_nearest *nearest, char *buf, size_t size)
{
	buf[0] = '\0';
	if (nearest->best)
		snprintf(buf, size, "; did you mean '%s'?", nearest->best);
	return buf;
}

static uint32_t column_of(const struct tw_filter_name *name, const char *part, uint32_t column)
{
	return column + (uint32_t)(part - name->buf);
}

static int say_event(const char *event, uint32_t column, struct tw_error *error)
{
	return tw_filter_error(error, -EINVAL, column, "'%s' is an event, not a field; write event == \"%s\"", event,
			       event);
}

/* Make the error for an unknown field that is written without an event. */
static int say_unknown_field(const struct unknown *unknown, uint32_t column, struct tw_error *error)
{
	const char *field = unknown->name->field;
	char hint[160];

	column = column_of(unknown->name, field, column);
	if (tw_words__is_flag(field))
		return tw_filter_error(error, -EINVAL, column, "'%s' is a bit of 'flags'; write flags & %s", field,
				       field);
	return tw_filter_error(error, -EINVAL, column, "no event has a field '%s'%s", field,
			       tw_filter_hint(&unknown->field, hint, sizeof(hint)));
}

static int say_unknown(const struct unknown *unknown, uint32_t column, struct tw_error *error)
{
	const struct tw_filter_name *name = unknown->name;
	char hint[160];

	if (unknown->same_event && (!name->event || !unknown->has_event))
		return say_event(unknown->same_event, column_of(name, name->field, column), error);
	if (!unknown->has_system && name->system)
		return tw_filter_error(error, -EINVAL, column, "no event has the system '%s'%s", name->system,
				       tw_filter_hint(&unknown->system, hint, sizeof(hint)));
	if (!unknown->has_event && name->event)
		return tw_filter_error(error, -EINVAL, column_of(name, name->event, column),
				       "there is no event '%s'%s%s%s", name->event, name->system ? " in system " : "",
				       name->system ? name->system : "",
				       tw_filter_hint(&unknown->event, hint, sizeof(hint)));
	if (name->event && name->field && !*name->field)
		return say_event(name->event, column_of(name, name->event, column), error);
	if (name->event)
		return tw_filter_error(error, -EINVAL, column_of(name, name->field, column), "%s has no field '%s'%s",
				       name->event, name->field, tw_filter_hint(&unknown->field, hint, sizeof(hint)));
	return say_unknown_field(unknown, column, error);
}

int tw_filter_name__unknown(const struct tw_filter_name *name, const struct tw_schema *schema, uint32_t column,
			    struct tw_error *error)
{
	struct unknown unknown = { .name = name };

	tw_nearest__init(&unknown.system, name->system ? name->system : "");
	tw_nearest__init(&unknown.event, name->event ? name->event : "");
	tw_nearest__init(&unknown.field, name->field ? name->field : "");
	for (size_t i = 0; i < N_KEYS && !name->event; i++)
		tw_nearest__offer(&unknown.field, keys[i].name);
	for (size_t i = 0; i < tw_schema__count(schema); i++)
		look_at(&unknown, tw_schema__at(schema, i));
	return say_unknown(&unknown, column, error);
}

static const char *own_name(const struct tw_filter_name *name, const struct tw_format *format)
{
	return name->kind == TW_NAME_EVENT ? format->name : format->system;
}

static int check_own_name(const struct tw_filter_name *name, const struct tw_literal *literal,
			  const struct tw_schema *schema, struct tw_error *error)
{
	const char *kind = name->kind == TW_NAME_EVENT ? "event" : "system";
	struct tw_nearest nearest;
	char hint[160];

	for (size_t i = 0; i < tw_schema__count(schema); i++) {
		const char *own = own_name(name, tw_schema__at(schema, i));

		if (strlen(own) == literal->len && !memcmp(own, literal->text, literal->len))
			return 0;
	}
	if (strpbrk(literal->text, "*?["))
		return tw_filter_error(error, -EINVAL, literal->column,
				       "there is no %s '%s'; for a pattern write %s ~ \"%s\"", kind, literal->text,
				       kind, literal->text);
	tw_nearest__init(&nearest, literal->text);
	for (size_t i = 0; i < tw_schema__count(schema); i++)
		tw_nearest__offer(&nearest, own_name(name, tw_schema__at(schema, i)));
	return tw_filter_error(error, -EINVAL, literal->column, "there is no %s '%s'%s", kind, literal->text,
			       tw_filter_hint(&nearest, hint, sizeof(hint)));
}

int tw_filter_own_name__check(const struct tw_filter_name *name, const struct tw_predicate *predicate,
			      const struct tw_schema *schema, struct tw_error *error)
{
	const bool asks_for_name = predicate->op == TW_TEST_EQ || predicate->op == TW_TEST_NE;
	int err = 0;

	if (!tw_schema__count(schema))
		return tw_filter_error(error, -EINVAL, predicate->column, "the schema has no events");
	for (const struct tw_set_member *m = predicate->members; m && asks_for_name && !err; m = m->next)
		if (!m->is_range)
			err = check_own_name(name, &m->low, schema, error);
	return err;
}
