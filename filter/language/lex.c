/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/language/lex.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define NS_PER_SECOND 1000000000ull

/* Read a number in base @base. All characters of @text must be digits of this base. */
static enum tw_literal_status read_digits(const char *text, unsigned int base, uint64_t *ret)
{
	uint64_t value = 0;

	if (!*text)
		return TW_LITERAL_OTHER;
	for (const char *c = text; *c; c++) {
		if ((unsigned int)tw_digit_of(*c) >= base)
			return TW_LITERAL_OTHER;
	}
	for (; *text; text++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)tw_digit_of(*text), &value))
			return TW_LITERAL_LARGE;
	}
	*ret = value;
	return TW_LITERAL_OK;
}

static enum tw_literal_status take_magnitude(const char *text, uint64_t *ret)
{
	if (text[0] == '0' && (text[1] | 0x20) == 'x')
		return read_digits(text + 2, 16, ret);
	if (text[0] == '0' && (text[1] | 0x20) == 'b')
		return read_digits(text + 2, 2, ret);
	if (text[0] == '0' && (text[1] | 0x20) == 'o')
		return read_digits(text + 2, 8, ret);
	if (text[0] == '0' && text[1])
		return read_digits(text + 1, 8, ret);
	return read_digits(text, 10, ret);
}

enum tw_literal_status tw_literal__integer(const struct tw_literal *literal, struct tw_integer *ret)
{
	const char *text = literal->text;
	const bool negative = text[0] == '-';
	enum tw_literal_status status;
	uint64_t magnitude;

	if (literal->quote) {
		if (literal->quote != '\'' || literal->len != 1)
			return TW_LITERAL_OTHER;
		*ret = (struct tw_integer){ .magnitude = (uint8_t)text[0] };
		return TW_LITERAL_OK;
	}
	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		*ret = (struct tw_integer){ .magnitude = text[0] == 't' };
		return TW_LITERAL_OK;
	}
	status = take_magnitude(text + (negative || text[0] == '+'), &magnitude);
	if (status)
		return status;
	if (negative && magnitude > (uint64_t)INT64_MAX + 1)
		return TW_LITERAL_LARGE;
	*ret = (struct tw_integer){ .magnitude = magnitude, .negative = negative && magnitude };
	return TW_LITERAL_OK;
}

enum tw_literal_status tw_literal__seconds(const struct tw_literal *literal, uint64_t *ret)
{
	const char *point = strchr(literal->text, '.');
	char whole[24];
	uint64_t seconds, ns = 0;
	enum tw_literal_status status;
	const size_t len = point ? (size_t)(point - literal->text) : literal->len;

	if (literal->quote || len >= sizeof(whole))
		return literal->quote ? TW_LITERAL_OTHER : TW_LITERAL_LARGE;
	memcpy(whole, literal->text, len);
	whole[len] = '\0';
	status = read_digits(whole, 10, &seconds);
	if (status)
		return status;
	if (point) {
		const size_t decimals = strlen(point + 1);

		if (decimals > 9)
			return TW_LITERAL_LARGE;
		status = read_digits(point + 1, 10, &ns);
		if (status)
			return status;
		for (size_t i = decimals; i < 9; i++)
			ns *= 10;
	}
	if (__builtin_mul_overflow(seconds, NS_PER_SECOND, &seconds) || __builtin_add_overflow(seconds, ns, ret))
		return TW_LITERAL_LARGE;
	return TW_LITERAL_OK;
}

size_t tw_literal__bytes(const struct tw_literal *literal, uint8_t *ret)
{
	const char *text = literal->text;
	const char separator = literal->len > 2 ? text[2] : ':';
	size_t n = 0;

	if (literal->quote || (separator != ':' && separator != '-' && separator != '.'))
		return 0;
	while (n < TW_LITERAL_BYTES_MAX) {
		const int high = tw_digit_of(text[0]), low = high < 16 ? tw_digit_of(text[1]) : 16;

		if (high >= 16 || low >= 16)
			return 0;
		ret[n++] = (uint8_t)(high << 4 | low);
		if (!text[2])
			return n;
		if (text[2] != separator)
			return 0;
		text += 3;
	}
	return 0;
}

