/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests as bits. A record has all that its format says, so the opposite of a comparison is the comparison of the opposite. An order is a few
 * blocks of numbers that begin with the same bits.
 */
#include "filter/u32/u32.h"

#include <errno.h>
#include <stdlib.h>

#include "filter/compare.h"
#include "filter/describe.h"
#include "filter/expression.h"
#include "filter/glob.h"
#include "filter/u32/cubes.h"
#include "wire/tracewire.h"

static struct tw_cube_number number_of(const struct tw_test *test)
{
	struct tw_test_place place = { 0 };

	tw_test__place(test, &place);
	return (struct tw_cube_number){
		.offset = place.offset,
		.size = (uint8_t)place.size,
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

static struct tw_cubes ordered_number(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const struct tw_cube_number number = number_of(test);
	const uint64_t all = UINT64_MAX >> (64 - 8 * number.size);
	/* Signed ones are moved so that the least of them is 0. */
	const uint64_t least = -number.flip, most = number.flip ? number.flip - 1 : all;
	struct tw_cubes below, above;
	uint64_t low, high;

	if (!tw_test__ends(test, number.flip, least, most, &low, &high))
		return tw_cubes__certain(maker, negated);
	low = (low ^ number.flip) & all;
	high = (high ^ number.flip) & all;
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
	struct tw_test_place place = { 0 };
	uint32_t bits;

	tw_test__place(test, &place);
	if (len > place.size || (whole && test->compared == TW_AS_BYTES && len != place.size))
		return tw_cubes__certain(maker, negated);
	memcpy(copy, value, len);
	if (whole && len < place.size)
		len++;
	bits = test->prefix ? test->prefix : 8 * (uint32_t)len;
	for (uint32_t i = 0; i < len; i++)
		mask[i] = tw_prefix__mask(bits, i);
	return negate_equal(maker, tw_cubes__bytes(maker, place.offset, copy, mask, (uint32_t)len), negated);
}

static struct tw_cubes pattern(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
{
	const struct tw_glob_shape glob = tw_glob_shape__of(test->bytes, test->len);

	if (glob.leading)
		return tw_cubes__certain(maker, !negated);
	return equal_bytes(maker, test, glob.body, glob.body_len, !glob.trailing, negated);
}

static struct tw_cubes cubes_of_test(struct tw_cube_maker *maker, const struct tw_test *test, bool negated)
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

static struct tw_cubes cubes_of_tree(struct tw_cube_maker *maker, const struct tw_node *root)
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
			done = cubes_of_test(maker, walk.node->test, walk.node->negated);
		if (!depth)
			continue;
		open[depth - 1] = parent->kind == TW_NODE_AND ? tw_cubes__and(maker, &open[depth - 1], &done)
							      : tw_cubes__or(maker, &open[depth - 1], &done);
	}
	return done;
}

#define MEMORY_MAX ((size_t)64 << 20) /* bytes of cubes on the way */
#define TEXT_MAX   ((size_t)1 << 20)  /* bytes of texts that groups are told apart by */

#define HEADER(field) ((uint32_t)offsetof(struct tw_frame_hdr, field))
#define EVENT(field)  ((uint32_t)(sizeof(struct tw_frame_hdr) + offsetof(struct tw_event, field)))

/* For telling trees apart: fields of one name are not the same in all events. */
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
	const struct tw_cube_number number = { .offset = offset, .size = size, .big_endian = true };
	const struct tw_cubes more = tw_cubes__masked(maker, &number, mask, value);

	*cubes = tw_cubes__and(maker, cubes, &more);
}

/* A frame of one event of that schema. */
static struct tw_cubes frame_cube(struct tw_cube_maker *maker, const struct tw_bound *bound, uint64_t schema_id)
{
	struct tw_cubes cubes = tw_cubes__certain(maker, true);

