/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/line.h"

#include "base/time.h"

#define DIGITS_MAX 20 /* largest number of digits of a u64 */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/* Write the decimal digits of @value; the last digit is directly before @end. Return: pointer to the first digit. */
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

static unsigned int digits_of(uint64_t value)
{
	unsigned int n = 1;

	for (; value >= 10000; value /= 10000)
		n += 4;
	return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

void tw_line__digits(struct tw_line *line, uint64_t value, unsigned int width, char fill)
{
	const unsigned int n = digits_of(value);
	char buf[DIGITS_MAX];

	if (width > n)
		tw_line__fill(line, fill, width - n);
	if (line->end - line->at >= DIGITS_MAX) {
		line->at += n;
		decimal(line->at, value);
		return;
	}
	tw_line__bytes(line, decimal(buf + sizeof(buf), value), n);
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
	const unsigned int n = value ? (67 - (unsigned int)__builtin_clzll(value)) / 4 : 1;
	char buf[16], *first = line->end - line->at >= (ptrdiff_t)sizeof(buf) ? line->at : buf;

	for (char *at = first + n; at > first; value >>= 4)
		*--at = "0123456789abcdef"[value & 0xf];
	if (first == line->at)
		line->at += n;
	else
		tw_line__bytes(line, first, n);
}

void tw_line__seconds(struct tw_line *line, uint64_t ns)
{
	tw_line__u64(line, ns / TW_NS_PER_SECOND);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % TW_NS_PER_SECOND, 9, '0');
}
