/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the filter room. Alternatives of bits that have to be as they are given: u32's language. A cube is a set of keys, all of
 * which have to hold; a list of cubes is true where one of them is.
 */
#ifndef TW_CUBES_H
#define TW_CUBES_H

#include "filter/arena.h"
#include "filter/u32/u32.h"

#define TW_CUBE_VALUE_MAX 512 /* bytes of one comparison */

struct tw_cube {
	const struct tw_u32_key *keys; /* by offset; values have no bits outside of their masks */
	unsigned int n;
};

struct tw_cubes {
	struct tw_cube *items; /* NULL: there was no room for them */
	unsigned int n;        /* TW_U32_MATCHES_MAX at most */
};

/* Where cubes are made. */
struct tw_cube_maker {
	struct tw_arena *arena;
	bool too_many; /* some list would have had more than TW_U32_MATCHES_MAX, or a cube more than TW_U32_KEYS_MAX keys */
};

/** tw_cubes__certain() - what is always true: one cube without keys; or never: none */
struct tw_cubes tw_cubes__certain(struct tw_cube_maker *maker, bool is_true);

/** tw_cubes__bytes() - one cube: the bytes from @offset on, as many bits of each as @mask has. At most TW_CUBE_VALUE_MAX */
struct tw_cubes tw_cubes__bytes(struct tw_cube_maker *maker, uint32_t offset, const uint8_t *value, const uint8_t *mask,
				uint32_t len);

/** tw_cubes__not() - of one cube: one bit at least is another */
struct tw_cubes tw_cubes__not(struct tw_cube_maker *maker, const struct tw_cubes *cube);

struct tw_cubes tw_cubes__or(struct tw_cube_maker *maker, const struct tw_cubes *a, const struct tw_cubes *b);
struct tw_cubes tw_cubes__and(struct tw_cube_maker *maker, const struct tw_cubes *a, const struct tw_cubes *b);

/* A number in the frame. */
struct tw_cube_number {
	uint32_t offset; /* from the frame header */
	uint8_t size;
	bool big_endian;
	uint64_t flip; /* bits that are turned round before it is compared: a sign */
};

/** tw_cubes__masked() - (the number & mask) == value */
struct tw_cubes tw_cubes__masked(struct tw_cube_maker *maker, const struct tw_cube_number *number, uint64_t mask,
				 uint64_t value);

/** tw_cubes__range() - low <= the number <= high, as unsigned numbers; nothing if high is below low */
struct tw_cubes tw_cubes__range(struct tw_cube_maker *maker, const struct tw_cube_number *number, uint64_t low,
				uint64_t high);

#endif