bool tw_literal__address(const struct tw_literal *literal, size_t size, uint8_t *ret, uint8_t *ret_prefix)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(literal->text, '/');
	const size_t len = slash ? (size_t)(slash - literal->text) : literal->len;
	uint64_t prefix = 0;

	if (len >= sizeof(address) || strlen(literal->text) != literal->len)
		return false;
	memcpy(address, literal->text, len);
	address[len] = '\0';
	if (inet_pton(size == 4 ? AF_INET : AF_INET6, address, ret) != 1)
		return false;
	if (slash && (read_digits(slash + 1, 10, &prefix) || !prefix || prefix > size * 8))
		return false;
	*ret_prefix = prefix == size * 8 ? 0 : (uint8_t)prefix;
	return true;
}

static const struct {
	char text[3];
	uint8_t kind, op;
} symbols[] = {
	/* an operator with two characters must precede the operator that is its first character */
	{ "==", TW_TOKEN_COMPARE, TW_TEST_EQ },
	{ "!=", TW_TOKEN_COMPARE, TW_TEST_NE },
	{ "<=", TW_TOKEN_COMPARE, TW_TEST_LE },
	{ ">=", TW_TOKEN_COMPARE, TW_TEST_GE },
	{ "&&", TW_TOKEN_AND, 0 },
	{ "||", TW_TOKEN_OR, 0 },
	{ "..", TW_TOKEN_RANGE, 0 },
	{ "<", TW_TOKEN_COMPARE, TW_TEST_LT },
	{ ">", TW_TOKEN_COMPARE, TW_TEST_GT },
	{ "~", TW_TOKEN_COMPARE, TW_TEST_GLOB },
	{ "&", TW_TOKEN_MASK, 0 },
	{ "!", TW_TOKEN_NOT, 0 },
	{ "(", TW_TOKEN_OPEN, 0 },
	{ ")", TW_TOKEN_CLOSE, 0 },
	{ "{", TW_TOKEN_SET, 0 },
	{ "}", TW_TOKEN_SET_END, 0 },
	{ ",", TW_TOKEN_COMMA, 0 },
};

/* Operators of other languages, with error texts that name the operator to use instead. */
static const struct {
	char text[4];
	const char *why_not;
} foreign[] = {
	{ "===", "'===' is not an operator; use '=='" },
	{ "!==", "'!==' is not an operator; use '!='" },
	{ "=~", "'=~' is not an operator; use 'matches' for a regular expression, '~' for a pattern" },
	{ "~=", "'~=' is not an operator; use '~' for a pattern, '!=' to compare" },
	{ "!~", "'!~' is not an operator; write 'not NAME ~ PATTERN'" },
	{ "<>", "'<>' is not an operator; use '!='" },
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the character at @at continues a word: a name, a number, an address, or flags joined with `|`. `..` ends a word. */
static bool goes_on(const char *at)
{
	if (at[0] == '.' && at[1] == '.')
		return false;
	if (at[0] == '|')
		return at[1] != '|' && is_letter(at[1]);
	return is_letter(at[0]) || (at[0] && strchr(".:/-+*", at[0]));
}

static int refuse_foreign(const struct tw_filter_lexer *lexer, struct tw_error *error)
{
	const char *at = lexer->text + lexer->at;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (!strncmp(at, foreign[i].text, strlen(foreign[i].text)))
			return tw_filter_error(error, -EINVAL, (uint32_t)lexer->at + 1, "%s", foreign[i].why_not);
	return 0;
}

/* Read an operator, parenthesis or comma. Return: false if there is none at the current position. */
static bool take_symbol(struct tw_filter_lexer *lexer, struct tw_filter_token *ret)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const size_t len = strlen(symbols[i].text);

		if (strncmp(lexer->text + lexer->at, symbols[i].text, len) != 0)
			continue;
		ret->kind = symbols[i].kind;
		ret->op = symbols[i].op;
		lexer->at += len;
		return true;
	}
	return false;
}

static int take_word(struct tw_filter_lexer *lexer, struct tw_filter_token *ret)
{
	const char *begin = lexer->text + lexer->at;
	size_t len = 1;

	while (begin[len] && goes_on(begin + len))
		len++;
	ret->kind = TW_TOKEN_WORD;
	ret->literal.len = len;
	ret->literal.text = tw_arena__copy(lexer->arena, begin, len);
	lexer->at += len;
	return ret->literal.text ? 0 : -ENOMEM;
}

/* Read at most @most digits of base 8 or 16 as a byte. Return: number of digits; 0 if there are none, or the value exceeds a byte. */
static size_t take_digits(const char *at, int base, size_t most, char *ret)
{
	unsigned int value = 0;
	size_t n = 0;

	while (n < most && tw_digit_of(at[n]) < base)
		value = value * (unsigned int)base + (unsigned int)tw_digit_of(at[n++]);
	*ret = (char)value;
	return value <= UINT8_MAX ? n : 0;
}

