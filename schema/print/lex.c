/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/print/lex.h"

#include "base/number.h"
#include "schema/type.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || tw_text__is_digit(c);
}

static unsigned int base_of(struct tw_text *text)
{
	if (text->len < 2 || *text->at != '0')
		return 10;
	if ((text->at[1] | 0x20) != 'x')
		return 8;
	tw_text__cut(text, 2);
	return 16;
}

/* Sets the type of a constant as C does: from its suffixes, or a larger type if the value needs one. */
static void type_number(struct tw_lex_token *token, bool decimal, bool is_unsigned, unsigned int longs)
{
	const uint64_t value = token->value;

	token->is_signed = !is_unsigned;
	token->size = longs > 1 ? 8 : longs ? TW_TYPE_LONG : 4;
	if (token->size == 4 && value > (is_unsigned || !decimal ? UINT32_MAX : INT32_MAX))
		token->size = 8;
	if (!is_unsigned && value > (token->size == 4 ? INT32_MAX : INT64_MAX))
		token->is_signed = false;
}

static void read_number(struct tw_lex_token *token)
{
	struct tw_text text = token->text;
	const unsigned int base = base_of(&text);
	unsigned int longs = 0;
	bool is_unsigned = false;

	token->kind = TW_LEX_NUMBER;
	token->value = 0;
	for (; text.len && tw_number__digit(*text.at) < base; tw_text__cut(&text, 1))
		token->value = token->value * base + tw_number__digit(*text.at);
	for (; text.len; tw_text__cut(&text, 1)) {
		if ((*text.at | 0x20) == 'u')
			is_unsigned = true;
		else if ((*text.at | 0x20) == 'l')
			longs++;
		else
			token->kind = TW_LEX_BAD;
	}
	type_number(token, base == 10, is_unsigned, longs);
}

bool tw_lexer__unescape(struct tw_text *inside, char *ret)
{
	static const char from[] = "ntr0abfv", to[] = "\n\t\r\0\a\b\f\v";
	const char *escape;

	if (!inside->len)
		return false;
	*ret = *inside->at;
	tw_text__cut(inside, 1);
	if (*ret != '\\' || !inside->len)
		return true;
	*ret = *inside->at;
	tw_text__cut(inside, 1);
	escape = memchr(from, *ret, sizeof(from) - 1);
	if (escape)
		*ret = to[escape - from];
	return true;
}

/* Measures a string with its quotes. Return: its length; 0 if the closing quote is missing */
static size_t quoted(const struct tw_text *text)
{
	for (size_t i = 1; i < text->len; i++) {
		if (text->at[i] == '\\')
			i++;
		else if (text->at[i] == *text->at)
			return i + 1;
	}
	return 0;
}

static void read_quoted(struct tw_lex_token *token)
{
	struct tw_text inside = { token->text.at + 1, token->text.len - 2 };
	char c = '\0';

	token->kind = TW_LEX_STRING;
	if (*token->text.at == '"')
		return;
	token->kind = tw_lexer__unescape(&inside, &c) && !inside.len ? TW_LEX_NUMBER : TW_LEX_BAD;
	token->value = (uint64_t)(int64_t)c;
	token->size = 4;
	token->is_signed = true;
}

static void read_punct(struct tw_lex_token *token, const struct tw_text *left)
{
	static const char pairs[][3] = { "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };

	token->kind = TW_LEX_PUNCT;
	token->text.len = 1;
	if (*left->at == '\0' || *left->at & 0x80) {
		token->kind = TW_LEX_BAD;
		return;
	}
	token->punct = TW_PUNCT(*left->at, 0);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && left->len > 1; i++) {
		if (memcmp(left->at, pairs[i], 2))
			continue;
		token->text.len = 2;
		token->punct = TW_PUNCT(pairs[i][0], pairs[i][1]);
	}
}

void tw_lexer__next(struct tw_lexer *lexer, struct tw_lex_token *ret)
{
	struct tw_text left = tw_text__ltrim(lexer->left);
	size_t len = 0;

	*ret = (struct tw_lex_token){ .text = { left.at, 0 }, .column = (uint32_t)(left.at - lexer->begin) + 1 };
	if (!left.len) {
		ret->kind = TW_LEX_END;
	} else if (is_word(*left.at)) {
		while (len < left.len && is_word(left.at[len]))
			len++;
		ret->text.len = len;
		ret->kind = TW_LEX_WORD;
		if (tw_text__is_digit(*left.at))
			read_number(ret);
	} else if (*left.at == '"' || *left.at == '\'') {
		ret->text.len = quoted(&left);
		if (ret->text.len)
			read_quoted(ret);
		else
			ret->kind = TW_LEX_BAD;
	} else {
		read_punct(ret, &left);
	}
	tw_text__cut(&left, ret->text.len);
	lexer->left = left;
}
