/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. Splits an expression into tokens, and converts the text of a value to a number, a time, bytes or an address. */
#ifndef TW_FILTER_LEX_H
#define TW_FILTER_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/language/syntax.h"

enum tw_token_kind {
	TW_TOKEN_END,
	TW_TOKEN_WORD,    /* a name, a keyword, a value without quotes */
	TW_TOKEN_STRING,  /* a value in quotes */
	TW_TOKEN_COMPARE, /* == != < <= > >= ~ */
	TW_TOKEN_MASK,    /* & */
	TW_TOKEN_AND,     /* && */
	TW_TOKEN_OR,      /* || */
	TW_TOKEN_NOT,     /* ! */
	TW_TOKEN_OPEN,    /* ( */
	TW_TOKEN_CLOSE,   /* ) */
	TW_TOKEN_SET,     /* { */
	TW_TOKEN_SET_END, /* } */
	TW_TOKEN_COMMA,
	TW_TOKEN_RANGE, /* .. */
};

struct tw_filter_token {
	uint8_t kind;              /* enum tw_token_kind */
	uint8_t op;                /* COMPARE: enum tw_test_op */
	size_t begin, end;         /* offsets of the token and of the byte after it, in the expression */
	struct tw_literal literal; /* WORD and STRING: the value; for all other tokens, only the column is set */
};

struct tw_filter_lexer {
	const char *text; /* the expression */
	size_t at;        /* offset of the next byte to read */
	struct tw_arena *arena;
};

/** tw_filter_lexer__next() - read the next token. Return: 0; -EINVAL for an invalid character, quote, escape or operator; -ENOMEM */
int tw_filter_lexer__next(struct tw_filter_lexer *lexer, struct tw_filter_token *ret, struct tw_error *error);

/**
 * tw_literal__column_of() - Return: the column, in the expression, of a byte of a value
 * @text: the expression
 * @byte: index of the byte in literal->text, at most literal->len
 */
uint32_t tw_literal__column_of(const struct tw_literal *literal, const char *text, size_t byte);

#define TW_LITERAL_BYTES_MAX 256

/* An integer: -magnitude if negative, otherwise magnitude. */
struct tw_integer {
	uint64_t magnitude;
	bool negative; /* false for magnitude 0 */
};

enum tw_literal_status {
	TW_LITERAL_OK,
	TW_LITERAL_OTHER, /* the text is not an integer (or not a time) */
	TW_LITERAL_LARGE, /* the value does not fit 64 bits, or a time has more than nine decimals */
};

/** tw_literal__integer() - read an integer, with an optional sign: 31, 0x1f, 0b11111, octal 037 or 0o37; or 'c'; or true or false */
enum tw_literal_status tw_literal__integer(const struct tw_literal *literal, struct tw_integer *ret);

/** tw_literal__seconds() - read a time in seconds without a sign, such as 12.5. @ret: ns */
enum tw_literal_status tw_literal__seconds(const struct tw_literal *literal, uint64_t *ret);

/**
 * tw_literal__bytes() - read bytes written aa:bb:cc, aa-bb-cc or aa.bb.cc, without quotes
 * @ret: buffer of TW_LITERAL_BYTES_MAX bytes
 * Return: number of bytes; 0 if invalid.
 */
size_t tw_literal__bytes(const struct tw_literal *literal, uint8_t *ret);

/**
 * tw_literal__address() - read an IP address, perhaps with a prefix length
 * @size: 4 for IPv4, 16 for IPv6
 * @ret_prefix: the prefix length, bits; 0 if there is none, or if it covers the whole address
 * Return: false if the text is no such address. /0 is refused, because every address matches it.
 */
bool tw_literal__address(const struct tw_literal *literal, size_t size, uint8_t *ret, uint8_t *ret_prefix);

#endif
