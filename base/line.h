/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of text in the caller's memory, built piece by piece, because printf would dominate the cost. Text that does not fit is cut,
 * and the cut is marked. There is no terminating NUL.
 *
 * On a line for people, untrusted bytes are appended like all others; tw_printable__escape() (base/printable.h) escapes them later.
 */
#ifndef TW_LINE_H
#define TW_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum tw_line_kind {
	TW_LINE_BYTES, /* any bytes, unchanged */
	TW_LINE_TEXT,  /* for people */
	TW_LINE_FLAT,  /* the same on one line: blanks replace line breaks and tabs */
};

struct tw_line {
	char *at;        /* where the next byte goes */
	char *end;       /* end of the memory */
	char *text;      /* beginning of the memory */
	char *unchecked; /* text before it is already escaped */
	bool cut;        /* something did not fit */
	uint8_t kind;    /* enum tw_line_kind */
};

/** tw_line__of() - an empty line on @size bytes at @buf, which stay the caller's */
static inline struct tw_line tw_line__of(char *buf, size_t size, enum tw_line_kind kind)
{
	return (struct tw_line){ .at = buf, .end = buf + size, .text = buf, .unchecked = buf, .kind = (uint8_t)kind };
}

/** tw_line__on() - the same, of any bytes */
static inline struct tw_line tw_line__on(char *buf, size_t size)
{
	return tw_line__of(buf, size, TW_LINE_BYTES);
}

/** tw_line__len() - bytes written so far */
static inline size_t tw_line__len(const struct tw_line *line)
{
	return (size_t)(line->at - line->text);
}

static inline void tw_line__char(struct tw_line *line, char c)
{
	if (line->at == line->end)
		line->cut = true;
	else
		*line->at++ = c;
}

/** tw_line__bytes() - append bytes unchanged */
static inline void tw_line__bytes(struct tw_line *line, const void *bytes, size_t len)
{
	const size_t room = (size_t)(line->end - line->at);

	if (len > room) {
		len = room;
		line->cut = true;
	}
	if (len)
		memcpy(line->at, bytes, len);
	line->at += len;
}

static inline void tw_line__str(struct tw_line *line, const char *str)
{
	tw_line__bytes(line, str, strlen(str));
}

/** tw_line__fill() - @n times @c */
void tw_line__fill(struct tw_line *line, char c, size_t n);

/** tw_line__u64() and tw_line__i64() - decimal; tw_line__hex() - hexadecimal in small letters, without 0x */
void tw_line__u64(struct tw_line *line, uint64_t value);
void tw_line__i64(struct tw_line *line, int64_t value);
void tw_line__hex(struct tw_line *line, uint64_t value);

/** tw_line__hex_byte() - a byte as two hexadecimal digits */
static inline void tw_line__hex_byte(struct tw_line *line, uint8_t byte)
{
	tw_line__char(line, "0123456789abcdef"[byte >> 4]);
	tw_line__char(line, "0123456789abcdef"[byte & 0xf]);
}

/** tw_line__digits() - decimal, at least @width bytes, @fill before the number: ' ' or '0' */
void tw_line__digits(struct tw_line *line, uint64_t value, unsigned int width, char fill);

#endif
