/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of the kernel's helpers: names of values, bytes, arrays, bit masks, dumps. */
#include "base/bytes.h"
#include "base/printable.h"
#include "schema/print/put.h"

void tw_put__hex(struct tw_line *line, const struct tw_put_bytes *bytes, char separator)
{
	for (uint32_t i = 0; i < bytes->len && !line->cut; i++) {
		if (i && separator)
			tw_line__char(line, separator);
		tw_line__hex_byte(line, bytes->data[i]);
	}
}

void tw_put__array(struct tw_line *line, const struct tw_put_bytes *bytes, uint32_t elem_size)
{
	if (elem_size != 2 && elem_size != 4 && elem_size != 8)
		elem_size = 1;
	tw_line__char(line, '{');
	for (uint32_t i = 0; bytes->len - i >= elem_size && !line->cut; i += elem_size) {
		tw_line__str(line, i ? ",0x" : "0x");
		tw_line__hex(line, tw_load_uint(bytes->data + i, elem_size, bytes->big_endian));
	}
	tw_line__char(line, '}');
}

/* Byte @i of a mask, from the lowest bits on. Masks are arrays of longs. An incomplete last long is read as a shorter integer. */
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

void tw_put__symbolic(struct tw_line *line, const struct tw_print_names *names, uint64_t value)
{
	for (uint32_t i = 0; i < names->n; i++) {
		if (names->names[i].value == value) {
			tw_line__str(line, names->names[i].name);
			return;
		}
	}
	tw_line__0x(line, value);
}

void tw_put__flags(struct tw_line *line, const struct tw_print_names *names, uint64_t value)
{
	bool any = false;

	for (uint32_t i = 0; i < names->n; i++) {
		const struct tw_print_name *name = &names->names[i];

		/* As in libtraceevent, the name of -1 is printed for the value 0. */
		if (!value && !any && name->value == UINT64_MAX) {
			tw_line__str(line, name->name);
			return;
		}
		if (!name->value || (value & name->value) != name->value)
			continue;
		if (any)
			tw_line__str(line, names->delimiter);
		tw_line__str(line, name->name);
		any = true;
		value &= ~name->value;
		if (!value)
			return;
	}
	if (!value)
		return;
	if (any)
		tw_line__str(line, names->delimiter);
	tw_line__0x(line, value);
}

static bool has_name(const struct tw_print_names *names, uint64_t value)
{
	for (uint32_t i = 0; i < names->n; i++) {
		const uint64_t name = names->names[i].value;

		if (value == name || (names->flags && name && (value & name) == name) ||
		    (names->flags && !value && name == UINT64_MAX))
			return true;
	}
	return false;
}

bool tw_print_names__put(const struct tw_print_names *names, uint64_t value, struct tw_line *line)
{
	value &= names->mask;
	if (!value && names->zero)
		tw_line__str(line, names->zero);
	else if (!has_name(names, value))
		return false;
	else if (names->flags)
		tw_put__flags(line, names, value);
	else
		tw_put__symbolic(line, names, value);
	return true;
}

enum { PREFIX_NONE, PREFIX_ADDRESS, PREFIX_OFFSET };

static void put_fixed_hex(struct tw_line *line, uint64_t value, unsigned int digits)
{
	while (digits--)
		tw_line__char(line, "0123456789abcdef"[value >> 4 * digits & 0xf]);
}

/* The prefix of each line of __print_hex_dump(). */
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

static void put_numbers(struct tw_line *line, const struct tw_put_bytes *row, uint32_t group)
{
	for (uint32_t i = 0; i < row->len; i += group) {
		if (i)
			tw_line__char(line, ' ');
		put_fixed_hex(line, tw_load_uint(row->data + i, group, row->big_endian), 2 * group);
	}
}

/* The text of a short line begins at the same column as that of a full line. */
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

		/* A line that cannot be divided into groups is printed byte by byte. */
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
