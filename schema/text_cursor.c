/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/text_cursor.h"

#include "base/number.h"

struct tw_text tw_text__ltrim(struct tw_text text)
{
	while (text.len && tw_text__is_space(*text.at))
		tw_text__cut(&text, 1);
	return text;
}

struct tw_text tw_text__rtrim(struct tw_text text)
{
	while (text.len && tw_text__is_space(text.at[text.len - 1]))
		text.len--;
	return text;
}

struct tw_text tw_text__trim(struct tw_text text)
{
	return tw_text__rtrim(tw_text__ltrim(text));
}

bool tw_text__line(struct tw_text *text, struct tw_text *ret)
{
	const char *newline;

	if (!text->len)
		return false;
	newline = memchr(text->at, '\n', text->len);
	ret->at = text->at;
	ret->len = newline ? (size_t)(newline - text->at) : text->len;
	tw_text__cut(text, newline ? ret->len + 1 : ret->len);
	return true;
}

bool tw_text__skip(struct tw_text *text, const char *word)
{
	struct tw_text rest = tw_text__ltrim(*text);
	size_t len = strlen(word);

	if (rest.len < len || memcmp(rest.at, word, len))
		return false;
	tw_text__cut(&rest, len);
	*text = rest;
	return true;
}

bool tw_text__number(struct tw_text *text, uint32_t max, uint32_t *ret)
{
	struct tw_text rest = tw_text__ltrim(*text);
	uint64_t number = 0;

	if (!rest.len || !tw_text__is_digit(*rest.at))
		return false;
	for (; rest.len && tw_text__is_digit(*rest.at); tw_text__cut(&rest, 1)) {
		number = number * 10 + (uint64_t)(*rest.at - '0');
		if (number > max)
			return false;
	}
	*text = rest;
	*ret = (uint32_t)number;
	return true;
}

bool tw_text__hex(struct tw_text *text, uint64_t *ret)
{
	struct tw_text rest = tw_text__ltrim(*text);
	uint64_t value = 0;
	size_t n = 0;

	for (; n < rest.len && n < 16 && tw_number__digit(rest.at[n]) < 16; n++)
		value = value << 4 | tw_number__digit(rest.at[n]);
	if (!n)
		return false;
	tw_text__cut(&rest, n);
	*text = rest;
	*ret = value;
	return true;
}
