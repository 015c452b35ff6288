/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#include "base/printable.h"

static void put_hex(struct tw_line *line, const char *prefix, uint8_t c)
{
	tw_line__str(line, prefix);
	tw_line__hex_byte(line, c);
}

void tw_json__shown(struct tw_line *line, const void *text, size_t len)
{
	const char *at = text, *end = at + len;

	while (at < end) {
		const char *begin = at;

		while (at < end && (uint8_t)*at >= 0x20 && *at != '"' && *at != '\\')
			at++;
		tw_line__bytes(line, begin, (size_t)(at - begin));
		if (at == end)
			return;
		if (*at == '\n' || *at == '\t')
			tw_line__str(line, *at == '\n' ? "\\n" : "\\t");
		else if (*at == '"' || *at == '\\')
			tw_line__bytes(line, *at == '"' ? "\\\"" : "\\\\", 2);
		else
			put_hex(line, "\\u00", (uint8_t)*at);
		at++;
	}
}

void tw_json__text(struct tw_line *line, const void *text, size_t len)
{
	const uint8_t *at = text, *end = at + len;

	while (at < end) {
		const size_t plain = tw_printable__plain(at, (size_t)(end - at));

		tw_json__shown(line, at, plain);
		at += plain;
		if (at < end)
			put_hex(line, "\\\\x", *at++);
	}
}