/* Read an escape. @at: the text after the backslash. Return: number of bytes read; 0 if the text is not an escape. */
static size_t take_escape(const char *at, char *ret)
{
	static const char names[] = "ntrabfv\\\"'", values[] = "\n\t\r\a\b\f\v\\\"'";
	const char *name = *at ? strchr(names, *at) : NULL;
	size_t n;

	if (name) {
		*ret = values[name - names];
		return 1;
	}
	if (*at == 'x') {
		n = take_digits(at + 1, 16, 2, ret);
		return n ? n + 1 : 0;
	}
	return take_digits(at, 8, 3, ret);
}

static int take_string(struct tw_filter_lexer *lexer, bool raw, struct tw_filter_token *ret, struct tw_error *error)
{
	const size_t begin = lexer->at;
	const char quote = lexer->text[lexer->at++];
	char *out = tw_arena__copy(lexer->arena, lexer->text + lexer->at, strlen(lexer->text + lexer->at));
	size_t len = 0;

	if (!out)
		return -ENOMEM;
	while (lexer->text[lexer->at] != quote) {
		char c = lexer->text[lexer->at];

		if (!c)
			return tw_filter_error(error, -EINVAL, (uint32_t)begin + 1,
					       "the text that begins here has no closing %c", quote);
		lexer->at++;
		if (c == '\\' && !raw) {
			const size_t n = take_escape(lexer->text + lexer->at, &c);

			if (!n)
				return tw_filter_error(
					error, -EINVAL, (uint32_t)lexer->at,
					"this backslash does not begin an escape; write \\\\ for a backslash");
			lexer->at += n;
		}
		out[len++] = c;
	}
	lexer->at++;
	out[len] = '\0';
	ret->kind = TW_TOKEN_STRING;
	ret->literal.text = out;
	ret->literal.len = len;
	ret->literal.quote = quote;
	return 0;
}

/* Make the error for a character that cannot begin a token. */
static int say_stray(const struct tw_filter_lexer *lexer, struct tw_error *error)
{
	const uint32_t column = (uint32_t)lexer->at + 1;
	const char c = lexer->text[lexer->at];

	if (c == '=')
		return tw_filter_error(error, -EINVAL, column, "'=' is not an operator; use '=='");
	if (c == '|')
		return tw_filter_error(error, -EINVAL, column,
				       "'|' joins names of flags, without spaces: A|B; for 'or', write '||'");
	if (c == '[')
		return tw_filter_error(
			error, -EINVAL, column,
			"'[' is not expected here; a pattern with brackets needs quotes, and slices are not supported");
	return tw_filter_error(error, -EINVAL, column,
			       "%s is not expected here; a text with special characters needs quotes",
			       c >= 0x20 && c < 0x7f ? (char[]){ '\'', c, '\'', 0 } : "this character");
}

static int take_token(struct tw_filter_lexer *lexer, struct tw_filter_token *ret, struct tw_error *error)
{
	const char *at = lexer->text + lexer->at;

	if (!*at)
		return 0;
	if (*at == 'r' && (at[1] == '"' || at[1] == '\'')) {
		lexer->at++;
		return take_string(lexer, true, ret, error);
	}
	if (*at == '"' || *at == '\'')
		return take_string(lexer, false, ret, error);
	if (refuse_foreign(lexer, error))
		return -EINVAL;
	if (take_symbol(lexer, ret))
		return 0;
	if (is_letter(*at) || *at == '-' || *at == '.' || *at == '*' || *at == '/' || *at == ':')
		return take_word(lexer, ret);
	return say_stray(lexer, error);
}

uint32_t tw_literal__column_of(const struct tw_literal *literal, const char *text, size_t byte)
{
	size_t at = literal->column - 1;
	const bool raw = literal->quote && text[at] == 'r';
	char unused;

	at += (size_t)raw + (literal->quote != 0);
	for (; byte; byte--) {
		const bool is_escape = literal->quote && !raw && text[at] == '\\';

		at += is_escape ? 1 + take_escape(text + at + 1, &unused) : 1;
	}
	return (uint32_t)at + 1;
}

int tw_filter_lexer__next(struct tw_filter_lexer *lexer, struct tw_filter_token *ret, struct tw_error *error)
{
	int err;

	while (is_space(lexer->text[lexer->at]))
		lexer->at++;
	*ret = (struct tw_filter_token){ .begin = lexer->at };
	ret->literal.column = (uint32_t)lexer->at + 1;
	err = take_token(lexer, ret, error);
	ret->end = lexer->at;
	return err;
}
