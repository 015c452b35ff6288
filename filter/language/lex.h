/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. An expression cut into tokens. */
#ifndef TW_FILTER_LEX_H
#define TW_FILTER_LEX_H

#include "filter/language/syntax.h"

enum tw_token_kind {
	TW_TOKEN_END,
	TW_TOKEN_WORD,    /* a name, a keyword, a value without quotes */
	TW_TOKEN_STRING,  /* in quotes */
	TW_TOKEN_COMPARE, /* == != < <= > >= ~ ; op tells which */
	TW_TOKEN_MASK,    /* & */
	TW_TOKEN_AND,     /* && */
	TW_TOKEN_OR,      /* || */
	TW_TOKEN_NOT,     /* ! */
	TW_TOKEN_OPEN,    /* ( */
	TW_TOKEN_CLOSE,   /* ) */
	TW_TOKEN_SET,     /* { */
	TW_TOKEN_SET_END,
	TW_TOKEN_COMMA,
	TW_TOKEN_RANGE, /* .. */
};

struct tw_filter_token {
	uint8_t kind;              /* enum tw_token_kind */
	uint8_t op;                /* enum tw_test_op of COMPARE */
	size_t begin, end;         /* in the text */
	struct tw_literal literal; /* of WORD and STRING */
};

struct tw_filter_lexer {
	const char *text;
	size_t at;
	struct tw_arena *arena;
};

/** tw_filter_lexer__next() - the next token. Return: 0; -EINVAL for a character or a quote that cannot be; -ENOMEM */
int tw_filter_lexer__next(struct tw_filter_lexer *lexer, struct tw_filter_token *ret, struct tw_error *err);

/**
 * tw_literal__column_of() - where a byte of a value stands
 * @text: the expression that it was taken from
 * @byte: of the value, where quotes and escapes are gone; its length is the place behind it
 */
uint32_t tw_literal__column_of(const struct tw_literal *literal, const char *text, size_t byte);

#endif
