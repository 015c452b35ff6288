/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter language (docs/filter.md). There are two steps. First, tw_filter__parse() parses a text, without any schema. Then
 * tw_filter__bind() binds the parsed text to a schema: it makes a tree of tests (filter/tree.h) for each event of the schema. The evaluator
 * and all back ends use these trees, and give them the same meaning.
 *
 * Texts come from users or from untrusted files. Therefore all sizes are limited, and no function recurses.
 */
#ifndef TW_FILTER_H
#define TW_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "schema/schema.h"

#define TW_FILTER_TEXT_MAX       4096               /* bytes of an expression */
#define TW_FILTER_PREDICATES_MAX 256                /* comparisons in an expression, and also values in a set */
#define TW_FILTER_DEPTH_MAX      64                 /* nested parentheses and nots */
#define TW_FILTER_MEMORY_MAX     ((size_t)64 << 20) /* bytes of one parsed or bound filter */

struct tw_filter;

/**
 * tw_filter__parse() - parse an expression
 * @text: NUL-terminated; is copied
 * @ret: free with tw_filter__free()
 *
 * Return: 0; -EINVAL for an invalid expression; -E2BIG if the expression exceeds a limit; -ENOMEM. @error begins with "column N: "; N is
 * the position of the fault in @text, in bytes, counted from 1.
 */
int tw_filter__parse(const char *text, struct tw_filter **ret, struct tw_error *error);

/** tw_filter__free() - free a parsed expression; @filter may be NULL */
void tw_filter__free(struct tw_filter *filter);

/** tw_filter__text() - Return: the original text of the expression; owned by @filter */
const char *tw_filter__text(const struct tw_filter *filter);

/** tw_filter__predicates() - Return: number of comparisons. They are numbered from 0, in the order of the text */
unsigned int tw_filter__predicates(const struct tw_filter *filter);

/** tw_filter__predicate() - Return: the text of comparison @i, not NUL-terminated; owned by @filter. @ret_len: its length, bytes */
const char *tw_filter__predicate(const struct tw_filter *filter, unsigned int i, size_t *ret_len);

/**
 * tw_filter__ambiguous_key() - whether the expression contains a name, such as `comm`, that is a key of every event and also the name of a
 * field of some event of @schema
 * @ret: for the first such name, a sentence that says in which column it is, what the key means, and how the field is written
 */
bool tw_filter__ambiguous_key(const struct tw_filter *filter, const struct tw_schema *schema, struct tw_error *ret);

/* Parameters of tw_filter__bind(). */
struct tw_bind_options {
	const struct tw_schema *schema; /* formats of the events; must not change while the bound filter exists */
	bool big_endian;                /* byte order of the event bodies */
	/*
	 * True: names and values that no event of the schema has are accepted, and a comparison with an unknown field is false. Programs
	 * set this if the schema may not be complete yet. False: a name or value that no event of the schema has is an error. The error
	 * text suggests a similar name, if there is one.
	 */
	bool unknown_is_absent;
};

struct tw_bound;

/**
 * tw_filter__bind() - make the trees of tests of an expression for each event of a schema
 * @filter: may be freed before *@ret
 * @ret: free with tw_bound__free()
 *
 * Return: 0; -EINVAL if a name, a value or an operator is refused; -E2BIG, -ENOMEM. @error is as from tw_filter__parse().
 */
int tw_filter__bind(const struct tw_filter *filter, const struct tw_bind_options *options, struct tw_bound **ret,
		    struct tw_error *error);

/** tw_bound__free() - free a bound filter; @bound may be NULL */
void tw_bound__free(struct tw_bound *bound);

#endif
