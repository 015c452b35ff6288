/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. Splits an expression into tokens; converts the text of a value to a number, a time, bytes or an address. */
#ifndef TW_FILTER_LEX_H
#define TW_FILTER_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/language/syntax.h"

enum tw_token_kind {
	TW_TOKEN_END,
	TW_TOKEN_WORD,    /* a name, a keyword, a value without quotes */
	TW_TOKEN_STRING,  /* in quotes */
	TW_TOKEN_COMPARE, /* == != < <= > >= ~ ; op has which */
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

/** tw_filter_lexer__next() - the next token. Return: 0; -EINVAL for an invalid character or quote; -ENOMEM */
int tw_filter_lexer__next(struct tw_filter_lexer *lexer, struct tw_filter_token *ret, struct tw_error *error);

/**
 * tw_literal__column_of() - the column of a byte of a value
 * @text: the value's text in the expression
 * @byte: index in the value, after quotes and escapes were removed; its length means the place after it
 */
uint32_t tw_literal__column_of(const struct tw_literal *literal, const char *text, size_t byte);

#define TW_LITERAL_BYTES_MAX 256

/* An integer of any sign: -magnitude or magnitude. */
struct tw_integer {
	uint64_t magnitude;
	bool negative; /* false for magnitude 0 */
};

enum tw_literal_status {
	TW_LITERAL_OK,
	TW_LITERAL_OTHER, /* not of this kind */
	TW_LITERAL_LARGE, /* more than 64 bits, or more than nine decimals */
};

/** tw_literal__integer() - decimal, 0x, 0b, 0 octal, 'c', true, false, with a sign */
enum tw_literal_status tw_literal__integer(const struct tw_literal *literal, struct tw_integer *ret);

/** tw_literal__seconds() - 12.5, as ns; not negative */
enum tw_literal_status tw_literal__seconds(const struct tw_literal *literal, uint64_t *ret);

/** tw_literal__bytes() - aa:bb:cc. @ret: TW_LITERAL_BYTES_MAX bytes. Return: number of bytes, 0 if it is something else */
size_t tw_literal__bytes(const struct tw_literal *literal, uint8_t *ret);

/**
 * tw_literal__address() - an IP address
 * @size: 4 or 16 bytes
 * @ret_prefix: bits after the slash, 0 if there is none. /0 is refused, because every address matches it
 */
bool tw_literal__address(const struct tw_literal *literal, size_t size, uint8_t *ret, uint8_t *ret_prefix);

#endif
