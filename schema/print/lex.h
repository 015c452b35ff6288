/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. The tokens of a print fmt: those of C. */
#ifndef TW_PRINT_LEX_H
#define TW_PRINT_LEX_H

#include <stdbool.h>

#include "schema/text_cursor.h"

enum tw_lex_kind {
	TW_LEX_END,
	TW_LEX_NUMBER, /* also characters in quotes */
	TW_LEX_WORD,
	TW_LEX_STRING, /* with its quotes, escapes as they stand */
	TW_LEX_PUNCT,  /* up to two characters of its own in op */
	TW_LEX_BAD,
};

/* Two characters in one number, so that they can stand in a switch. */
#define TW_PUNCT(a, b) ((uint16_t)((uint8_t)(a) << 8 | (uint8_t)(b)))

struct tw_lex_token {
	uint8_t kind;
	uint8_t size; /* of a number's type, bytes; TW_TYPE_LONG for a long */
	bool is_signed;
	uint16_t punct; /* TW_PUNCT(first, second or 0) */
	uint64_t value;
	struct tw_text text;
	uint32_t column; /* in the print fmt, from 1 */
};

struct tw_lexer {
	struct tw_text left;
	const char *begin;
};

/** tw_lexer__next() - cut the next token; TW_LEX_END again and again at the end */
void tw_lexer__next(struct tw_lexer *lexer, struct tw_lex_token *ret);

/** tw_lexer__unescape() - the next character of a string's inside. Return: false at its end */
bool tw_lexer__unescape(struct tw_text *inside, char *ret);

#endif
