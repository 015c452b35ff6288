/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of text in the caller's memory. The functions append numbers and texts one by one and do not use printf(3), which would take most
 * of the time needed to write an event. Text that does not fit is cut, and @cut is set. There is no terminating NUL.
 *
 * Untrusted bytes are appended unchanged. On lines for people, tw_printable__escape() (base/printable.h) escapes them later.
 */
#ifndef TW_LINE_H
#define TW_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum tw_line_kind {
	TW_LINE_BYTES, /* any bytes, unchanged */
	TW_LINE_TEXT,  /* text for people: unprintable bytes are escaped */
	TW_LINE_FLAT,  /* as TW_LINE_TEXT, but tw_printable__layout() appends blanks instead of line breaks and tabs */
};

struct tw_line {
	char *at;        /* where the next byte is written */
	char *end;       /* end of the memory */
	char *text;      /* beginning of the memory */
	char *unchecked; /* the text before this position is already escaped, or must not be escaped */
	bool cut;        /* some text did not fit */
	uint8_t kind;    /* enum tw_line_kind */
};

/** tw_line__of() - make an empty line in the caller's memory: @size bytes at @buf */
static inline struct tw_line tw_line__of(char *buf, size_t size, enum tw_line_kind kind)
{
	return (struct tw_line){ .at = buf, .end = buf + size, .text = buf, .unchecked = buf, .kind = (uint8_t)kind };
}

/** tw_line__on() - make an empty line of kind TW_LINE_BYTES */
static inline struct tw_line tw_line__on(char *buf, size_t size)
{
	return tw_line__of(buf, size, TW_LINE_BYTES);
}

/** tw_line__len() - length of the text so far, bytes */
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

/** tw_line__fill() - append @c @n times */
void tw_line__fill(struct tw_line *line, char c, size_t n);

/** tw_line__u64(), tw_line__i64() - append a decimal number; tw_line__hex() - a hexadecimal number in lower case, without 0x */
void tw_line__u64(struct tw_line *line, uint64_t value);
void tw_line__i64(struct tw_line *line, int64_t value);
void tw_line__hex(struct tw_line *line, uint64_t value);

/** tw_line__0x() - append 0x and a hexadecimal number */
static inline void tw_line__0x(struct tw_line *line, uint64_t value)
{
	tw_line__bytes(line, "0x", 2);
	tw_line__hex(line, value);
}

/** tw_line__hex_byte() - append a byte as two hexadecimal digits */
static inline void tw_line__hex_byte(struct tw_line *line, uint8_t byte)
{
	tw_line__char(line, "0123456789abcdef"[byte >> 4]);
	tw_line__char(line, "0123456789abcdef"[byte & 0xf]);
}

/** tw_line__digits() - append a decimal number, padded on the left with @fill (' ' or '0') to at least @width characters */
void tw_line__digits(struct tw_line *line, uint64_t value, unsigned int width, char fill);

/** tw_line__seconds() - append a time in seconds, with nine decimals: 12.500000000 */
void tw_line__seconds(struct tw_line *line, uint64_t ns);

#endif
