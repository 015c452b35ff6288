/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison is about in one event, and so its tests; and whether it was about anything at all. */
#include <errno.h>
#include <string.h>

#include "filter/bind/binder.h"
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

/* The words of a print format are only wanted where a value is none of the plain kinds. */
static bool may_need_words(const struct tw_predicate *predicate)
{
	static const char starts[] = "0123456789-+";

	if (predicate->has_mask && !strchr(starts, predicate->mask.text[0]))
		return true;
	for (const struct tw_set_member *m = predicate->members; m; m = m->next) {
		if (!strchr(starts, m->low.text[0]) || (m->is_range && !strchr(starts, m->high.text[0])))
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

static struct tw_subject subject_of_field(struct tw_binder *b, const struct tw_predicate *predicate,
					  const struct tw_field *field)
{
	struct tw_subject subject = {
		.name = predicate->name,
		.operand = TW_ON_FIELD,
		.compared = compared_as(field),
		.size = (uint8_t)field->elem_size,
		.is_signed = field->is_signed,
		.big_endian = b->bound->options.big_endian,
		.field = field,
	};

	if (subject.compared == TW_AS_NUMBER && may_need_words(predicate)) {
		if (!b->print)
			b->print = tw_print__new(b->format);
		subject.print = b->print;
	}
	return subject;
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
	struct tw_node *node = tw_node__certain(arena, tests->is_true);

	for (unsigned int i = 0; i < tests->n; i++)
		node = tw_node__join(arena, TW_NODE_OR, node, tw_node__test(arena, tests->items[i], false));
	return node;
}

/* What every event has: bound once. */
static int bind_operand(struct tw_binder *b, unsigned int i, struct tw_node **ret)
{
	struct tw_known *known = &b->known[i];
	int error;

	if (!known->has_shared) {
		const struct tw_subject subject = subject_of_operand(b->filter->predicates[i], known->name.operand);
		const struct tw_binding binding = binding_of(b, i, b->err);

		error = tw_binding__tests(&binding, &subject, &known->shared);
		if (error)
			return error;
		known->has_shared = known->found = known->usable = true;
		b->bound->needs_comm |= known->name.operand == TW_ON_COMM;
		b->bound->needs_host |= known->name.operand == TW_ON_HOST;
	}
	*ret = node_of_tests(b, &known->shared);
	return 0;
}

/* The event's own name, or its system's, is a text that is known now. */
static int bind_own_name(struct tw_binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct tw_subject subject = { .name = predicate->name, .compared = TW_AS_TEXT };
	struct tw_known *known = &b->known[i];
	struct tw_tests *tests = &known->shared;
	const char *own = known->name.kind == TW_NAME_EVENT ? b->format->name : b->format->system;
	bool is_true;

	if (!known->has_shared) {
		const struct tw_binding binding = binding_of(b, i, b->err);
		const int error = tw_binding__tests(&binding, &subject, tests);

		if (error)
			return error;
		known->has_shared = true;
	}
	is_true = tests->is_true;
	for (unsigned int t = 0; t < tests->n; t++)
		is_true |= tw_test__bytes(tests->items[t], (const uint8_t *)own, strlen(own));
	known->found |= is_true || (predicate->op != TW_TEST_EQ && predicate->op != TW_TEST_NE);
	known->usable = known->found;
	*ret = tw_node__certain(b->bound->arena, is_true);
	return 0;
}

/* A field of the event. One that cannot be compared so is a mistake where it was named in full, else as if it were not there. */
static int bind_field(struct tw_binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	struct tw_known *known = &b->known[i];
	const struct tw_field *field = tw_filter_name__find(&known->name, b->format);
	struct tw_tests tests = { 0 };
	int error = 0;

	if (field) {
		const struct tw_subject subject = subject_of_field(b, predicate, field);
		struct tw_error why = { "" };
		const struct tw_binding binding = binding_of(b, i, &why);

		error = tw_binding__tests(&binding, &subject, &tests);
		if (error && error != -EINVAL && error != -ERANGE)
			return error;
		if (error == -EINVAL)
			tests = (struct tw_tests){ 0 };
		if (error && !known->error) {
			known->error = -EINVAL;
			known->why = why;
		}
		known->found = true;
		known->usable |= !error;
	}
	*ret = node_of_tests(b, &tests);
	return 0;
}

int tw_binder__predicate(struct tw_binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_filter_name *name = &b->known[i].name;
	int error = 0;

	if (name->kind == TW_NAME_OPERAND && !name->event)
		return bind_operand(b, i, ret);
	if (!b->format || !tw_filter_name__is_of(name, b->format))
		*ret = tw_node__certain(b->bound->arena, false);
	else if (name->kind == TW_NAME_OPERAND)
		error = bind_operand(b, i, ret);
	else if (name->kind == TW_NAME_FIELD)
		error = bind_field(b, i, ret);
	else
		error = bind_own_name(b, i, ret);
	return error;
}

static int say_absent(const struct tw_binder *b, unsigned int i, struct tw_error *err)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct tw_known *known = &b->known[i];

	if (known->error)
		return tw_error__set(err, known->error, "%s", known->why.text);
	if (known->name.kind == TW_NAME_FIELD || known->name.kind == TW_NAME_OPERAND)
		return tw_filter_name__unknown(&known->name, b->bound->options.schema, predicate->column, err);
	return tw_filter_own_name__unknown(&known->name, predicate, b->bound->options.schema, err);
}

/* Names that nothing has. */
int tw_binder__check(struct tw_binder *b)
{
	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		struct tw_error why;
		int error;

		if (b->known[i].usable)
			continue;
		error = say_absent(b, i, &why);
		if (!b->bound->options.unknown_is_absent)
			return tw_error__set(b->err, error, "%s", why.text);
		b->bound->absent[i] = tw_arena__copy(b->bound->arena, why.text, strlen(why.text));
		if (!b->bound->absent[i])
			return -ENOMEM;
	}
	return 0;
}
