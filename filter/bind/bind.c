/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binds an expression: computes the postfix expression once for each event of the schema. The operands and the result are trees. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bind/bind.h"
#include "filter/compare.h"
#include "filter/describe.h"
#include "filter/evaluate.h"
#include "filter/language/lex.h"
#include "filter/pattern.h"
#include "filter/tree.h"

int tw_binding__wrong_way(const struct tw_binding *binding, const struct tw_set_member *member)
{
	return tw_filter_error(binding->error, -EINVAL, member->low.column,
			       "the range %.32s..%.32s has its ends in the wrong order", member->low.text,
			       member->high.text);
}

static int keep(const struct tw_binding *binding, const void *bytes, size_t len, const uint8_t **ret, size_t *ret_len)
{
	*ret = tw_arena__copy(binding->bound->arena, bytes, len);
	*ret_len = len;
	return *ret ? 0 : -ENOMEM;
}

/* Refuse a text that is longer than the field, if the operator is `==`, `!=` or `contains`. */
static int check_length(const struct tw_binding *binding, const struct tw_subject *subject,
			const struct tw_literal *literal, const struct tw_test *test)
{
	const struct tw_field *field = subject->field;
	const bool whole = test->op == TW_TEST_EQ || test->op == TW_TEST_NE || test->op == TW_TEST_CONTAINS;

	if (!whole || !field || field->kind == TW_FIELD_BITMASK || field->place != TW_PLACE_FIXED ||
	    literal->len <= field->size)
		return 0;
	return tw_filter_error(binding->error, -ERANGE, literal->column, "'%s' has %u bytes and cannot hold this text",
			       subject->name, field->size);
}

/* Set the test's regular expression. It is compiled once for all events; the bound filter owns it. */
static int bind_pattern(const struct tw_binding *binding, const struct tw_literal *literal, struct tw_test *test)
{
	struct tw_compiled *compiled;
	void *code;
	char why[256];
	size_t at = 0;

	for (struct tw_compiled *c = binding->bound->patterns; c; c = c->next) {
		if (c->literal == literal) {
			test->pattern = c->code;
			return 0;
		}
	}
	compiled = tw_arena__take(binding->bound->arena, sizeof(*compiled));
	if (!compiled)
		return -ENOMEM;
	code = tw_pattern__new(literal, &at, why);
	if (!code)
		return tw_filter_error(binding->error, -EINVAL,
				       tw_literal__column_of(literal, binding->bound->text, at),
				       "this is not a regular expression: %s", why);
	*compiled = (struct tw_compiled){ .literal = literal, .code = code, .next = binding->bound->patterns };
	binding->bound->patterns = compiled;
	test->pattern = code;
	return 0;
}

/* Refuse a word without quotes that has a `*`, unless the operator is for patterns, because the user probably meant a pattern. */
static int check_star(const struct tw_binding *binding, const struct tw_literal *literal, const struct tw_test *test)
{
	if (test->op == TW_TEST_GLOB || test->op == TW_TEST_MATCHES || literal->quote || !strchr(literal->text, '*'))
		return 0;
	return tw_filter_error(binding->error, -EINVAL, literal->column,
			       "'%.64s' is a pattern: compare it with ~; in quotes, * is an ordinary character",
			       literal->text);
}

static int check_order(const struct tw_binding *binding, const struct tw_set_member *member, const struct tw_test *test)
{
	if (!member->is_range || tw_bytes__compare(test->bytes, test->len, test->high_bytes, test->high_len) <= 0)
		return 0;
	return tw_binding__wrong_way(binding, member);
}

static int bind_text(const struct tw_binding *binding, const struct tw_subject *subject,
		     const struct tw_set_member *member, struct tw_test *test)
{
	const struct tw_predicate *predicate = binding->predicate;
	int err;

	test->op = member->is_range ? TW_TEST_WITHIN : predicate->op;
	err = check_star(binding, &member->low, test);
	if (!err)
		err = keep(binding, member->low.text, member->low.len, &test->bytes, &test->len);
	if (!err && member->is_range)
		err = keep(binding, member->high.text, member->high.len, &test->high_bytes, &test->high_len);
	if (!err)
		err = check_order(binding, member, test);
	if (!err && test->op == TW_TEST_MATCHES)
		err = bind_pattern(binding, &member->low, test);
	return err ? err : check_length(binding, subject, &member->low, test);
}

