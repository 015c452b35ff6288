/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/wireshark.h"

#include <ctype.h>

#include "base/printable.h"
#include "filter/glob_shape.h"

static void put_hex(struct tw_line *line, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";

	tw_line__str(line, "\\x");
	tw_line__char(line, digits[c >> 4]);
	tw_line__char(line, digits[c & 0xf]);
}

void tw_wireshark__text(struct tw_line *line, const void *text, size_t len)
{
	const uint8_t *at = text;

	tw_line__char(line, '"');
	for (size_t i = 0; i < len; i++) {
		if (at[i] < ' ' || at[i] == 0x7f) {
			put_hex(line, at[i]);
			continue;
		}
		if (at[i] == '"' || at[i] == '\\')
			tw_line__char(line, '\\');
		tw_line__char(line, (char)at[i]);
	}
	tw_line__char(line, '"');
}

/* Nothing has a meaning between r" and the next quote. */
static bool can_be_raw(const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '"' || text[i] < ' ' || text[i] == 0x7f)
			return false;
	return !len || text[len - 1] != '\\';
}

void tw_wireshark__pattern(struct tw_line *line, const void *pattern, size_t len)
{
	if (!memchr(pattern, '\\', len) || !can_be_raw(pattern, len)) {
		tw_wireshark__text(line, pattern, len);
		return;
	}
	tw_line__str(line, "r\"");
	tw_line__bytes(line, pattern, len);
	tw_line__char(line, '"');
}

static void put_literal(struct tw_line *line, uint8_t c)
{
	if (isalnum(c) || (c && strchr("_-/:,<>=@%&; ", c)))
		tw_line__char(line, (char)c);
	else
		put_hex(line, c);
}

static bool is_in_class(const uint8_t *at, size_t len, uint8_t c)
{
	const bool is_inverted = at[1] == '!';
	bool found = false;

	for (size_t i = is_inverted ? 2 : 1; i + 1 < len;) {
		const bool is_range = i + 3 < len && at[i + 1] == '-' && at[i + 2] != ']';

		found |= at[i] <= c && c <= at[is_range ? i + 2 : i];
		i += is_range ? 3 : 1;
	}
	return found != is_inverted;
}

/* By what it takes, each run of bytes as a range: its ends may have a meaning in one language and none in the other. */
static void put_class(struct tw_line *line, const uint8_t *at, size_t len)
{
	bool any = false;

	tw_line__char(line, '[');
	for (unsigned int from = 1, to; from < 256; from = to + 1) {
		to = from;
		if (!is_in_class(at, len, (uint8_t)from))
			continue;
		while (to < 255 && is_in_class(at, len, (uint8_t)(to + 1)))
			to++;
		any = true;
		put_hex(line, (uint8_t)from);
		if (to == from)
			continue;
		tw_line__char(line, '-');
		put_hex(line, (uint8_t)to);
	}
	tw_line__str(line, any ? "]" : "^\\x00-\\xff]");
}

static void put_element(struct tw_line *line, const uint8_t *at, size_t len)
{
	if (*at == '*')
		tw_line__str(line, ".*");
	else if (*at == '?')
		tw_line__char(line, '.');
	else if (*at == '[' && len > 1)
		put_class(line, at, len);
	else
		put_literal(line, at[len - 1]);
}

void tw_wireshark__glob(struct tw_line *line, const uint8_t *pattern, size_t len)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(pattern, len);
	size_t step;

	tw_line__str(line, glob.leading ? "r\"(?s-i)" : "r\"(?s-i)^");
	for (size_t i = 0; i < glob.body_len; i += step) {
		step = tw_glob__element(glob.body + i, glob.body_len - i);
		put_element(line, glob.body + i, step);
	}
	tw_line__str(line, glob.trailing ? "\"" : "\\z\"");
}

bool tw_wireshark__can_text(const uint8_t *text, size_t len)
{
	return tw_printable__plain(text, len) == len;
}
