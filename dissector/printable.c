/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/printable.h"

#define EACH(byte) ((byte)*0x0101010101010101u)

/* Eight bytes from ' ' to '~'. Never true for others; a rare false is looked at byte by byte. */
static bool all_plain(const char *at)
{
	uint64_t eight, delete;

	memcpy(&eight, at, sizeof(eight));
	delete = eight ^ EACH(0x7f);
	return !((eight | (eight - EACH(0x20)) | (delete - EACH(0x01))) & EACH(0x80));
}

/* Length of the character at @at by its first byte, and what its second byte must lie in; 0 = no first byte. */
static size_t shape_of(unsigned char first, unsigned char *ret_low, unsigned char *ret_high)
{
	*ret_low = 0x80;
	*ret_high = 0xbf;
	switch (first) {
	case 0xc2:
		*ret_low = 0xa0; /* before that: control characters */
		return 2;
	case 0xc3 ... 0xdf:
		return 2;
	case 0xe0:
		*ret_low = 0xa0;
		return 3;
	case 0xed:
		*ret_high = 0x9f; /* behind that: surrogates */
		return 3;
	case 0xe1 ... 0xec:
	case 0xee ... 0xef:
		return 3;
	case 0xf0:
		*ret_low = 0x90;
		return 4;
	case 0xf1 ... 0xf3:
		return 4;
	case 0xf4:
		*ret_high = 0x8f; /* behind that: no Unicode */
		return 4;
	default:
		return 0;
	}
}

/* Length of the printable character at @at, or 0. */
static size_t printable_at(const unsigned char *at, size_t left)
{
	unsigned char low, high;
	size_t len;

	if (*at >= 0x20 && *at < 0x7f)
		return 1;
	len = shape_of(*at, &low, &high);
	if (!len || len > left || at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

void tw_printable__mend(char *text, size_t len)
{
	size_t i = 0, step;

	while (i < len) {
		if (len - i >= 8 && all_plain(text + i)) {
			i += 8;
			continue;
		}
		step = printable_at((const unsigned char *)text + i, len - i);
		if (!step)
			text[i] = text[i] == '\n' || text[i] == '\t' ? ' ' : '.';
		i += step ? step : 1;
	}
}
