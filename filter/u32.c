/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles tests to masked comparisons. A record has all fixed fields of its format, so the negation of a comparison is the inverse
 * comparison. An ordered comparison becomes several masked comparisons: each is true for a block of numbers with equal leading bits.
 */
#include "filter/u32.h"

#include <errno.h>
#include <stdlib.h>

#include "filter/arena.h"
#include "filter/compare.h"
#include "filter/describe.h"
#include "filter/expression.h"
#include "wire/tracewire.h"

/* A conjunction of masked comparisons: true if each key's value equals the masked word of the frame. */
struct tw_cube {
	const struct tw_u32_key *keys; /* sorted by offset; values have no bits outside of their masks */
	unsigned int n;
};

/* A disjunction of cubes: true if at least one cube is true. */
struct tw_cubes {
	struct tw_cube *items; /* NULL = out of memory, or too many cubes */
	unsigned int n;        /* at most TW_U32_MATCHES_MAX */
};

/* The memory for cubes, and whether a limit was exceeded. */
struct tw_cube_maker {
	struct tw_arena *arena;
	bool too_many; /* a list needed more than TW_U32_MATCHES_MAX cubes, or a cube more than TW_U32_KEYS_MAX keys */
};

/* Allocate a list for @n cubes. If out of memory, or if @n exceeds the limit, the list's items are NULL. */
static struct tw_cubes new_list(struct tw_cube_maker *maker, size_t n)
{
	struct tw_cubes list = { 0 };

	if (n > TW_U32_MATCHES_MAX)
		maker->too_many = true;
	else
		list.items = tw_arena__take(maker->arena, (n + 1) * sizeof(*list.items));
	return list;
}

/* Make a list that is always true (one cube without keys), or never true (no cube). */
static struct tw_cubes cubes__certain(struct tw_cube_maker *maker, bool is_true)
{
	struct tw_cubes list = new_list(maker, 1);

	list.n = list.items && is_true;
	return list;
}

/* Make a list of one cube: the bytes from @offset on, masked with @mask, equal @value. @len: at most TW_CUBE_VALUE_MAX */
static struct tw_cubes cubes__bytes(struct tw_cube_maker *maker, uint32_t offset, const uint8_t *value,
				    const uint8_t *mask, uint32_t len)
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

/* Make the negation of a list with at most one cube. The negation has a cube for each compared bit, which is true if that bit differs. */
static struct tw_cubes cubes__not(struct tw_cube_maker *maker, const struct tw_cubes *cube)
{
	struct tw_cubes list;
	size_t n = 0;

	if (!cube->items || !cube->n)
		return cubes__certain(maker, cube->items);
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

static struct tw_cubes cubes__or(struct tw_cube_maker *maker, const struct tw_cubes *a, const struct tw_cubes *b)
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

/* Join two keys at the same offset. Return: false if no word can have the values of both keys. */
static bool join_keys(const struct tw_u32_key *a, const struct tw_u32_key *b, struct tw_u32_key *ret)
{
	if ((a->value ^ b->value) & a->mask & b->mask)
		return false;
	*ret = (struct tw_u32_key){ a->value | b->value, a->mask | b->mask, a->offset };
	return true;
}

/* Make the conjunction of two cubes. Return: false if it can never be true. If out of memory, the keys of @ret are NULL. */
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

static struct tw_cubes cubes__and(struct tw_cube_maker *maker, const struct tw_cubes *a, const struct tw_cubes *b)
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

/* Return: the bit to invert in all values of a signed number, so that they are ordered as unsigned numbers; 0 for an unsigned number. */
static uint64_t sign_of(const struct tw_test_place *number)
{
	return number->is_signed ? 1ull << (8 * number->size - 1) : 0;
}

/* Make a list that is true if (number & mask) == value. For a signed number, the caller passes @value with its sign bit inverted. */
static struct tw_cubes cubes__masked(struct tw_cube_maker *maker, const struct tw_test_place *number, uint64_t mask,
				     uint64_t value)
{
	uint8_t values[8], masks[8];

	for (unsigned int i = 0; i < number->size; i++) {
		const unsigned int shift = 8 * (number->big_endian ? number->size - 1 - i : i);

		masks[i] = (uint8_t)(mask >> shift);
		values[i] = (uint8_t)((value ^ sign_of(number)) >> shift);
	}
	return cubes__bytes(maker, number->offset, values, masks, number->size);
}

/*
 * Find the largest block of numbers with equal leading bits that begins at @low and ends at or before @high. Return: its last number minus
 * its first one.
 */
static uint64_t block_at(uint64_t low, uint64_t high)
{
	uint64_t span = 0;

	while (!(low & (span + 1)) && span < UINT64_MAX / 2 && high - low >= span * 2 + 1)
		span = span * 2 + 1;
	return span;
}

/* Make a list that is true if low <= number <= high, compared as unsigned numbers. If high < low, the list is never true. */
static struct tw_cubes cubes__range(struct tw_cube_maker *maker, const struct tw_test_place *number, uint64_t low,
				    uint64_t high)
{
	const uint64_t all = tw_number__mask(number->size);
	struct tw_cubes list = cubes__certain(maker, false);

	if (low == 0 && high == all)
		return cubes__certain(maker, true);
	while (low <= high && list.items) {
		const uint64_t span = block_at(low, high);
		const struct tw_cubes block = cubes__masked(maker, number, all & ~span, low);

		list = cubes__or(maker, &list, &block);
		if (high - low == span)
			break;
		low += span + 1;
	}
	return list;
}

/* Return: the position of a test's number; is_signed: whether the test orders its values as signed numbers */
static struct tw_test_place number_of(const struct tw_test *test)
{
	struct tw_test_place place = { 0 };

