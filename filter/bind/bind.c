/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binding: the postfix expression is worked out once for each event of the schema, with trees as its values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bind/bind.h"
#include "filter/compare.h"
#include "filter/evaluate.h"
#include "filter/language/literal.h"
#include "filter/pattern.h"
#include "filter/tree.h"

/* What is known of a comparison, besides what is typed. */
struct known {
	struct tw_filter_name name;
	struct tw_tests shared; /* of a key: the same tests for all events */
	bool usable;            /* some event has it, and it can be compared so */
	bool asks;              /* some event's tree has a test of it, be it only for some values of a set */
	int err;                /* why the first event could not be compared so */
	struct tw_error why;
};

/* What a comparison is for one event. */
enum answer {
	ANSWER_NO, /* false, whatever the record */
	ANSWER_YES,
	ANSWER_KEY,   /* the tests that all events share */
	ANSWER_FIELD, /* tests on a field that the event has */
};

struct binder {
	const struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error *err;
	struct known *known;            /* one for each predicate */
	const struct tw_format *format; /* whose tree is being made; NULL for ids that the schema does not have */
	struct tw_print *print;         /* of it, once that was needed */
	uint8_t answers[TW_FILTER_PREDICATES_MAX]; /* enum answer: of the format */
	/* The last format that none of the fields is in, and its tree: the next such one with the same answers shares it. */
	uint8_t plain_answers[TW_FILTER_PREDICATES_MAX];
	const struct tw_node *plain;
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

static uint8_t compared_as(const struct tw_field *field)
{
	if (field->kind == TW_FIELD_STRING || field->kind == TW_FIELD_BITMASK)
		return TW_AS_TEXT;
	if (field->kind == TW_FIELD_BYTES || !tw_number__has_size(field->elem_size))
		return TW_AS_BYTES;
	if (field->kind == TW_FIELD_ARRAY && (field->elem_size == 1 || field->elem_kind == TW_FIELD_BYTES))
		return TW_AS_BYTES;
	return TW_AS_NUMBER;
}

static int subject_of_field(struct binder *b, const struct tw_predicate *predicate, const struct tw_field *field,
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

static struct tw_node *node_of_tests(const struct binder *b, const struct tw_tests *tests)
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

static int bind_key(struct binder *b, unsigned int i)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	struct known *known = &b->known[i];
	const struct tw_subject own_name = { .name = predicate->name, .compared = TW_AS_TEXT };
	const struct tw_subject subject =
		is_own_name(&known->name) ? own_name : subject_of_operand(predicate, known->name.operand);
	const struct tw_binding binding = binding_of(b, i, b->err);

	b->bound->needs_comm |= subject.operand == TW_ON_COMM;
	b->bound->needs_host |= subject.operand == TW_ON_HOST;
	return tw_binding__tests(&binding, &subject, &known->shared);
}

static int bind_keys(struct binder *b)
{
	int err = 0;

	for (unsigned int i = 0; i < b->filter->n_predicates && !err; i++)
		if (b->known[i].name.kind != TW_NAME_FIELD)
			err = bind_key(b, i);
	return err;
}

/* The event's own name, or its system's, is a text that is known now. */
static bool own_name_holds(const struct known *known, const struct tw_format *format)
{
	const char *own = known->name.kind == TW_NAME_EVENT ? format->name : format->system;
	bool holds = known->shared.is_true;

	for (unsigned int t = 0; t < known->shared.n; t++)
		holds |= tw_test__bytes(known->shared.items[t], (const uint8_t *)own, strlen(own));
	return holds;
}

static enum answer answer(const struct known *known, const struct tw_format *format)
{
	const struct tw_filter_name *name = &known->name;

	if (name->kind == TW_NAME_OPERAND && !name->event)
		return ANSWER_KEY;
	if (!format || !tw_filter_name__is_of(name, format))
		return ANSWER_NO;
	if (name->kind == TW_NAME_OPERAND)
		return ANSWER_KEY;
	if (name->kind == TW_NAME_FIELD)
		return tw_filter_name__find(name, format) ? ANSWER_FIELD : ANSWER_NO;
	return own_name_holds(known, format) ? ANSWER_YES : ANSWER_NO;
}

static bool answer_all(struct binder *b)
{
	bool has_field = false;

	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		b->answers[i] = (uint8_t)answer(&b->known[i], b->format);
		b->known[i].usable |= b->answers[i] == ANSWER_YES || b->answers[i] == ANSWER_KEY;
		has_field |= b->answers[i] == ANSWER_FIELD;
	}
	return has_field;
}

/* A field of the event. One that cannot be compared so is a mistake where it was named in full, else as if it were not there. */
static int bind_field(struct binder *b, unsigned int i, struct tw_node **ret)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	struct known *known = &b->known[i];
	struct tw_error why = { "" };
	const struct tw_binding binding = binding_of(b, i, &why);
	struct tw_subject subject;
	struct tw_tests tests;
	int err = subject_of_field(b, predicate, tw_filter_name__find(&known->name, b->format), &subject);

	if (!err)
		err = tw_binding__tests(&binding, &subject, &tests);
	if (err && err != -EINVAL && err != -ERANGE)
		return err;
	if (err == -EINVAL)
		tests = (struct tw_tests){ 0 };
	if (err && !known->err) {
		known->err = -EINVAL;
		known->why = why;
	}
	known->usable |= !err;
	known->asks |= tests.n || tests.is_true;
	*ret = node_of_tests(b, &tests);
	return 0;
}