/* Read a value that is written as bytes, as a quoted text or as an address. Return: number of bytes in @ret; 0 if it is none of these. */
static size_t read_bytes(const struct tw_subject *subject, const struct tw_literal *literal, uint8_t *ret,
			 uint8_t *ret_prefix)
{
	const struct tw_field *field = subject->field;
	const bool fixed = field->place == TW_PLACE_FIXED;

	*ret_prefix = 0;
	if (literal->quote && literal->len <= TW_LITERAL_BYTES_MAX) {
		memcpy(ret, literal->text, literal->len);
		return literal->len;
	}
	if (fixed && (field->size == 4 || field->size == 16) &&
	    tw_literal__address(literal, field->size, ret, ret_prefix))
		return field->size;
	return tw_literal__bytes(literal, ret);
}

static int bind_side(const struct tw_binding *binding, const struct tw_subject *subject,
		     const struct tw_literal *literal, struct tw_test *test, const uint8_t **ret, size_t *ret_len)
{
	const struct tw_field *field = subject->field;
	uint8_t bytes[TW_LITERAL_BYTES_MAX], prefix;
	const size_t len = read_bytes(subject, literal, bytes, &prefix);
	const uint32_t address = field->place == TW_PLACE_FIXED ? field->size : 0; /* 4 or 16: size of an address */

	if (!len)
		return tw_filter_error(binding->error, -EINVAL, literal->column,
				       "'%s' holds bytes: write a value as aa:bb:cc%s, not as '%.64s'", subject->name,
				       address == 4    ? " or as an IPv4 address"
				       : address == 16 ? " or as an IPv6 address"
						       : "",
				       literal->text);
	if (prefix && test->op != TW_TEST_EQ && test->op != TW_TEST_NE)
		return tw_filter_error(
			binding->error, -EINVAL, literal->column,
			"an address can be compared with a network only by ==, !=, or `in` without ranges");
	test->prefix = prefix;
	if (field->place == TW_PLACE_FIXED && (test->op == TW_TEST_EQ || test->op == TW_TEST_NE) && len != field->size)
		return tw_filter_error(binding->error, -EINVAL, literal->column, "'%s' has %u bytes, not %zu%s",
				       subject->name, field->size, len,
				       literal->quote ? "; write addresses without quotes" : "");
	return keep(binding, bytes, len, ret, ret_len);
}

static int bind_bytes(const struct tw_binding *binding, const struct tw_subject *subject,
		      const struct tw_set_member *member, struct tw_test *test)
{
	const struct tw_predicate *predicate = binding->predicate;
	int err;

	test->op = member->is_range ? TW_TEST_WITHIN : predicate->op;
	if (test->op == TW_TEST_MATCHES || test->op == TW_TEST_GLOB)
		return tw_filter_error(binding->error, -EINVAL, predicate->op_column,
				       "'%s' holds bytes; '%s' is for text", subject->name, tw_test_op__text(test->op));
	err = bind_side(binding, subject, &member->low, test, &test->bytes, &test->len);
	if (!err && member->is_range)
		err = bind_side(binding, subject, &member->high, test, &test->high_bytes, &test->high_len);
	return err ? err : check_order(binding, member, test);
}

static struct tw_test *new_test(const struct tw_binding *binding, const struct tw_subject *subject)
{
	struct tw_test *test = tw_arena__take(binding->bound->arena, sizeof(*test));

	if (!test)
		return NULL;
	test->operand = subject->operand;
	test->compared = subject->compared;
	test->op = TW_TEST_EXISTS;
	test->big_endian = subject->big_endian;
	test->is_signed = subject->is_signed;
	test->predicate = binding->index;
	test->field = subject->field;
	return test;
}

static int bind_member(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_set_member *member, struct tw_test *test, int *ret_certain)
{
	*ret_certain = -1;
	if (!member && !binding->predicate->has_mask)
		return 0;
	if (subject->operand == TW_ON_TIME)
		return tw_binding__time(binding, member, test);
	if (subject->compared == TW_AS_NUMBER)
		return tw_binding__number(binding, subject, member, test, ret_certain);
	if (subject->compared == TW_AS_TEXT)
		return bind_text(binding, subject, member, test);
	return bind_bytes(binding, subject, member, test);
}

static bool is_always_there(const struct tw_subject *subject)
{
	return subject->operand != TW_ON_FIELD && subject->operand != TW_ON_COMM && subject->operand != TW_ON_HOST;
}