	tw_test__place(test, &place);
	place.is_signed = test->is_signed && !test->has_mask;
	return place;
}

static struct tw_cubes negate_equal(struct tw_cube_maker *maker, struct tw_cubes equal, bool negated)
{
	return negated ? cubes__not(maker, &equal) : equal;
}

static struct tw_cubes equal_number(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	struct tw_test_place number = number_of(test);
	const uint64_t all = tw_number__mask(number.size), mask = test->has_mask ? test->mask & all : all;

	number.is_signed = false;
	if (test->low & all & ~mask)
		return cubes__certain(maker, negated);
	return negate_equal(maker, cubes__masked(maker, &number, mask, test->low), negated);
}

static struct tw_cubes ordered_number(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const struct tw_test_place number = number_of(test);
	const uint64_t all = tw_number__mask(number.size);
	/* The sign bit of @low and @high is inverted below: the smallest signed number becomes 0. */
	const uint64_t sign = sign_of(&number), least = -sign, most = sign ? sign - 1 : all;
	struct tw_cubes below, above;
	uint64_t low, high;

	if (!tw_test__ends(test, number.is_signed, least, most, &low, &high))
		return cubes__certain(maker, negated);
	low = (low ^ sign) & all;
	high = (high ^ sign) & all;
	if (!negated)
		return cubes__range(maker, &number, low, high);
	below = low ? cubes__range(maker, &number, 0, low - 1) : cubes__certain(maker, false);
	above = high < all ? cubes__range(maker, &number, high + 1, all) : cubes__certain(maker, false);
	return cubes__or(maker, &below, &above);
}

/*
 * Make a disjunction of cubes that is true if the field equals the value (for a GLOB with a star at its end: begins with the text before
 * the star); with @negated, if it does not. In the field, a text that is shorter than the field ends with a NUL, which is compared too.
 */
static struct tw_cubes equal_bytes(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	uint8_t mask[TW_CUBE_VALUE_MAX];
	struct tw_test_place place = { 0 };
	bool whole;
	size_t len = tw_test__prefix(test, &whole);
	uint32_t bits;

	tw_test__place(test, &place);
	if (len > place.size || (whole && test->compared == TW_AS_BYTES && len != place.size))
		return cubes__certain(maker, negated);
	if (whole && len < place.size)
		len++; /* the NUL after the value */
	bits = test->prefix ? test->prefix : 8 * (uint32_t)len;
	for (uint32_t i = 0; i < len; i++)
		mask[i] = tw_prefix__mask(bits, i);
	return negate_equal(maker, cubes__bytes(maker, place.offset, test->bytes, mask, (uint32_t)len), negated);
}

static struct tw_cubes cubes_of_test(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const bool is_number = test->compared == TW_AS_NUMBER;

	switch (test->op) {
	case TW_TEST_EXISTS:
		return cubes__certain(maker, !negated);
	case TW_TEST_EQ:
	case TW_TEST_NE:
		negated ^= test->op == TW_TEST_NE;
		return is_number ? equal_number(maker, test, negated) : equal_bytes(maker, test, negated);
	case TW_TEST_GLOB:
		return equal_bytes(maker, test, negated);
	default:
		return ordered_number(maker, test, negated);
	}
}

static struct tw_cubes cubes_of_tree(struct tw_cube_maker *maker, const struct tw_node *root)
{
	struct tw_cubes open[TW_TREE_DEPTH_MAX], done;
	unsigned int depth = 0;
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	done = cubes__certain(maker, root->kind == TW_NODE_TRUE);
	while ((at = tw_walk__next(&walk)) != TW_WALK_END && !maker->too_many) {
		const struct tw_node *parent = walk.node->parent;

		if (at == TW_WALK_OPEN) {
			if (depth == TW_TREE_DEPTH_MAX) {
				maker->too_many = true;
				break;
			}
			open[depth++] = cubes__certain(maker, walk.node->kind == TW_NODE_AND);
			continue;
		}
		if (at == TW_WALK_BETWEEN)
			continue;
		if (at == TW_WALK_CLOSE)
			done = open[--depth];
		else if (walk.node->kind == TW_NODE_TEST)
			done = cubes_of_test(maker, walk.node->test, walk.node->negated);
		if (!depth)
			continue;
		open[depth - 1] = parent->kind == TW_NODE_AND ? cubes__and(maker, &open[depth - 1], &done)
							      : cubes__or(maker, &open[depth - 1], &done);
	}
	return done;
}

#define MEMORY_MAX ((size_t)64 << 20) /* bytes of intermediate cubes */
#define TEXT_MAX   ((size_t)1 << 20)  /* bytes of texts that distinguish groups */

#define HEADER(field) ((uint32_t)offsetof(struct tw_frame_hdr, field))
#define EVENT(field)  ((uint32_t)(sizeof(struct tw_frame_hdr) + offsetof(struct tw_event, field)))

/*
 * Append a text that is used only to make groups. Fields of the same name may differ between events, so the text includes the field's
 * offset, size and sign.
 */
static bool put_test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line)
{
	(void)format;
	tw_test__describe(test, line);
	if (!test->field)
		return false;
	tw_line__char(line, '@');
	tw_line__u64(line, test->field->offset);
	tw_line__char(line, ':');
	tw_line__u64(line, test->field->size);
	tw_line__char(line, test->is_signed ? 's' : 'u');
	return false;
}