static int tree_of_predicate(struct binder *b, unsigned int i, struct tw_node **ret)
{
	const enum answer given = b->answers[i];

	if (given == ANSWER_FIELD)
		return bind_field(b, i, ret);
	*ret = given == ANSWER_KEY ? node_of_tests(b, &b->known[i].shared)
				   : tw_node__certain(b->bound->arena, given == ANSWER_YES);
	return 0;
}

/* Whether something is wrong with the names that a comparison is about. Return: 0 or -EINVAL, with @err filled. */
static int check_names(const struct binder *b, unsigned int i, struct tw_error *err)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct tw_schema *schema = b->bound->options.schema;
	const struct known *known = &b->known[i];

	if (is_own_name(&known->name))
		return tw_filter_own_name__check(&known->name, predicate, schema, err);
	if (known->usable)
		return 0;
	if (known->err)
		return tw_error__set(err, known->err, "%s", known->why.text);
	return tw_filter_name__unknown(&known->name, schema, predicate->column, err);
}

/* Names and values that nothing has. Where they are allowed, a comparison is absent only if nothing is asked of any event. */
static int check(struct binder *b)
{
	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		const bool strict = !b->bound->options.unknown_is_absent;
		struct tw_error why;
		int err;

		if (!strict && (b->known[i].usable || b->known[i].asks))
			continue;
		err = check_names(b, i, &why);
		if (err && strict)
			return tw_error__set(b->err, err, "%s", why.text);
		if (!err)
			continue;
		b->bound->absent[i] = tw_arena__copy(b->bound->arena, why.text, strlen(why.text));
		if (!b->bound->absent[i])
			return -ENOMEM;
	}
	return 0;
}

/* The tree for the binder's format. */
static int make_tree(struct binder *b, const struct tw_node **ret)
{
	struct tw_node *stack[TW_FILTER_PREDICATES_MAX];
	struct tw_arena *arena = b->bound->arena;
	unsigned int n = 0;
	int err = 0;

	for (unsigned int i = 0; i < b->filter->n_postfix && !err; i++) {
		const struct tw_postfix *step = &b->filter->postfix[i];

		if (step->kind == TW_POSTFIX_PREDICATE) {
			err = tree_of_predicate(b, step->predicate, &stack[n++]);
		} else if (step->kind == TW_POSTFIX_NOT) {
			stack[n - 1] = stack[n - 1] ? tw_node__negate(stack[n - 1]) : NULL;
		} else {
			const enum tw_node_kind kind = step->kind == TW_POSTFIX_AND ? TW_NODE_AND : TW_NODE_OR;

			n--;
			stack[n - 1] = tw_node__join(arena, kind, stack[n - 1], stack[n]);
		}
	}
	if (!err && !stack[0])
		err = -ENOMEM;
	if (!err)
		*ret = stack[0];
	return err;
}

/* Most events have none of the fields and share a tree: two thousand copies of a long expression would fill the memory. */
static int bind_event(struct binder *b, const struct tw_node **ret)
{
	const bool has_field = answer_all(b);
	const size_t n = b->filter->n_predicates * sizeof(b->answers[0]);
	int err;

	if (!has_field && b->plain && !memcmp(b->answers, b->plain_answers, n)) {
		*ret = b->plain;
		return 0;
	}
	err = make_tree(b, ret);
	if (!err && !has_field) {
		b->plain = *ret;
		memcpy(b->plain_answers, b->answers, n);
	}
	return err;
}

static int bind_events(struct binder *b)
{
	struct tw_bound *bound = b->bound;
	int err;

	b->format = NULL;
	err = bind_event(b, &bound->unknown);
	for (size_t i = 0; i < bound->n_events && !err; i++) {
		b->format = tw_schema__at(bound->options.schema, i);
		bound->events[i].format = b->format;
		err = bind_event(b, &bound->events[i].root);
		tw_print__free(b->print);
		b->print = NULL;
	}
	return err;
}

static int read_names(struct binder *b)
{
	for (unsigned int i = 0; i < b->filter->n_predicates; i++) {
		const int err = tw_filter_name__read(b->filter->predicates[i], &b->known[i].name, b->err);

		if (err)
			return err;
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
		error = bind_keys(&b);
	if (!error)
		error = bind_events(&b);
	if (!error)
		error = check(&b);
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

void tw_bound__free(struct tw_bound *bound)
{
	if (!bound)
		return;
	for (struct tw_compiled *c = bound->patterns; c; c = c->next)
		tw_pattern__free(c->code);
	tw_arena__free(bound->arena);
	free(bound);
}
