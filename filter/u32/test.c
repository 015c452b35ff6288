/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests as bits. A record has all that its format says, so the opposite of a comparison is the comparison of the opposite. An order is a few
 * blocks of numbers that begin with the same bits.
 */
#include "filter/glob_shape.h"
#include "filter/u32/cubes.h"
#include "wire/tracewire.h"

static bool is_order(const struct tw_test *test)
{
	return test->op >= TW_TEST_LT && test->op <= TW_TEST_WITHIN;
}

static const char *refuses_bytes(const struct tw_test *test)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);
	uint32_t offset, size;

	if (!tw_test__bytes_place(test, &offset, &size))
		return "its place is not the same in each record";
	if (is_order(test) || test->op == TW_TEST_CONTAINS || test->op == TW_TEST_MATCHES)
		return "it compares bits at fixed places for equality";
	if (test->op == TW_TEST_GLOB && (!glob.plain || glob.leading) && (glob.body_len || !test->len))
		return "of patterns it has those that end with a star only";
	if (test->compared == TW_AS_TEXT && memchr(test->bytes, '\0', test->len))
		return "it does not look for NULs in a text";
	return test->len < TW_CUBE_VALUE_MAX ? NULL : "the value is too long";
}

const char *tw_u32__refuses(const struct tw_test *test)
{
	struct tw_number_place place;

	if (test->operand == TW_ON_TIME)
		return "it does not add an event's time to that of its frame";
	if (test->operand == TW_ON_COMM)
		return "the task's name is not in the frames of its events";
	if (test->operand == TW_ON_HOST)
		return "the host's name is not in the frames of events";
	if (tw_test__asks_for_elements(test))
		return "it does not ask how long an array is";
	if (test->op == TW_TEST_EXISTS)
		return NULL;
	if (test->compared != TW_AS_NUMBER)
		return refuses_bytes(test);
	if (!tw_test__number_place(test, &place))
		return "it compares bits at fixed places for equality";
	return test->has_mask && is_order(test) ? "it knows no order behind a mask" : NULL;
}

static struct tw_cube_number number_of(const struct tw_test *test)
{
	struct tw_number_place place = { 0 };

	tw_test__number_place(test, &place);
	return (struct tw_cube_number){
		.offset = place.offset + (place.base == TW_IN_EVENT ? (uint32_t)sizeof(struct tw_frame_hdr) : 0),
		.size = place.size,
		.big_endian = place.big_endian,
		.flip = test->is_signed && !test->has_mask ? 1ull << (8 * place.size - 1) : 0,
	};
}

static struct tw_cubes negate_equal(struct tw_cube_maker *maker, struct tw_cubes equal, bool negated)
{
	return negated ? tw_cubes__not(maker, &equal) : equal;
}

static struct tw_cubes equal_number(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	struct tw_cube_number number = number_of(test);
	const uint64_t all = UINT64_MAX >> (64 - 8 * number.size), mask = test->has_mask ? test->mask & all : all;

	number.flip = 0;
	if (test->low & all & ~mask)
		return tw_cubes__certain(maker, negated);
	return negate_equal(maker, tw_cubes__masked(maker, &number, mask, test->low), negated);
}

/* The ends of what a test takes, moved so that the least number is 0. Return: false if there is nothing between them. */
static bool find_ends(const struct tw_test *test, uint64_t flip, uint64_t all, uint64_t *low, uint64_t *high)
{
	const uint64_t value = (test->low ^ flip) & all;

	*low = 0;
	*high = all;
	switch (test->op) {
	case TW_TEST_LT:
		*high = value - 1;
		return value > 0;
	case TW_TEST_LE:
		*high = value;
		return true;
	case TW_TEST_GT:
		*low = value + 1;
		return value < all;
	case TW_TEST_GE:
		*low = value;
		return true;
	default:
		*low = value;
		*high = (test->high ^ flip) & all;
		return *low <= *high;
	}
}