	and_number(maker, &cubes, HEADER(magic), 4, UINT32_MAX, TW_MAGIC);
	and_number(maker, &cubes, HEADER(version), 1, 0xff, TW_VERSION);
	and_number(maker, &cubes, HEADER(flags), 1, TW_FLAG_BODY_BE, bound->options.big_endian ? TW_FLAG_BODY_BE : 0);
	if (schema_id)
		and_number(maker, &cubes, HEADER(schema_id), 8, UINT64_MAX, schema_id);
	and_number(maker, &cubes, HEADER(events), 2, UINT16_MAX, 1);
	and_number(maker, &cubes, EVENT(tlv.type), 2, UINT16_MAX, TW_TLV_EVENT);
	return cubes;
}

/* The ids of a group, in ranges: gaps between ids that are known belong to those that are not. */
static struct tw_cubes id_cubes(struct tw_cube_maker *maker, const struct tw_groups *groups, uint32_t group)
{
	const struct tw_cube_number id = { .offset = EVENT(event_id), .size = 2, .big_endian = true };
	const struct tw_bound_event *events = groups->bound->events;
	const bool has_unknown = groups->groups[group].has_unknown;
	const size_t n = groups->bound->n_events;
	struct tw_cubes list = tw_cubes__certain(maker, false), range;
	uint32_t from = 0; /* where the next range may begin */

	for (size_t i = 0; i <= n && list.items; i++) {
		const uint32_t at = i < n ? events[i].format->id : UINT16_MAX + 1;
		const bool is_in = i < n && groups->group_of[i] == group + 1;
		uint32_t first = at, end = at;

		if (has_unknown && is_in)
			continue;
		if (has_unknown) {
			first = from;
			from = at + 1;
		} else if (is_in) {
			while (i + 1 < n && groups->group_of[i + 1] == group + 1 &&
			       events[i + 1].format->id == end + 1) {
				end++;
				i++;
			}
			end++;
		}
		if (first == end)
			continue;
		range = tw_cubes__range(maker, &id, first, end - 1);
		list = tw_cubes__or(maker, &list, &range);
	}
	return list;
}

/* @cubes live in the arena; the matches are the caller's. */
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
		   struct tw_error *err)
{
	const struct tw_cubes frame = frame_cube(maker, groups->bound, schema_id);
	struct tw_cubes all = tw_cubes__certain(maker, false);
	int error = -ENOMEM;

	for (uint32_t i = 0; i < groups->n && !maker->too_many; i++) {
		const struct tw_cubes ids = id_cubes(maker, groups, i);
		const struct tw_cubes tree = cubes_of_tree(maker, groups->groups[i].root);
		const struct tw_cubes group = tw_cubes__and(maker, &ids, &tree);

		all = tw_cubes__or(maker, &all, &group);
	}
	all = tw_cubes__and(maker, &all, &frame);
	if (maker->too_many)
		return tw_error__set(err, -EOPNOTSUPP,
				     "u32 cannot do '%.100s': that would take more than %d matches, or %d keys in one",
				     groups->bound->text, TW_U32_MATCHES_MAX, TW_U32_KEYS_MAX);
	if (all.items)
		error = copy_out(&all, ret);
	return error ? tw_error__set(err, error, "u32: out of memory") : 0;
}

int tw_u32__compile(const struct tw_bound *bound, uint64_t schema_id, struct tw_u32 *ret, struct tw_error *err)
{
	static const struct tw_expression_style style = {
		.and_text = " && ", .or_text = " || ", .not_text = "!", .test = put_test
	};
	struct tw_cube_maker maker = { .arena = tw_arena__new(MEMORY_MAX) };
	struct tw_groups groups;
	int error;

	if (!maker.arena)
		return tw_error__set(err, -ENOMEM, "u32: out of memory");
	error = tw_groups__make(bound, &style, TW_BACK_END_U32, TEXT_MAX, &groups, err);
	if (error == -E2BIG)
		error = -EOPNOTSUPP;
	if (!error)
		error = compile(&maker, &groups, schema_id, ret, err);
	tw_groups__fini(&groups);
	tw_arena__free(maker.arena);
	return error;
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
