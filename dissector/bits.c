/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows the bits of a field whose print fmt names them with __print_flags(): one line for each bit, as Wireshark shows bit masks:
 *
 *     .... 1... = GFP_ZERO: Set
 *
 * A name that stands for several bits, such as GFP_KERNEL, has a line only if the event's text contains this name.
 */
#include "dissector/packet-tracewire.h"

#define BITS_TEXT_MAX (64 + 15 + 1) /* bits, blanks between groups of four, and a NUL */

/* A field, and the tree for the lines of its bits. */
struct bits {
	struct tw_dissect *d;
	proto_tree *tree;
	const struct tw_value *value; /* value of the field */
	const uint8_t *at;            /* bytes of the field */
	unsigned int width;           /* number of bits in a line */
};

static bool is_single(uint64_t bits)
{
	return bits && !(bits & (bits - 1));
}

/* "...1 .0.." */
static void append_bits(struct tw_line *line, const struct bits *bits, uint64_t mask, uint64_t value)
{
	for (unsigned int bit = bits->width; bit--;) {
		if (mask >> bit & 1)
			tw_line__char(line, value >> bit & 1 ? '1' : '0');
		else
			tw_line__char(line, '.');
		if (bit && !(bit % 4))
			tw_line__char(line, ' ');
	}
}

static void put_line(const struct bits *bits, uint64_t mask, uint64_t value, const char *name)
{
	char buf[BITS_TEXT_MAX + TW_VALUE_STRING_TEXT_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	append_bits(&line, bits, mask, value);
	tw_line__str(&line, " = ");
	tw_line__str(&line, name ? name : "Without a name");
	tw_line__str(&line, (value & mask) == mask ? ": Set" : ": Not set");
	tw_put_subtree(bits->d, bits->tree, ett_trace_flags, bits->at, bits->value->len, tw_shown__end(&line));
}

/* Return: number of bits of the shortest integer type that has all bits of @all */
static unsigned int width_of(uint64_t all)
{
	unsigned int width = 8;

	while (width < 64 && all >> width)
		width *= 2;
	return width;
}

/* Return: the bits that have a name of their own */
static uint64_t single_bits(const struct tw_print_names *names)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < names->n; i++)
		if (is_single(names->names[i].value))
			all |= names->names[i].value;
	return all & names->mask;
}

/* Adds a line for each name that stands for several bits and is in the event's text. Return: the bits of these names */
static uint64_t put_combined(const struct bits *bits, const struct tw_print_names *names, uint64_t value)
{
	uint64_t left = value & names->mask, named = 0;

	for (uint32_t i = 0; i < names->n && left; i++) {
		const uint64_t mask = names->names[i].value;

		if (!mask || (left & mask) != mask)
			continue;
		left &= ~mask;
		if (is_single(mask))
			continue;
		named |= mask;
		put_line(bits, mask, value, names->names[i].name);
	}
	return named;
}

void tw_put_bits(struct tw_dissect *d, proto_item *item, const struct tw_print_names *names, const uint8_t *at,
		 const struct tw_value *value)
{
	const uint64_t set = value->len < 8 ? value->u & UINT64_MAX >> (64 - 8 * value->len) : value->u;
	const uint64_t single = single_bits(names);
	struct bits bits = { .d = d, .value = value, .at = at, .width = width_of(single | set) };
	uint64_t named;

	bits.tree = proto_item_add_subtree(item, ett_trace_flags);
	named = single | put_combined(&bits, names, set);
	for (uint32_t i = 0; i < names->n && d->items_left; i++)
		if (is_single(names->names[i].value & names->mask) && is_single(names->names[i].value))
			put_line(&bits, names->names[i].value, set, names->names[i].name);
	if (set & ~named)
		put_line(&bits, set & ~named, set, NULL);
}
