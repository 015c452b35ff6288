/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the language. The parser's place in the text: one token ahead. */
#ifndef TW_FILTER_PARSER_H
#define TW_FILTER_PARSER_H

#include <string.h>

#include "filter/language/lex.h"

struct tw_filter_parser {
	struct tw_filter_lexer lexer;
	struct tw_filter *filter;
	struct tw_filter_token token; /* the next one */
	struct tw_error *err;
};

static inline uint32_t tw_filter_parser__column(const struct tw_filter_parser *p)
{
	return p->token.literal.column;
}

static inline int tw_filter_parser__next(struct tw_filter_parser *p)
{
	return tw_filter_lexer__next(&p->lexer, &p->token, p->err);
}

static inline bool tw_filter_parser__is_word(const struct tw_filter_parser *p, const char *word)
{
	return p->token.kind == TW_TOKEN_WORD && !strcmp(p->token.literal.text, word);
}

/**
 * tw_filter_parser__comparison() - from a name to what it is compared with; the filter gets one predicate more
 * @ret_negated: it was `not in`
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM.
 */
int tw_filter_parser__comparison(struct tw_filter_parser *p, bool *ret_negated);

#endif
