/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison is about in one event, and so its tests; and whether it was about anything at all. */
#include <errno.h>
#include <string.h>

#include "filter/bind/binder.h"
#include "filter/language/literal.h"
#include "filter/node.h"
#include "filter/text.h"

static struct tw_binding binding_of(const struct tw_binder *b, unsigned int i, struct tw_error *err)
{
	return (struct tw_binding){
		.predicate = b->filter->predicates[i],
		.index = (uint16_t)i,
		.arena = b->bound->arena,
		.bound = b->bound,
		.err = err,
	};
}

static bool is_word(const struct tw_literal *literal)
{
	struct tw_integer integer;

	return tw_literal__integer(literal, &integer) == TW_LITERAL_OTHER;
}

/* The words of a print format are only wanted where a value is none of the plain kinds. */
static bool may_need_words(const struct tw_predicate *predicate)
{
	if (predicate->has_mask && is_word(&predicate->mask))
		return true;
	for (const struct tw_set_member *m = predicate->members; m; m = m->next) {
		if (is_word(&m->low) || (m->is_range && is_word(&m->high)))
			return true;
	}
	return false;
}

static bool is_number_size(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static uint8_t compared_as(const struct tw_field *field)
{
	if (field->kind == TW_FIELD_STRING || field->kind == TW_FIELD_BITMASK)
		return TW_AS_TEXT;
	if (field->kind == TW_FIELD_BYTES || !is_number_size(field->elem_size))
		return TW_AS_BYTES;
	if (field->kind == TW_FIELD_ARRAY && (field->elem_size == 1 || field->elem_kind == TW_FIELD_BYTES))
		return TW_AS_BYTES;
	return TW_AS_NUMBER;
}

static int subject_of_field(struct tw_binder *b, const struct tw_predicate *predicate, const struct tw_field *field,
			    struct tw_subject *ret)
{
	*ret = (struct tw_subject){
		.name = predicate->name,
		.operand = TW_ON_FIELD,
		.compared = compared_as(field),
		.size = (uint8_t)field->elem_size,
		.is_signed = tw_field__is_signed(field),
		.big_endian = b->bound->options.big_endian,
		.field = field,
	};
	if (ret->compared != TW_AS_NUMBER || !may_need_words(predicate))
		return 0;
	if (!b->print)
		b->print = tw_print__new(b->format);
	ret->print = b->print;
	return b->print ? 0 : -ENOMEM;
}

static struct tw_subject subject_of_operand(const struct tw_predicate *predicate, uint8_t operand)
{
	static const struct tw_subject subjects[] = {
		[TW_ON_PID] = { .compared = TW_AS_NUMBER, .size = 4, .is_signed = true, .big_endian = true },
		[TW_ON_CPU] = { .compared = TW_AS_NUMBER, .size = 2, .big_endian = true },
		[TW_ON_FLAGS] = { .compared = TW_AS_NUMBER, .size = 1 },
		[TW_ON_PREEMPT] = { .compared = TW_AS_NUMBER, .size = 1 },
		[TW_ON_TIME] = { .compared = TW_AS_NUMBER, .size = 8 },
		[TW_ON_COMM] = { .compared = TW_AS_TEXT },
		[TW_ON_HOST] = { .compared = TW_AS_TEXT },
	};
	struct tw_subject subject = subjects[operand];

	subject.name = predicate->name;
	subject.operand = operand;
	return subject;
}

static struct tw_node *node_of_tests(const struct tw_binder *b, const struct tw_tests *tests)
{
	struct tw_arena *arena = b->bound->arena;
	struct tw_node *node;

	if (tests->is_true || !tests->n)
		return tw_node__certain(arena, tests->is_true);
	node = tw_node__test(arena, tests->items[0], false);
	for (unsigned int i = 1; i < tests->n; i++)
		node = tw_node__join(arena, TW_NODE_OR, node, tw_node__test(arena, tests->items[i], false));
	return node;
}

static bool is_own_name(const struct tw_filter_name *name)
{
	return name->kind == TW_NAME_EVENT || name->kind == TW_NAME_SYSTEM;
}

static int bind_key(struct tw_binder *b, unsigned int i)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	struct tw_known *known = &b->known[i];
	const struct tw_subject own_name = { .name = predicate->name, .compared = TW_AS_TEXT };
	const struct tw_subject subject =
		is_own_name(&known->name) ? own_name : subject_of_operand(predicate, known->name.operand);
	const struct tw_binding binding = binding_of(b, i, b->err);

	b->bound->needs_comm |= subject.operand == TW_ON_COMM;
	b->bound->needs_host |= subject.operand == TW_ON_HOST;
	return tw_binding__tests(&binding, &subject, &known->shared);
}

