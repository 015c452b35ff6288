/* SPDX-License-Identifier: GPL-2.0-or-later */
/* __print_hex_dump: lines of numbers, and of what they are as text. */
#include "base/bytes.h"
#include "base/printable.h"
#include "schema/print/put.h"

enum { PREFIX_NONE, PREFIX_ADDRESS, PREFIX_OFFSET };

static void put_fixed_hex(struct tw_line *line, uint64_t value, unsigned int digits)
{
	while (digits--)
		tw_line__char(line, "0123456789abcdef"[value >> 4 * digits & 0xf]);
}

static void put_prefix(struct tw_line *line, const struct tw_put_dump *dump, uint64_t address, uint32_t offset)
{
	tw_line__str(line, dump->prefix);
	if (dump->prefix_type == PREFIX_ADDRESS) {
		put_fixed_hex(line, address + offset, 16);
		tw_line__str(line, ": ");
	} else if (dump->prefix_type == PREFIX_OFFSET) {
		put_fixed_hex(line, offset, 8);
		tw_line__str(line, ": ");
	}
}

static uint64_t load(const uint8_t *at, uint32_t size, bool big_endian)
{
	return size == 8   ? tw_load64(at, big_endian)
	       : size == 4 ? tw_load32(at, big_endian)
			   : tw_load16(at, big_endian);
}

static void put_numbers(struct tw_line *line, const struct tw_put_bytes *row, uint32_t group)
{
	for (uint32_t i = 0; i < row->len; i += group) {
		if (i)
			tw_line__char(line, ' ');
		if (group == 1)
			put_fixed_hex(line, row->data[i], 2);
		else
			put_fixed_hex(line, load(row->data + i, group, row->big_endian), 2 * group);
	}
}

/* The text begins at the column that it has behind a whole line. */
static void put_text(struct tw_line *line, const struct tw_put_bytes *row, uint32_t width, uint32_t group)
{
	const uint32_t column = 2 * width + width / group + 1;
	const uint32_t numbers = 2 * row->len + row->len / group - 1;

	tw_line__fill(line, ' ', column - numbers);
	for (uint32_t i = 0; i < row->len; i++)
		tw_line__char(line, row->data[i] >= ' ' && row->data[i] <= '~' ? (char)row->data[i] : '.');
}

void tw_put__dump(struct tw_line *line, const struct tw_put_dump *dump, const struct tw_put_bytes *bytes,
		  uint64_t address)
{
	const uint32_t width = dump->row == 32 ? 32 : 16;

	for (uint32_t at = 0; at < bytes->len && !line->cut; at += width) {
		const uint32_t left = bytes->len - at;
		const struct tw_put_bytes row = { bytes->data + at, left < width ? left : width, bytes->big_endian };
		uint32_t group = dump->group;

		/* What cannot be divided is shown byte by byte, line by line. */
		if ((group != 2 && group != 4 && group != 8) || row.len % group)
			group = 1;
		if (at)
			tw_printable__layout(line, "\n");
		put_prefix(line, dump, address, at);
		put_numbers(line, &row, group);
		if (dump->ascii)
			put_text(line, &row, width, group);
	}
}
