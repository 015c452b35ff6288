/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter language (docs/filter.md). There are two steps: a text is parsed once, without any event; then it is bound to a schema,
 * which gives each event a tree of tests of its fields. The evaluator and each back end use the trees (filter/tree.h), and all have the
 * same meaning.
 *
 * Texts come from users or from untrusted files: bounded, no recursion.
 */
#ifndef TW_FILTER_H
#define TW_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "schema/schema.h"

#define TW_FILTER_TEXT_MAX       4096               /* bytes of an expression */
#define TW_FILTER_PREDICATES_MAX 256                /* number of comparisons */
#define TW_FILTER_DEPTH_MAX      64                 /* depth of parentheses and nots */
#define TW_FILTER_MEMORY_MAX     ((size_t)64 << 20) /* bytes of one bound filter */

struct tw_filter;

/**
 * tw_filter__parse() - parse an expression
 * @text: NUL-terminated, copied
 * @ret: the caller's; tw_filter__free()
 *
 * Return: 0; -EINVAL for an invalid expression, -E2BIG beyond a limit, -ENOMEM. @error begins with "column N: ", N counted in bytes from
 * 1.
 */
int tw_filter__parse(const char *text, struct tw_filter **ret, struct tw_error *error);

/** tw_filter__free() - NULL is fine */
void tw_filter__free(struct tw_filter *filter);

/** tw_filter__text() - the original text; borrowed */
const char *tw_filter__text(const struct tw_filter *filter);

/** tw_filter__predicates() - number of comparisons, which are numbered in the order of the text */
unsigned int tw_filter__predicates(const struct tw_filter *filter);

/** tw_filter__predicate() - the text of one, borrowed. Return: its first byte; @ret_len: its length */
const char *tw_filter__predicate(const struct tw_filter *filter, unsigned int i, size_t *ret_len);

/**
 * tw_filter__ambiguous_key() - whether a name in the expression is a key of every event, such as comm, and an event of @schema also has a
 * field of that name
 * @ret: a sentence about the first one that says what it means, and how the field is named; with a column as for tw_filter__parse()
 */
bool tw_filter__ambiguous_key(const struct tw_filter *filter, const struct tw_schema *schema, struct tw_error *ret);

/* The formats that a filter is bound to. */
struct tw_bind_options {
	const struct tw_schema *schema; /* borrowed while the bound filter exists; must not change meanwhile */
	bool big_endian;                /* byte order of the event bodies */
	/*
	 * Names that no event of the schema has are no error and match nothing: for a schema that may grow, and on a receiver. If false,
	 * they are an error that suggests the most similar name.
	 */
	bool unknown_is_absent;
};

struct tw_bound;

/**
 * tw_filter__bind() - compile an expression for each event of a schema
 * @filter: may be freed before the result
 * @ret: the caller's; tw_bound__free()
 *
 * Return: 0; -EINVAL for an impossible name, value or operator, with @error as from tw_filter__parse(); -E2BIG, -ENOMEM.
 */
int tw_filter__bind(const struct tw_filter *filter, const struct tw_bind_options *options, struct tw_bound **ret,
		    struct tw_error *error);

/** tw_bound__free() - NULL is fine */
void tw_bound__free(struct tw_bound *bound);

#endif
