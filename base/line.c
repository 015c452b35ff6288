/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/line.h"

#define DIGITS_MAX 20 /* of a u64 in decimal */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* Writes the number before @end. Return: its first digit. */
static char *decimal(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, &pairs[value % 100 * 2], 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, &pairs[value * 2], 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

void tw_line__fill(struct tw_line *line, char c, size_t n)
{
	const size_t room = (size_t)(line->end - line->at);

	if (n > room) {
		n = room;
		line->cut = true;
	}
	if (n)
		memset(line->at, c, n);
	line->at += n;
}

void tw_line__digits(struct tw_line *line, uint64_t value, unsigned int width, char fill)
{
	char buf[DIGITS_MAX];
	const char *first = decimal(buf + sizeof(buf), value);
	const size_t len = (size_t)(buf + sizeof(buf) - first);

	if (width > len)
		tw_line__fill(line, fill, width - len);
	tw_line__bytes(line, first, len);
}

void tw_line__u64(struct tw_line *line, uint64_t value)
{
	tw_line__digits(line, value, 0, ' ');
}

void tw_line__i64(struct tw_line *line, int64_t value)
{
	if (value < 0)
		tw_line__char(line, '-');
	tw_line__u64(line, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void tw_line__hex(struct tw_line *line, uint64_t value)
{
	char buf[16];
	char *first = buf + sizeof(buf);

	do {
		*--first = "0123456789abcdef"[value & 0xf];
		value >>= 4;
	} while (value);
	tw_line__bytes(line, first, (size_t)(buf + sizeof(buf) - first));
}