static struct tw_cubes ordered_number(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const struct tw_cube_number number = number_of(test);
	const uint64_t all = UINT64_MAX >> (64 - 8 * number.size);
	struct tw_cubes below, above;
	uint64_t low, high;

	if (!find_ends(test, number.flip, all, &low, &high))
		return tw_cubes__certain(maker, negated);
	if (!negated)
		return tw_cubes__range(maker, &number, low, high);
	below = low ? tw_cubes__range(maker, &number, 0, low - 1) : tw_cubes__certain(maker, false);
	above = high < all ? tw_cubes__range(maker, &number, high + 1, all) : tw_cubes__certain(maker, false);
	return tw_cubes__or(maker, &below, &above);
}

/* Text ends with a NUL where its field goes on. */
static struct tw_cubes equal_bytes(struct tw_cube_maker *maker, const struct tw_test *test, const uint8_t *value,
				   size_t len, bool whole, bool negated)
{
	uint8_t mask[TW_CUBE_VALUE_MAX], copy[TW_CUBE_VALUE_MAX] = { 0 };
	uint32_t offset = 0, size = 0, bits;

	tw_test__bytes_place(test, &offset, &size);
	if (len > size || (whole && test->compared == TW_AS_BYTES && len != size))
		return tw_cubes__certain(maker, negated);
	memcpy(copy, value, len);
	if (whole && len < size)
		len++;
	bits = test->prefix ? test->prefix : 8 * (uint32_t)len;
	for (uint32_t i = 0; i < len; i++)
		mask[i] = (uint8_t)(bits >= 8 * i + 8 ? 0xff : bits > 8 * i ? 0xff00 >> (bits - 8 * i) : 0);
	return negate_equal(maker,
			    tw_cubes__bytes(maker, (uint32_t)sizeof(struct tw_frame_hdr) + offset, copy, mask,
					    (uint32_t)len),
			    negated);
}

static struct tw_cubes pattern(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);

	if (glob.leading)
		return tw_cubes__certain(maker, !negated);
	return equal_bytes(maker, test, glob.body, glob.body_len, !glob.trailing, negated);
}

struct tw_cubes tw_cubes__test(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const bool is_number = test->compared == TW_AS_NUMBER;

	switch (test->op) {
	case TW_TEST_EXISTS:
		return tw_cubes__certain(maker, !negated);
	case TW_TEST_EQ:
	case TW_TEST_NE:
		negated ^= test->op == TW_TEST_NE;
		return is_number ? equal_number(maker, test, negated)
				 : equal_bytes(maker, test, test->bytes, test->len, true, negated);
	case TW_TEST_GLOB:
		return pattern(maker, test, negated);
	default:
		return ordered_number(maker, test, negated);
	}
}

struct tw_cubes tw_cubes__tree(struct tw_cube_maker *maker, const struct tw_node *root)
{
	struct tw_cubes open[TW_FILTER_DEPTH_MAX * 2 + 2], done;
	unsigned int depth = 0;
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	done = tw_cubes__certain(maker, root->kind == TW_NODE_TRUE);
	while ((at = tw_walk__next(&walk)) != TW_WALK_END && !maker->too_many) {
		const struct tw_node *parent = walk.node->parent;

		if (at == TW_WALK_OPEN) {
			if (depth == sizeof(open) / sizeof(open[0])) {
				maker->too_many = true;
				break;
			}
			open[depth++] = tw_cubes__certain(maker, walk.node->kind == TW_NODE_AND);
			continue;
		}
		if (at == TW_WALK_BETWEEN)
			continue;
		if (at == TW_WALK_CLOSE)
			done = open[--depth];
		else if (walk.node->kind == TW_NODE_TEST)
			done = tw_cubes__test(maker, walk.node->test, walk.node->negated);
		if (!depth)
			continue;
		open[depth - 1] = parent->kind == TW_NODE_AND ? tw_cubes__and(maker, &open[depth - 1], &done)
							      : tw_cubes__or(maker, &open[depth - 1], &done);
	}
	return done;
}
