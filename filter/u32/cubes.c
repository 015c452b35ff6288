/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/u32/cubes.h"

/* A list with room for @n; without memory or beyond the limit its items are NULL. */
static struct tw_cubes new_list(struct tw_cube_maker *maker, size_t n)
{
	struct tw_cubes list = { 0 };

	if (n > TW_U32_MATCHES_MAX)
		maker->too_many = true;
	else
		list.items = tw_arena__take(maker->arena, (n + 1) * sizeof(*list.items));
	return list;
}

struct tw_cubes tw_cubes__certain(struct tw_cube_maker *maker, bool is_true)
{
	struct tw_cubes list = new_list(maker, 1);

	list.n = list.items && is_true;
	return list;
}

struct tw_cubes tw_cubes__bytes(struct tw_cube_maker *maker, uint32_t offset, const uint8_t *value, const uint8_t *mask,
				uint32_t len)
{
	struct tw_cubes list = new_list(maker, 1);
	struct tw_u32_key *keys = tw_arena__take(maker->arena, (len / 4 + 2) * sizeof(*keys));
	unsigned int n = 0;

	if (!list.items || !keys)
		return (struct tw_cubes){ 0 };
	for (uint32_t i = 0; i < len; i++) {
		const uint32_t word = (offset + i) & ~3u, shift = 8 * (3 - ((offset + i) & 3));

		if (!mask[i])
			continue;
		if (!n || keys[n - 1].offset != word)
			keys[n++].offset = word;
		keys[n - 1].mask |= (uint32_t)mask[i] << shift;
		keys[n - 1].value |= (uint32_t)(value[i] & mask[i]) << shift;
	}
	maker->too_many |= n > TW_U32_KEYS_MAX;
	list.items[0] = (struct tw_cube){ keys, n };
	list.n = 1;
	return list;
}

struct tw_cubes tw_cubes__not(struct tw_cube_maker *maker, const struct tw_cubes *cube)
{
	struct tw_cubes list;
	size_t n = 0;

	if (!cube->items || !cube->n)
		return tw_cubes__certain(maker, cube->items);
	for (unsigned int k = 0; k < cube->items[0].n; k++)
		n += (size_t)__builtin_popcount(cube->items[0].keys[k].mask);
	list = new_list(maker, n);
	for (unsigned int k = 0; list.items && k < cube->items[0].n; k++) {
		const struct tw_u32_key *key = &cube->items[0].keys[k];

		for (uint32_t left = key->mask; left; left &= left - 1) {
			struct tw_u32_key *one = tw_arena__take(maker->arena, sizeof(*one));
			const uint32_t bit = left & -left;

			if (!one)
				return (struct tw_cubes){ 0 };
			*one = (struct tw_u32_key){ .value = ~key->value & bit, .mask = bit, .offset = key->offset };
			list.items[list.n++] = (struct tw_cube){ one, 1 };
		}
	}
	return list;
}

struct tw_cubes tw_cubes__or(struct tw_cube_maker *maker, const struct tw_cubes *a, const struct tw_cubes *b)
{
	struct tw_cubes list = { 0 };

	if (a->items && b->items)
		list = new_list(maker, (size_t)a->n + b->n);
	for (unsigned int i = 0; list.items && i < a->n; i++)
		list.items[list.n++] = a->items[i];
	for (unsigned int i = 0; list.items && i < b->n; i++)
		list.items[list.n++] = b->items[i];
	return list;
}

/* Return: false if no word can be both. */
static bool join_keys(const struct tw_u32_key *a, const struct tw_u32_key *b, struct tw_u32_key *ret)
{
	if ((a->value ^ b->value) & a->mask & b->mask)
		return false;
	*ret = (struct tw_u32_key){ a->value | b->value, a->mask | b->mask, a->offset };
	return true;
}

/* Return: false if nothing can be both; @ret has no keys then without memory. */
static bool join_cubes(struct tw_cube_maker *maker, const struct tw_cube *a, const struct tw_cube *b,
		       struct tw_cube *ret)
{
	struct tw_u32_key *keys = tw_arena__take(maker->arena, (a->n + b->n + 1) * sizeof(*keys));
	unsigned int i = 0, k = 0, n = 0;

	*ret = (struct tw_cube){ keys, 0 };
	while (keys && (i < a->n || k < b->n)) {
		if (k == b->n || (i < a->n && a->keys[i].offset < b->keys[k].offset))
			keys[n++] = a->keys[i++];
		else if (i == a->n || b->keys[k].offset < a->keys[i].offset)
			keys[n++] = b->keys[k++];
		else if (!join_keys(&a->keys[i++], &b->keys[k++], &keys[n++]))
			return false;
	}
	maker->too_many |= n > TW_U32_KEYS_MAX;
	ret->n = n;
	return true;
}

struct tw_cubes tw_cubes__and(struct tw_cube_maker *maker, const struct tw_cubes *a, const struct tw_cubes *b)
{
	struct tw_cube joint[TW_U32_MATCHES_MAX];
	struct tw_cubes list = { 0 };
	unsigned int n = 0;

	if (!a->items || !b->items)
		return list;
	for (unsigned int i = 0; i < a->n * b->n; i++) {
		if (n == TW_U32_MATCHES_MAX) {
			maker->too_many = true;
			return list;
		}
		if (join_cubes(maker, &a->items[i / b->n], &b->items[i % b->n], &joint[n]))
			n++;
		if (!joint[n ? n - 1 : 0].keys)
			return list;
	}
	list = new_list(maker, n);
	if (list.items && n)
		memcpy(list.items, joint, n * sizeof(*joint));
	list.n = list.items ? n : 0;
	return list;
}

struct tw_cubes tw_cubes__masked(struct tw_cube_maker *maker, const struct tw_cube_number *number, uint64_t mask,
				 uint64_t value)
{
	uint8_t values[8], masks[8];

	for (unsigned int i = 0; i < number->size; i++) {
		const unsigned int shift = 8 * (number->big_endian ? number->size - 1 - i : i);

		masks[i] = (uint8_t)(mask >> shift);
		values[i] = (uint8_t)((value ^ number->flip) >> shift);
	}
	return tw_cubes__bytes(maker, number->offset, values, masks, number->size);
}

/* The largest block that begins at @low, has a power of two of numbers, and does not reach beyond @high. Return: its span */
static uint64_t block_at(uint64_t low, uint64_t high)
{
	uint64_t span = 0;

	while (!(low & (span + 1)) && span < UINT64_MAX / 2 && high - low >= span * 2 + 1)
		span = span * 2 + 1;
	return span;
}

struct tw_cubes tw_cubes__range(struct tw_cube_maker *maker, const struct tw_cube_number *number, uint64_t low,
				uint64_t high)
{
	const uint64_t all = UINT64_MAX >> (64 - 8 * number->size);
	struct tw_cubes list = tw_cubes__certain(maker, false);

	if (low == 0 && high == all)
		return tw_cubes__certain(maker, true);
	while (low <= high && list.items) {
		const uint64_t span = block_at(low, high);
		const struct tw_cubes block = tw_cubes__masked(maker, number, all & ~span, low);

		list = tw_cubes__or(maker, &list, &block);
		if (high - low == span)
			break;
		low += span + 1;
	}
	return list;
}
