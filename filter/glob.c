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

/* Return: number of bytes of a class with its brackets; 1 if it is not closed, because '[' is then an ordinary byte. */
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

/* Whether a class, @len bytes with its brackets, matches @c. */
static bool class_has(const uint8_t *class, size_t len, uint8_t c)
{
	const bool is_inverted = class[1] == '!';
	bool has = false;

	for (size_t i = is_inverted ? 2 : 1, last; i < len - 1; i = last + 1) {
		last = i + 2 < len - 1 && class[i + 1] == '-' ? i + 2 : i;
		has |= class[i] <= c && c <= class[last];
	}
	return has != is_inverted;
}

/* Whether the next element of the pattern matches @c; if so, move @pattern to the element after it. The element must not be '*'. */
static bool takes(struct rest *pattern, uint8_t c)
{
	const size_t len = tw_glob__element(pattern->at, left(pattern));
	bool has;

	switch (*pattern->at) {
	case '?':
		has = true;
		break;
	case '[':
		has = len > 1 ? class_has(pattern->at, len, c) : c == '[';
		break;
	case '\\':
		has = len > 1 && pattern->at[1] == c;
		break;
	default:
		has = *pattern->at == c;
	}
	if (has)
		pattern->at += len;
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
	/*
	 * A star after a backslash or in brackets is an ordinary character. Therefore the pattern is read from its beginning to find the
	 * stars at its end.
	 */
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
