/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. The tokens of a print fmt, which are the tokens of C. */
#ifndef TW_PRINT_LEX_H
#define TW_PRINT_LEX_H

#include <stdbool.h>

#include "schema/text_cursor.h"

enum tw_lex_kind {
	TW_LEX_END,
	TW_LEX_NUMBER, /* also character constants */
	TW_LEX_WORD,
	TW_LEX_STRING, /* with its quotes and escapes */
	TW_LEX_PUNCT,  /* punctuation of one or two characters; @punct has them */
	TW_LEX_BAD,
};

/* Two characters in one number, for use in a switch. */
#define TW_PUNCT(a, b) ((uint16_t)((uint8_t)(a) << 8 | (uint8_t)(b)))

struct tw_lex_token {
	uint8_t kind;
	uint8_t size; /* size of a number's type, bytes; TW_TYPE_LONG for a long */
	bool is_signed;
	uint16_t punct; /* TW_PUNCT() of the characters; the second may be 0 */
	uint64_t value;
	struct tw_text text;
	uint32_t column; /* column in the print fmt, bytes, from 1 */
};

struct tw_lexer {
	struct tw_text left;
	const char *begin;
};

/** tw_lexer__next() - cut the next token; at the end, each call gives TW_LEX_END */
void tw_lexer__next(struct tw_lexer *lexer, struct tw_lex_token *ret);

/** tw_lexer__unescape() - cut the next character of a string, which may be an escape. Return: false at the string's end */
bool tw_lexer__unescape(struct tw_text *inside, char *ret);

#endif
