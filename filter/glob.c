/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/glob.h"

/* The part of a pattern or a text that has not been read. */
struct rest {
	const uint8_t *at, *end;
};

static size_t left(const struct rest *rest)
{
	return (size_t)(rest->end - rest->at);
}

/*
 * Read a byte or a range of bytes inside brackets; set @ret_has if it contains @c. Return: false at the end of the pattern, so that the
 * brackets are not closed.
 */
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

/* Read a class after its '['; set @ret_has if it matches @c. Return: false, with @pattern unchanged, if there is no closing ']'. */
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

/* Whether the next element of the pattern matches @c; if so, move @pattern to the element after it. The element must not be '*'. */
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

/* Whether the pattern has no more elements. A '\' as the last byte is ignored. */
static bool is_at_end(const struct rest *pattern)
{
	return !left(pattern) || (left(pattern) == 1 && *pattern->at == '\\');
}

/*
 * If an element does not match, the last '*' before it is made to match one byte more, and the elements after the star are tried again.
 * Earlier stars need not be tried again: the last star can match all bytes that they could match.
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

/* Return: bytes of a class with its brackets; 1 if it is not closed, because '[' is then an ordinary byte. */
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
	/* A star after a backslash or in brackets is an ordinary character. So stars at the end can be found only from the beginning. */
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