int tw_binder__bind_keys(struct tw_binder *b)
{
	int error = 0;

	for (unsigned int i = 0; i < b->filter->n_predicates && !error; i++)
		if (b->known[i].name.kind != TW_NAME_FIELD)
			error = bind_key(b, i);
	return error;
}

/* The event's own name, or its system's, is a text that is known now. */
static bool own_name_holds(const struct tw_known *known, const struct tw_format *format)
{
	const char *own = known->name.kind == TW_NAME_EVENT ? format->name : format->system;
	bool holds = known->shared.is_true;

	for (unsigned int t = 0; t < known->shared.n; t++)
		holds |= tw_test__bytes(known->shared.items[t], (const uint8_t *)own, strlen(own));
	return holds;
}

static enum tw_answer answer(const struct tw_known *known, const struct tw_format *format)
{
	const struct tw_filter_name *name = &known->name;

	if (name->kind == TW_NAME_OPERAND && !name->event)
		return TW_ANSWER_KEY;
	if (!format || !tw_filter_name__is_of(name, format))
		return TW_ANSWER_NO;
	if (name->kind == TW_NAME_OPERAND)
		return TW_ANSWER_KEY;
	if (name->kind == TW_NAME_FIELD)
		return tw_filter_name__find(name, format) ? TW_ANSWER_FIELD : TW_ANSWER_NO;
	return own_name_holds(known, format) ? TW_ANSWER_YES : TW_ANSWER_NO;
}

bool tw_binder__answer(struct tw_binder *b)
{
	bool has_field = false;

	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		b->answers[i] = (uint8_t)answer(&b->known[i], b->format);
		b->known[i].usable |= b->answers[i] == TW_ANSWER_YES || b->answers[i] == TW_ANSWER_KEY;
		has_field |= b->answers[i] == TW_ANSWER_FIELD;
	}
	return has_field;
}

/* A field of the event. One that cannot be compared so is a mistake where it was named in full, else as if it were not there. */
static int bind_field(struct tw_binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	struct tw_known *known = &b->known[i];
	struct tw_error why = { "" };
	const struct tw_binding binding = binding_of(b, i, &why);
	struct tw_subject subject;
	struct tw_tests tests;
	int error = subject_of_field(b, predicate, tw_filter_name__find(&known->name, b->format), &subject);

	if (!error)
		error = tw_binding__tests(&binding, &subject, &tests);
	if (error && error != -EINVAL && error != -ERANGE)
		return error;
	if (error == -EINVAL)
		tests = (struct tw_tests){ 0 };
	if (error && !known->error) {
		known->error = -EINVAL;
		known->why = why;
	}
	known->usable |= !error;
	known->asks |= tests.n || tests.is_true;
	*ret = node_of_tests(b, &tests);
	return 0;
}

int tw_binder__predicate(struct tw_binder *b, unsigned int i, struct tw_node **ret)
{
	const enum tw_answer given = b->answers[i];

	if (given == TW_ANSWER_FIELD)
		return bind_field(b, i, ret);
	*ret = given == TW_ANSWER_KEY ? node_of_tests(b, &b->known[i].shared)
				      : tw_node__certain(b->bound->arena, given == TW_ANSWER_YES);
	return 0;
}

/* Whether something is wrong with the names that a comparison is about. Return: 0 or -EINVAL, with @err filled. */
static int check_names(const struct tw_binder *b, unsigned int i, struct tw_error *err)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct tw_schema *schema = b->bound->options.schema;
	const struct tw_known *known = &b->known[i];

	if (is_own_name(&known->name))
		return tw_filter_own_name__check(&known->name, predicate, schema, err);
	if (known->usable)
		return 0;
	if (known->error)
		return tw_error__set(err, known->error, "%s", known->why.text);
	return tw_filter_name__unknown(&known->name, schema, predicate->column, err);
}

/* Names and values that nothing has. Where they are allowed, a comparison is absent only if nothing is asked of any event. */
int tw_binder__check(struct tw_binder *b)
{
	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		const bool strict = !b->bound->options.unknown_is_absent;
		struct tw_error why;
		int error;

		if (!strict && (b->known[i].usable || b->known[i].asks))
			continue;
		error = check_names(b, i, &why);
		if (error && strict)
			return tw_error__set(b->err, error, "%s", why.text);
		if (!error)
			continue;
		b->bound->absent[i] = tw_arena__copy(b->bound->arena, why.text, strlen(why.text));
		if (!b->bound->absent[i])
			return -ENOMEM;
	}
	return 0;
}
