/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes and arrays: hexadecimal, numbers in braces, masks of bits. */
#include "base/bytes.h"
#include "schema/print/put.h"

void tw_put__hex(struct tw_line *line, const struct tw_put_bytes *bytes, char separator)
{
	for (uint32_t i = 0; i < bytes->len && !line->cut; i++) {
		if (i && separator)
			tw_line__char(line, separator);
		tw_line__char(line, "0123456789abcdef"[bytes->data[i] >> 4]);
		tw_line__char(line, "0123456789abcdef"[bytes->data[i] & 0xf]);
	}
}

static uint64_t load(const uint8_t *at, uint32_t size, bool big_endian)
{
	switch (size) {
	case 2:
		return tw_load16(at, big_endian);
	case 4:
		return tw_load32(at, big_endian);
	case 8:
		return tw_load64(at, big_endian);
	default:
		return *at;
	}
}

void tw_put__array(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t elem_size)
{
	if (elem_size != 2 && elem_size != 4 && elem_size != 8)
		elem_size = 1;
	tw_line__char(line, '{');
	for (uint32_t i = 0; bytes->len - i >= elem_size && !line->cut; i += elem_size) {
		tw_line__str(line, i ? ",0x" : "0x");
		tw_line__hex(line, load(bytes->data + i, elem_size, bytes->big_endian));
	}
	tw_line__char(line, '}');
}

/* Byte @i of a mask, lowest bits first: masks are arrays of longs. A rest that is no long counts as a shorter one. */
static uint8_t mask_byte(const struct tw_put_bytes *bytes, uint32_t i, uint8_t long_size)
{
	uint32_t start, size;

	if (i >= bytes->len)
		return 0;
	if (!bytes->big_endian)
		return bytes->data[i];
	start = i / long_size * long_size;
	size = bytes->len - start < long_size ? bytes->len - start : long_size;
	return bytes->data[start + size - 1 - (i - start)];
}

void tw_put__bits(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t n, uint8_t long_size)
{
	uint32_t digits = n / 4 + (n % 4 != 0);

	while (digits && !line->cut) {
		uint8_t byte = mask_byte(bytes, --digits / 2, long_size);

		if (digits == n / 4 && n % 4)
			byte &= (uint8_t)((digits & 1 ? 0x10 << n % 4 : 1 << n % 4) - 1);
		tw_line__char(line, "0123456789abcdef"[digits & 1 ? byte >> 4 : byte & 0xf]);
		if (digits && !(digits & 7))
			tw_line__char(line, ',');
	}
}

void tw_put__bitmask(struct tw_line *line, const struct tw_put_bytes *bytes, uint8_t long_size)
{
	tw_put__bits(line, bytes, bytes->len * 8, long_size);
}

void tw_put__bit_list(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t n, uint8_t long_size)
{
	bool comma = false;

	for (uint32_t i = 0; i < n && !line->cut; i++) {
		const uint32_t first = i;

		while (i < n && mask_byte(bytes, i / 8, long_size) >> i % 8 & 1)
			i++;
		if (i == first)
			continue;
		if (comma)
			tw_line__char(line, ',');
		comma = true;
		tw_line__u64(line, first);
		if (i - 1 == first)
			continue;
		tw_line__char(line, '-');
		tw_line__u64(line, i - 1);
	}
}

void tw_put__secs(struct tw_line *line, uint64_t ns)
{
	tw_line__u64(line, ns / 1000000000);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % 1000000000, 9, '0');
}

void tw_put__secs_rest(struct tw_line *line, uint64_t ns)
{
	tw_line__u64(line, ns % 1000000000);
}