/* Make the test for a value of a comparison, and add it unless its result is certain. @member: NULL if the comparison has no value */
static int add_test(const struct tw_binding *binding, const struct tw_subject *subject,
		    const struct tw_set_member *member, struct tw_tests *tests)
{
	struct tw_test *test = new_test(binding, subject);
	int certain, err;

	if (!test)
		return -ENOMEM;
	err = bind_member(binding, subject, member, test, &certain);
	if (err && err != -ERANGE)
		return err;
	if (certain && test->op == TW_TEST_EXISTS && is_always_there(subject))
		tests->is_true = true;
	else if (certain)
		tests->items[tests->n++] = test;
	return err;
}

static int check_mask(const struct tw_binding *binding, const struct tw_subject *subject)
{
	const struct tw_predicate *predicate = binding->predicate;

	if (!predicate->has_mask || (subject->compared == TW_AS_NUMBER && subject->operand != TW_ON_TIME))
		return 0;
	return tw_filter_error(binding->error, -EINVAL, predicate->mask.column,
			       "'%s' is not a number: & is for numbers", subject->name);
}

static unsigned int count_members(const struct tw_predicate *predicate)
{
	unsigned int n = 0;

	for (const struct tw_set_member *member = predicate->members; member; member = member->next)
		n++;
	return n;
}

/*
 * Make the tests of a comparison with @subject: one test for each member of a set, otherwise one test.
 * Return: 0; -EINVAL if the comparison is impossible, with the binding's error filled; -ERANGE if the subject cannot have some of the
 * values, with the error and @ret filled; -ENOMEM.
 */
static int binding__tests(const struct tw_binding *binding, const struct tw_subject *subject, struct tw_tests *ret)
{
	const struct tw_predicate *predicate = binding->predicate;
	const unsigned int n = count_members(predicate);
	bool out_of_range = false;
	int err = check_mask(binding, subject);

	if (err)
		return err;
	*ret = (struct tw_tests){ .items = tw_arena__take(binding->bound->arena, (n + 1) * sizeof(*ret->items)) };
	if (!ret->items)
		return -ENOMEM;
	if (!n)
		return add_test(binding, subject, NULL, ret);
	for (const struct tw_set_member *member = predicate->members; member; member = member->next) {
		err = add_test(binding, subject, member, ret);
		if (err && err != -ERANGE)
			return err;
		out_of_range |= err == -ERANGE;
	}
	return out_of_range ? -ERANGE : 0;
}

/* What is known about a comparison, in addition to its text. */
struct known {
	struct tw_filter_name name;
	struct tw_tests shared; /* if the name is a key: the tests, which are the same for all events */
	bool usable;            /* some event has the operand, and this operand can be compared with the values */
	bool asks; /* the tree of at least one event has a test of the comparison, at least for some values of a set */
	int err;   /* error for the first event whose field cannot be compared with all values; 0 = no such event */
	struct tw_error why;
};

/* What a comparison becomes in the tree of one event. */
enum answer {
	ANSWER_NO,    /* FALSE */
	ANSWER_YES,   /* TRUE */
	ANSWER_KEY,   /* tests of a key, which are the same for all events */
	ANSWER_FIELD, /* tests of a field of the event */
};

struct binder {
	const struct tw_filter *filter;
	struct tw_bound *bound;
	struct tw_error *error;
	struct known *known; /* one for each predicate */
	const struct tw_format
		*format;        /* the event whose tree is being made; NULL for ids that the schema does not have */
	struct tw_print *print; /* the event's print format; NULL until it is needed */
	uint8_t answers[TW_FILTER_PREDICATES_MAX]; /* enum answer for each comparison, for `format` */
	/*
	 * Answers and tree of the latest event with none of the expression's fields. The next such event shares the tree if its answers are
	 * equal.
	 */
	uint8_t plain_answers[TW_FILTER_PREDICATES_MAX];
	const struct tw_node *plain;
};

static struct tw_binding binding_of(const struct binder *b, unsigned int i, struct tw_error *error)
{
	return (struct tw_binding){
		.predicate = b->filter->predicates[i],
		.index = (uint16_t)i,
		.bound = b->bound,
		.error = error,
	};
}

static bool is_word(const struct tw_literal *literal)
{
	struct tw_integer integer;

	return tw_literal__integer(literal, &integer) == TW_LITERAL_OTHER;
}

