/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/glob.h"

/* What is left of a pattern or a text. */
struct rest {
	const uint8_t *at, *end;
};

static size_t left(const struct rest *rest)
{
	return (size_t)(rest->end - rest->at);
}

/*
 * A byte, or a range of them; advances behind it. Return: whether the pattern goes on behind that, as brackets have
 * to.
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

/* @pattern is behind the '['. Return: false, nothing changed, if nothing closes it. */
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

/* What stands next in a pattern, no '*', takes @c; if so the pattern advances. */
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

/* A '\' at the very end stands for nothing. */
static bool is_at_end(const struct rest *pattern)
{
	return !left(pattern) || (left(pattern) == 1 && *pattern->at == '\\');
}

/*
 * Only the last '*' is ever tried again, with one byte more: whatever an earlier one could take instead, the last one
 * can as well. Once the text is at its end there is nothing to try, since then it would have to do with fewer bytes.
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
