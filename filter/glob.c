/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/glob.h"

/* The rest of a pattern or a text. */
struct rest {
	const uint8_t *at, *end;
};

static size_t left(const struct rest *rest)
{
	return (size_t)(rest->end - rest->at);
}

/* Reads a byte or a range of bytes and advances. Return: whether the pattern continues after it, as it must inside brackets. */
static bool span_has(struct rest *span, uint8_t c, bool *ret_has)
{
	const uint8_t low = *span->at++;
	uint8_t high = low;

	if (left(span) >= 2 && span->at[0] == '-' && span->at[1] != ']') {
		high = span->at[1];
		span->at += 2;
	}
	*ret_has |= low <= c && c <= high;
	return left(span) > 0;
}

/* @pattern is after the '['. Return: false, without a change, if no ']' follows. */
static bool read_class(struct rest *pattern, uint8_t c, bool *ret_has)
{
	struct rest span = *pattern;
	bool has = false, is_inverted;

	is_inverted = left(&span) && *span.at == '!';
	if (is_inverted)
		span.at++;
	if (!left(&span))
		return false;
	do {
		if (!span_has(&span, c, &has))
			return false;
	} while (*span.at != ']');
	pattern->at = span.at + 1;
	*ret_has = has != is_inverted;
	return true;
}

/* Whether the next element of the pattern, which is no '*', matches @c; if so the pattern advances. */
static bool takes(struct rest *pattern, uint8_t c)
{
	struct rest next = { pattern->at + 1, pattern->end };
	bool has;

	switch (*pattern->at) {
	case '?':
		has = true;
		break;
	case '[':
		if (!read_class(&next, c, &has))
			has = c == '[';
		break;
	case '\\':
		has = left(&next) && *next.at++ == c;
		break;
	default:
		has = *pattern->at == c;
	}
	if (has)
		*pattern = next;
	return has;
}

/* A '\' at the very end matches nothing. */
static bool is_at_end(const struct rest *pattern)
{
	return !left(pattern) || (left(pattern) == 1 && *pattern->at == '\\');
}

/*
 * Only the last '*' is ever extended by one byte: what an earlier star could match, the last one can match as well. At the end of the
 * text no star can be extended.
 */
bool tw_glob__matches(const uint8_t *pattern, size_t pattern_len, const uint8_t *text, size_t text_len)
{
	struct rest p = { pattern, pattern + pattern_len }, behind_star = { 0 };
	struct rest t = { text, text + text_len }, retry = { 0 };

	for (;;) {
		if (left(&p) && *p.at == '*') {
			p.at++;
			behind_star = p;
			retry = t;
		} else if (is_at_end(&p) && !left(&t)) {
			return true;
		} else if (left(&p) && left(&t) && takes(&p, *t.at)) {
			t.at++;
		} else if (behind_star.at && left(&t)) {
			retry.at++;
			p = behind_star;
			t = retry;
		} else {
			return false;
		}
	}
}

/* 1 if it is not closed: then it is an ordinary bracket. */
static size_t class_length(const uint8_t *at, size_t left)
{
	size_t i = left > 2 && at[1] == '!' ? 2 : 1;

	/* The first character in a class may be a closing bracket. */
	do {
		if (i >= left)
			return 1;
		i += i + 2 < left && at[i + 1] == '-' && at[i + 2] != ']' ? 3 : 1;
	} while (i >= left || at[i] != ']');
	return i + 1;
}

size_t tw_glob__element(const uint8_t *at, size_t left)
{
	if (*at == '\\')
		return left > 1 ? 2 : 1;
	return *at == '[' ? class_length(at, left) : 1;
}

static void look_at_body(struct tw_glob_shape *glob)
{
	size_t step;

	for (size_t i = 0; i < glob->body_len; i += step) {
		const uint8_t c = glob->body[i];

		step = tw_glob__element(glob->body + i, glob->body_len - i);
		glob->inner |= c == '*';
		glob->plain &= c != '*' && c != '?' && c != '[' && c != '\\';
		glob->open_escape |= c == '\\' && step == 1;
		glob->negates |= c == '[' && step > 1 && glob->body[i + 1] == '!';
		glob->characters++;
	}
}

struct tw_glob_shape tw_glob_shape__of(const uint8_t *pattern, size_t len)
{
	struct tw_glob_shape glob = { .plain = true };
	size_t begin = 0, end, step;

	while (begin < len && pattern[begin] == '*')
		begin++;
	/* After a backslash or in brackets a star is an ordinary character, so the end is searched from the front. */
	end = begin;
	for (size_t i = begin; i < len; i += step) {
		step = tw_glob__element(pattern + i, len - i);
		if (pattern[i] != '*')
			end = i + step;
	}
	glob.leading = begin > 0;
	glob.trailing = end < len;
	glob.body = pattern + begin;
	glob.body_len = end - begin;
	look_at_body(&glob);
	return glob;
}
