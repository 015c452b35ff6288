/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/text.h"

void tw_text__foreign(struct tw_text *t, const void *s, size_t len)
{
	const unsigned char *p = s;

	for (; len && t->at < t->end; len--, p++)
		*t->at++ = *p >= 0x20 && *p < 0x7f ? (char)*p : '.';
}

void tw_text__padded(struct tw_text *t, uint64_t v, unsigned int width)
{
	char digits[32];
	char *p = digits + sizeof(digits);

	if (width > sizeof(digits))
		width = sizeof(digits);
	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while ((size_t)(digits + sizeof(digits) - p) < width)
		*--p = '0';
	tw_text__literal(t, p, (size_t)(digits + sizeof(digits) - p));
}

void tw_text__u64(struct tw_text *t, uint64_t v)
{
	tw_text__padded(t, v, 0);
}

void tw_text__i64(struct tw_text *t, int64_t v)
{
	if (v < 0)
		tw_text__literal(t, "-", 1);
	tw_text__padded(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0);
}

void tw_text__hex(struct tw_text *t, uint64_t v)
{
	char digits[16];
	char *p = digits + sizeof(digits);

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	tw_text__literal(t, "0x", 2);
	tw_text__literal(t, p, (size_t)(digits + sizeof(digits) - p));
}
