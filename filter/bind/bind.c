/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binding: the postfix expression is worked out once for each event of the schema, with trees as its values. */
#include "filter/bind/bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/evaluate.h"
#include "filter/node.h"
#include "filter/pattern.h"
#include "filter/text.h"

/* What is known of a comparison, besides what is typed. */
struct known {
	struct tw_filter_name name;
	struct tw_tests shared; /* of what every event has: the same tests for all */
	bool has_shared;
	bool found;  /* some event has it */
	bool usable; /* and can be compared so */
	int error;   /* else why the first could not */
	struct tw_error why;
};

struct binder {
	const struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error *err;
	struct known *known;            /* one for each predicate */
	const struct tw_format *format; /* whose tree is being made; NULL for ids that the schema does not have */
	struct tw_print *print;         /* of it, once that was needed */
};

static struct tw_binding binding_of(const struct binder *b, unsigned int i, struct tw_error *err)
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

static struct tw_subject subject_of_field(struct binder *b, const struct tw_predicate *predicate,
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

static struct tw_node *node_of_tests(const struct binder *b, const struct tw_tests *tests)
{
	struct tw_arena *arena = b->bound->arena;
	struct tw_node *node = tw_node__certain(arena, tests->is_true);

	for (unsigned int i = 0; i < tests->n; i++)
		node = tw_node__join(arena, TW_NODE_OR, node, tw_node__test(arena, tests->items[i], false));
	return node;
}

/* What every event has: bound once. */
static int bind_operand(struct binder *b, unsigned int i, struct tw_node **ret)
{
	struct known *known = &b->known[i];
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
static int bind_own_name(struct binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct tw_subject subject = { .name = predicate->name, .compared = TW_AS_TEXT };
	struct known *known = &b->known[i];
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
static int bind_field(struct binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	struct known *known = &b->known[i];
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

static int bind_predicate(struct binder *b, unsigned int i, struct tw_node **ret)
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

/* The tree for the binder's format. */
static int bind_event(struct binder *b, const struct tw_node **ret)
{
	struct tw_node *stack[TW_FILTER_PREDICATES_MAX];
	struct tw_arena *arena = b->bound->arena;
	unsigned int n = 0;
	int error = 0;

	for (unsigned int i = 0; i < b->filter->n_postfix && !error; i++) {
		const struct tw_postfix *step = &b->filter->postfix[i];

		if (step->kind == TW_POSTFIX_PREDICATE) {
			error = bind_predicate(b, step->predicate, &stack[n++]);
		} else if (step->kind == TW_POSTFIX_NOT) {
			stack[n - 1] = stack[n - 1] ? tw_node__negate(stack[n - 1]) : NULL;
		} else {
			const enum tw_node_kind kind = step->kind == TW_POSTFIX_AND ? TW_NODE_AND : TW_NODE_OR;

			n--;
			stack[n - 1] = tw_node__join(arena, kind, stack[n - 1], stack[n]);
		}
	}
	if (!error && !stack[0])
		error = -ENOMEM;
	if (!error)
		*ret = stack[0];
	return error;
}

static int bind_events(struct binder *b)
{
	struct tw_bound *bound = b->bound;
	int error;

	b->format = NULL;
	error = bind_event(b, &bound->unknown);
	for (size_t i = 0; i < bound->n_events && !error; i++) {
		b->format = tw_schema__at(bound->options.schema, i);
		bound->events[i].format = b->format;
		error = bind_event(b, &bound->events[i].root);
		tw_print__free(b->print);
		b->print = NULL;
	}
	return error;
}

static int say_absent(const struct binder *b, unsigned int i, struct tw_error *err)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct known *known = &b->known[i];

	if (known->error)
		return tw_error__set(err, known->error, "%s", known->why.text);
	if (known->name.kind == TW_NAME_FIELD || known->name.kind == TW_NAME_OPERAND)
		return tw_filter_name__unknown(&known->name, b->bound->options.schema, predicate->column, err);
	return tw_filter_own_name__unknown(&known->name, predicate, b->bound->options.schema, err);
}

/* Names that nothing has. */
static int check_known(struct binder *b)
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

static int read_names(struct binder *b)
{
	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		const int error = tw_filter_name__read(b->filter->predicates[i], &b->known[i].name, b->err);

		if (error)
			return error;
	}
	return 0;
}

static int copy_spans(struct tw_bound *bound, const struct tw_filter *filter)
{
	struct tw_text_span *spans = tw_arena__take(bound->arena, (filter->n_predicates + 1) * sizeof(*spans));

	for (unsigned int i = 0; spans && i < filter->n_predicates; i++)
		spans[i] = (struct tw_text_span){ (uint32_t)filter->predicates[i]->begin,
						  (uint32_t)filter->predicates[i]->end };
	bound->predicates = spans;
	return spans ? 0 : -ENOMEM;
}

static int make_tables(struct tw_bound *bound, const struct tw_filter *filter)
{
	bound->n_events = tw_schema__count(bound->options.schema);
	bound->n_predicates = filter->n_predicates;
	bound->events = tw_arena__take(bound->arena, (bound->n_events + 1) * sizeof(*bound->events));
	bound->absent = tw_arena__take(bound->arena, (filter->n_predicates + 1) * sizeof(*bound->absent));
	bound->text = tw_arena__copy(bound->arena, filter->text, strlen(filter->text));
	return bound->events && bound->absent && bound->text ? copy_spans(bound, filter) : -ENOMEM;
}

static int bind(const struct tw_filter *filter, struct tw_bound *bound, struct tw_error *err)
{
	struct binder b = { .filter = filter, .bound = bound, .err = err };
	int error = make_tables(bound, filter);

	b.known = calloc(filter->n_predicates, sizeof(*b.known));
	if (!b.known)
		error = -ENOMEM;
	if (!error)
		error = read_names(&b);
	if (!error)
		error = bind_events(&b);
	if (!error)
		error = check_known(&b);
	tw_print__free(b.print);
	free(b.known);
	return error;
}

int tw_filter__bind(const struct tw_filter *filter, const struct tw_bind_options *options, struct tw_bound **ret,
		    struct tw_error *err)
{
	struct tw_bound *bound = calloc(1, sizeof(*bound));
	int error = -ENOMEM;

	if (bound)
		bound->arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	if (bound && bound->arena) {
		bound->options = *options;
		error = bind(filter, bound, err);
	}
	if (!error) {
		*ret = bound;
		return 0;
	}
	if (error == -ERANGE)
		error = -EINVAL;
	if (error == -ENOMEM && bound && bound->arena && tw_arena__is_full(bound->arena))
		error = tw_filter_error(err, -E2BIG, 1, "the expression is too large for this many events");
	else if (error == -ENOMEM)
		tw_filter_error(err, error, 1, "no memory");
	tw_bound__free(bound);
	return error;
}

int tw_bound__own_pattern(struct tw_bound *bound, const struct tw_literal *literal, void *code)
{
	struct tw_compiled *compiled = tw_arena__take(bound->arena, sizeof(*compiled));

	if (!compiled) {
		tw_pattern__free(code);
		return -ENOMEM;
	}
	*compiled = (struct tw_compiled){ .literal = literal, .code = code, .next = bound->patterns };
	bound->patterns = compiled;
	return 0;
}

void tw_bound__free(struct tw_bound *bound)
{
	if (!bound)
		return;
	for (struct tw_compiled *c = bound->patterns; c; c = c->next)
		tw_pattern__free(c->code);
	tw_arena__free(bound->arena);
	free(bound);
}
