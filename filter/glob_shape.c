/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/glob_shape.h"

/* 1 if it never ends: a bracket, then. */
static size_t class_length(const uint8_t *at, size_t left)
{
	size_t i = left > 2 && at[1] == '!' ? 2 : 1;

	/* The first in a class may be its end. */
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
	/* Behind a backslash or in brackets a star is none, so the end is looked for from the front. */
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
