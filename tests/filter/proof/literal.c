/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "literal.h"

#include <arpa/inet.h>
#include <stdio.h>

static void put_base(struct tw_line *line, uint64_t value, unsigned int base)
{
	char digits[65];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	tw_line__bytes(line, digits + at, sizeof(digits) - at);
}

void literal__number(struct tw_line *line, struct chance *chance, uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0) {
		tw_line__char(line, '-');
		value = -value;
	}
	switch (chance__below(chance, 8)) {
	case 0:
	case 1:
		tw_line__str(line, "0x");
		put_base(line, value, 16);
		break;
	case 2:
		tw_line__char(line, '0');
		put_base(line, value, 8);
		break;
	case 3:
		tw_line__str(line, "0b");
		put_base(line, value, 2);
		break;
	default:
		tw_line__u64(line, value);
	}
}

void literal__seconds(struct tw_line *line, uint64_t ns)
{
	tw_line__u64(line, ns / 1000000000);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % 1000000000, 9, '0');
}

static bool is_plain(uint8_t c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\';
}

static bool is_all_plain(const uint8_t *text, uint32_t len)
{
	while (len && is_plain(text[len - 1]))
		len--;
	return !len;
}

static void put_escaped(struct tw_line *line, struct chance *chance, uint8_t c)
{
	char buf[8];

	if (is_plain(c)) {
		tw_line__char(line, (char)c);
	} else if (c == '"' || c == '\'' || c == '\\') {
		tw_line__char(line, '\\');
		tw_line__char(line, (char)c);
	} else {
		snprintf(buf, sizeof(buf), chance__percent(chance, 50) ? "\\x%02x" : "\\%03o", c);
		tw_line__str(line, buf);
	}
}

void literal__text(struct tw_line *line, struct chance *chance, const uint8_t *text, uint32_t len)
{
	const bool is_raw = chance__percent(chance, 20) && is_all_plain(text, len);
	const char quote = is_raw || chance__percent(chance, 70) || len == 1 ? '"' : '\'';

	if (is_raw)
		tw_line__char(line, 'r');
	tw_line__char(line, quote);
	for (uint32_t i = 0; i < len; i++)
		put_escaped(line, chance, text[i]);
	tw_line__char(line, quote);
}

void literal__bytes(struct tw_line *line, struct chance *chance, const uint8_t *bytes, uint32_t len)
{
	const char separator = ":-."[chance__below(chance, 3)];
	char buf[4];

	for (uint32_t i = 0; i < len; i++) {
		if (i)
			tw_line__char(line, separator);
		snprintf(buf, sizeof(buf), "%02x", bytes[i]);
		tw_line__str(line, buf);
	}
}

void literal__address(struct tw_line *line, struct chance *chance, const uint8_t *bytes, uint32_t len, bool with_prefix)
{
	char buf[INET6_ADDRSTRLEN];

	tw_line__str(line, inet_ntop(len == 4 ? AF_INET : AF_INET6, bytes, buf, sizeof(buf)));
	if (!with_prefix || chance__percent(chance, 50))
		return;
	tw_line__char(line, '/');
	tw_line__u64(line, 1 + chance__below(chance, len * 8));
}

void literal__mask(struct tw_line *line, uint64_t bits)
{
	bool comma = false;

	tw_line__char(line, '"');
	for (unsigned int from = 0, to; from < 64; from = to + 1) {
		to = from;
		if (!(bits >> from & 1))
			continue;
		while (to < 63 && (bits >> (to + 1) & 1))
			to++;
		if (comma)
			tw_line__char(line, ',');
		tw_line__u64(line, from);
		if (to > from) {
			tw_line__char(line, '-');
			tw_line__u64(line, to);
		}
		comma = true;
	}
	tw_line__char(line, '"');
}
