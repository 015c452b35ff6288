/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a text that need not be NUL-terminated. A function that reads something cuts it off the front of the text, or fails. */
#ifndef TW_TEXT_CURSOR_H
#define TW_TEXT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A range of bytes of a borrowed text. */
struct tw_text {
	const char *at;
	size_t len;
};

/** tw_text__is_space() - isspace() of the C locale */
static inline bool tw_text__is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/** tw_text__is_digit() - whether @c is a decimal digit */
static inline bool tw_text__is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/** tw_text__cut() - remove the first @n bytes; the text must have at least @n bytes */
static inline void tw_text__cut(struct tw_text *text, size_t n)
{
	text->at += n;
	text->len -= n;
}

/** tw_text__skip_char() - cut @c. Return: false, with nothing cut, if @c is not the next character */
static inline bool tw_text__skip_char(struct tw_text *text, char c)
{
	if (!text->len || *text->at != c)
		return false;
	tw_text__cut(text, 1);
	return true;
}

/** tw_text__equals() - whether the whole text is @word */
static inline bool tw_text__equals(struct tw_text text, const char *word)
{
	return text.len == strlen(word) && !memcmp(text.at, word, text.len);
}

/** tw_text__ltrim() - remove white space at the front; tw_text__rtrim(): at the end; tw_text__trim(): both */
struct tw_text tw_text__ltrim(struct tw_text text);
struct tw_text tw_text__rtrim(struct tw_text text);
struct tw_text tw_text__trim(struct tw_text text);

/** tw_text__line() - cut the next line, without its newline. Return: false at the end of the text */
bool tw_text__line(struct tw_text *text, struct tw_text *ret);

/** tw_text__skip() - cut white space and then @word. Return: false, with nothing cut, if @word does not follow */
bool tw_text__skip(struct tw_text *text, const char *word);

/** tw_text__number() - cut white space and a decimal number. Return: false, with nothing cut, if there is none or it exceeds @max */
bool tw_text__number(struct tw_text *text, uint32_t max, uint32_t *ret);

/** tw_text__hex() - cut white space and at most 16 hexadecimal digits. Return: false, with nothing cut, if there are none */
bool tw_text__hex(struct tw_text *text, uint64_t *ret);

#endif