static void and_number(struct tw_cube_maker *maker, struct tw_cubes *cubes, uint32_t offset, uint8_t size,
		       uint64_t mask, uint64_t value)
{
	const struct tw_test_place number = { .offset = offset, .size = size, .big_endian = true };
	const struct tw_cubes more = cubes__masked(maker, &number, mask, value);

	*cubes = cubes__and(maker, cubes, &more);
}

/* Make a list that matches frames with one event of the schema. */
static struct tw_cubes frame_cube(struct tw_cube_maker *maker, const struct tw_bound *bound, uint64_t schema_id)
{
	struct tw_cubes cubes = cubes__certain(maker, true);

	and_number(maker, &cubes, HEADER(magic), 4, UINT32_MAX, TW_MAGIC);
	and_number(maker, &cubes, HEADER(version), 1, 0xff, TW_VERSION);
	and_number(maker, &cubes, HEADER(flags), 1, TW_FLAG_BODY_BE, bound->options.big_endian ? TW_FLAG_BODY_BE : 0);
	if (schema_id)
		and_number(maker, &cubes, HEADER(schema_id), 8, UINT64_MAX, schema_id);
	and_number(maker, &cubes, HEADER(events), 2, UINT16_MAX, 1);
	and_number(maker, &cubes, EVENT(tlv.type), 2, UINT16_MAX, TW_TLV_EVENT);
	return cubes;
}

static void or_ids(struct tw_cube_maker *maker, struct tw_cubes *ids, uint32_t first, uint32_t last)
{
	const struct tw_test_place id = { .offset = EVENT(event_id), .size = 2, .big_endian = true };
	const struct tw_cubes range = cubes__range(maker, &id, first, last);

	*ids = cubes__or(maker, ids, &range);
}

/* Make a list for the event ids of a group, in ranges. The unknown ids are before, between and after those of the schema. */
static struct tw_cubes id_cubes(struct tw_cube_maker *maker, const struct tw_groups *groups, uint32_t group)
{
	const bool has_unknown = groups->groups[group].has_unknown;
	struct tw_cubes ids = cubes__certain(maker, false);
	uint32_t from = 0; /* the id after the previous range */
	uint16_t first, last;
	size_t at = 0;