/* Whether a value or the mask is not an integer, and may be a name from the print format. Only then is the print format parsed. */
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
	const struct tw_operand_info *info = tw_operand__info(operand);

	return (struct tw_subject){
		.name = predicate->name,
		.operand = operand,
		.compared = info->compared,
		.size = info->size,
		.is_signed = info->is_signed,
	};
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
	const struct tw_binding binding = binding_of(b, i, b->error);

	b->bound->needs_comm |= subject.operand == TW_ON_COMM;
	b->bound->needs_host |= subject.operand == TW_ON_HOST;
	return binding__tests(&binding, &subject, &known->shared);
}

static int bind_keys(struct binder *b)
{
	int err = 0;

	for (unsigned int i = 0; i < b->filter->n_predicates && !err; i++)
		if (b->known[i].name.kind != TW_NAME_FIELD)
			err = bind_key(b, i);
	return err;
}

/* Whether a comparison with `event` or `system` is true for an event. The result is the same for all records of the event. */
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

/*
 * Make the tree of a comparison with a field of the event. If the comparison is impossible for this field, the tree is FALSE. The error is
 * kept for the case that the comparison is impossible for all events.
 */
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
		err = binding__tests(&binding, &subject, &tests);
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

/* Check the names and values of a comparison. Return: 0; -EINVAL if no event has them, with @error filled. */
static int check_names(const struct binder *b, unsigned int i, struct tw_error *error)
{
	const struct tw_predicate *predicate = b->filter->predicates[i];
	const struct tw_schema *schema = b->bound->options.schema;
	const struct known *known = &b->known[i];

	if (is_own_name(&known->name))
		return tw_filter_own_name__check(&known->name, predicate, schema, error);
	if (known->usable)
		return 0;
	if (known->err)
		return tw_error__set(error, known->err, "%s", known->why.text);
	return tw_filter_name__unknown(&known->name, schema, predicate->column, error);
}

/*
 * Check for names and values that no event has. Without unknown_is_absent, the first of them is an error. With unknown_is_absent, the
 * entry in absent[] of the comparison is set to a sentence that says why the comparison is false for all events.
 */
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
			return tw_error__set(b->error, err, "%s", why.text);
		if (!err)
			continue;
		b->bound->absent[i] = tw_arena__copy(b->bound->arena, why.text, strlen(why.text));
		if (!b->bound->absent[i])
			return -ENOMEM;
	}
	return 0;
}

/* Make the tree for the event b->format. */
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

/*
 * Make the tree for b->format, or share the tree of an earlier event. Sharing is needed because most events have none of the expression's
 * fields, and two thousand equal trees of a long expression could exceed TW_FILTER_MEMORY_MAX.
 */
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
		const int err = tw_filter_name__read(b->filter->predicates[i], &b->known[i].name, b->error);

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

static int bind(const struct tw_filter *filter, struct tw_bound *bound, struct tw_error *error)
{
	struct binder b = { .filter = filter, .bound = bound, .error = error };
	int err = make_tables(bound, filter);

	b.known = calloc(filter->n_predicates, sizeof(*b.known));
	if (!b.known)
		err = -ENOMEM;
	if (!err)
		err = read_names(&b);
	if (!err)
		err = bind_keys(&b);
	if (!err)
		err = bind_events(&b);
	if (!err)
		err = check(&b);
	tw_print__free(b.print);
	free(b.known);
	return err;
}

int tw_filter__bind(const struct tw_filter *filter, const struct tw_bind_options *options, struct tw_bound **ret,
		    struct tw_error *error)
{
	struct tw_bound *bound = calloc(1, sizeof(*bound));
	int err = -ENOMEM;

	if (bound)
		bound->arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	if (bound && bound->arena) {
		bound->options = *options;
		err = bind(filter, bound, error);
	}
	if (!err) {
		*ret = bound;
		return 0;
	}
	if (err == -ERANGE)
		err = -EINVAL;
	if (err == -ENOMEM && bound && bound->arena && tw_arena__is_full(bound->arena))
		err = tw_filter_error(
			error, -E2BIG, 1,
			"the expression needs more than %zu MiB of memory for the number of events in the schema",
			TW_FILTER_MEMORY_MAX >> 20);
	else if (err == -ENOMEM)
		tw_filter_error(error, err, 1, "out of memory for the trees of the expression");
	tw_bound__free(bound);
	return err;
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
