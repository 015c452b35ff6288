/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. The three commonest things to put on a line, without calls of the C library: short text is
 * copied in blocks of 16 bytes, beyond its end where there is room on both sides.
 */
#ifndef TW_PRINT_FAST_H
#define TW_PRINT_FAST_H

#include "base/bytes.h"
#include "base/line.h"

#define TW_FAST_BLOCK 16 /* bytes; constant text has as many to spare behind its end */
#define TW_FAST_TEXT  (4 * TW_FAST_BLOCK)

/** tw_fast__text() - @text has TW_FAST_BLOCK readable bytes behind its end */
static inline void tw_fast__text(struct tw_line *line, const char *text, uint32_t len)
{
	char *at = line->at;

	if (len > TW_FAST_TEXT || line->end - at < TW_FAST_TEXT) {
		tw_line__bytes(line, text, len);
		return;
	}
	line->at = at + len;
	for (const char *end = at + len; at < end; at += TW_FAST_BLOCK, text += TW_FAST_BLOCK)
		memcpy(at, text, TW_FAST_BLOCK);
}

/** tw_fast__chars() - a char array up to its first NUL; @left: readable bytes from its begin, at least @size */
static inline void tw_fast__chars(struct tw_line *line, const uint8_t *chars, uint32_t size, uint32_t left)
{
	const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
	uint64_t word, zero;
	const uint8_t *nul;

	while (size && left >= sizeof(word) && line->end - line->at >= (ptrdiff_t)sizeof(word)) {
		uint32_t n = sizeof(word);

		word = tw_load64(chars, false);
		memcpy(line->at, chars, sizeof(word));
		zero = (word - ones) & ~word & highs; /* the lowest bit that is set is right, even if others are not */
		if (zero)
			n = (uint32_t)__builtin_ctzll(zero) / 8;
		line->at += n < size ? n : size;
		if (n < sizeof(word) || size <= n)
			return;
		chars += n;
		size -= n;
		left -= n;
	}
	nul = size ? memchr(chars, '\0', size) : NULL;
	tw_line__bytes(line, chars, nul ? (size_t)(nul - chars) : size);
}

/** tw_fast__decimal() - as tw_line__u64() */
static inline void tw_fast__decimal(struct tw_line *line, uint64_t value)
{
	static const uint32_t powers[] = { 0, 10, 100, 1000, 10000, 100000 };
	uint32_t n = 1, small = (uint32_t)value;

	if (value >= 100000 || line->end - line->at < 8) {
		tw_line__u64(line, value);
		return;
	}
	while (small >= powers[n])
		n++;
	for (char *at = line->at + n; at > line->at; small /= 10)
		*--at = (char)('0' + small % 10);
	line->at += n;
}

#endif