	while (ids.items && tw_groups__next_ids(groups, group, has_unknown, &at, &first, &last)) {
		if (!has_unknown)
			or_ids(maker, &ids, first, last);
		else if (from < first)
			or_ids(maker, &ids, from, first - 1);
		from = last + 1u;
	}
	if (has_unknown && from <= UINT16_MAX)
		or_ids(maker, &ids, from, UINT16_MAX);
	return ids;
}

/* Copy cubes from the arena to the matches of @ret, which the caller frees with tw_u32__fini(). Return: 0, -ENOMEM */
static int copy_out(const struct tw_cubes *cubes, struct tw_u32 *ret)
{
	*ret = (struct tw_u32){ .matches = calloc(cubes->n + 1, sizeof(*ret->matches)) };
	if (!ret->matches)
		return -ENOMEM;
	for (; ret->n < cubes->n; ret->n++) {
		const struct tw_cube *cube = &cubes->items[ret->n];
		struct tw_u32_match *match = &ret->matches[ret->n];

		match->keys = calloc(cube->n + 1, sizeof(*match->keys));
		if (!match->keys) {
			tw_u32__fini(ret);
			return -ENOMEM;
		}
		memcpy(match->keys, cube->keys, cube->n * sizeof(*match->keys));
		match->n = cube->n;
	}
	return 0;
}

static int compile(struct tw_cube_maker *maker, const struct tw_groups *groups, uint64_t schema_id, struct tw_u32 *ret,
		   struct tw_error *error)
{
	const struct tw_cubes frame = frame_cube(maker, groups->bound, schema_id);
	struct tw_cubes all = cubes__certain(maker, false);
	int err = -ENOMEM;

	for (uint32_t i = 0; i < groups->n && !maker->too_many; i++) {
		const struct tw_cubes ids = id_cubes(maker, groups, i);
		const struct tw_cubes tree = cubes_of_tree(maker, groups->groups[i].root);
		const struct tw_cubes group = cubes__and(maker, &ids, &tree);

		all = cubes__or(maker, &all, &group);
	}
	all = cubes__and(maker, &all, &frame);
	if (maker->too_many)
		return tw_error__set(
			error, -EOPNOTSUPP,
			"u32 cannot express '%.100s': it is nested too deeply, or exceeds a limit (%d matches, %d keys in a match)",
			groups->bound->text, TW_U32_MATCHES_MAX, TW_U32_KEYS_MAX);
	if (all.items)
		err = copy_out(&all, ret);
	return err ? tw_error__set(error, err, "u32: out of memory for the matches") : 0;
}

int tw_u32__compile(const struct tw_bound *bound, uint64_t schema_id, struct tw_u32 *ret, struct tw_error *error)
{
	static const struct tw_expression_style style = {
		.and_text = " && ", .or_text = " || ", .not_text = "!", .test = put_test
	};
	struct tw_cube_maker maker = { .arena = tw_arena__new(MEMORY_MAX) };
	struct tw_groups groups;
	int err;

	if (!maker.arena)
		return tw_error__set(error, -ENOMEM, "u32: out of memory for the matches");
	err = tw_groups__make(bound, &style, TW_BACK_END_U32, TEXT_MAX, &groups, error);
	if (err == -E2BIG)
		err = -EOPNOTSUPP;
	if (!err)
		err = compile(&maker, &groups, schema_id, ret, error);
	tw_groups__fini(&groups);
	tw_arena__free(maker.arena);
	return err;
}

void tw_u32__fini(struct tw_u32 *u32)
{
	for (unsigned int i = 0; i < u32->n; i++)
		free(u32->matches[i].keys);
	free(u32->matches);
	*u32 = (struct tw_u32){ 0 };
}

const struct tw_u32_match *tw_u32__control(void)
{
	static struct tw_u32_key keys[] = {
		{ .value = TW_MAGIC, .mask = UINT32_MAX, .offset = HEADER(magic) },
		{ .value = (uint32_t)TW_CHANNEL_CONTROL << 16, .mask = 0xffff0000, .offset = HEADER(channel) },
	};
	static const struct tw_u32_match match = { .keys = keys, .n = sizeof(keys) / sizeof(keys[0]) };

	return &match;
}

void tw_u32_match__emit(const struct tw_u32_match *match, struct tw_line *line)
{
	for (unsigned int i = 0; i < match->n; i++) {
		tw_line__str(line, i ? " match u32 0x" : "match u32 0x");
		tw_line__hex(line, match->keys[i].value);
		tw_line__str(line, " 0x");
		tw_line__hex(line, match->keys[i].mask);
		tw_line__str(line, " at ");
		tw_line__u64(line, match->keys[i].offset);
	}
}
