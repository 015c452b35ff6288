/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binding: the postfix expression is worked out once for each event of the schema, with trees as its values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bind/binder.h"
#include "filter/evaluate.h"
#include "filter/node.h"
#include "filter/pattern.h"

/* The tree for the binder's format. */
static int make_tree(struct tw_binder *b, const struct tw_node **ret)
{
	struct tw_node *stack[TW_FILTER_PREDICATES_MAX];
	struct tw_arena *arena = b->bound->arena;
	unsigned int n = 0;
	int error = 0;

	for (unsigned int i = 0; i < b->filter->n_postfix && !error; i++) {
		const struct tw_postfix *step = &b->filter->postfix[i];

		if (step->kind == TW_POSTFIX_PREDICATE) {
			error = tw_binder__predicate(b, step->predicate, &stack[n++]);
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

/* Most events have none of the fields and share a tree: two thousand copies of a long expression would fill the memory. */
static int bind_event(struct tw_binder *b, const struct tw_node **ret)
{
	const bool has_field = tw_binder__answer(b);
	const size_t n = b->filter->n_predicates * sizeof(b->answers[0]);
	int error;

	if (!has_field && b->plain && !memcmp(b->answers, b->plain_answers, n)) {
		*ret = b->plain;
		return 0;
	}
	error = make_tree(b, ret);
	if (!error && !has_field) {
		b->plain = *ret;
		memcpy(b->plain_answers, b->answers, n);
	}
	return error;
}

static int bind_events(struct tw_binder *b)
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

static int read_names(struct tw_binder *b)
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
	struct tw_binder b = { .filter = filter, .bound = bound, .err = err };
	int error = make_tables(bound, filter);

	b.known = calloc(filter->n_predicates, sizeof(*b.known));
	if (!b.known)
		error = -ENOMEM;
	if (!error)
		error = read_names(&b);
	if (!error)
		error = tw_binder__bind_keys(&b);
	if (!error)
		error = bind_events(&b);
	if (!error)
		error = tw_binder__check(&b);
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
