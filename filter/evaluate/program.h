/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the filter room. What the evaluator runs: one step for each test of a tree, in the tree's order, and
 * where to go on if it is true or false. Numbers at a fixed place are loaded and compared by the step itself,
 * and so are texts at one that are asked to be equal.
 */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include "filter/tree.h"

enum tw_load {
	TW_LOAD_U8, /* of the record */
	TW_LOAD_S8,
	TW_LOAD_U16,
	TW_LOAD_S16,
	TW_LOAD_U32,
	TW_LOAD_S32,
	TW_LOAD_64,
	TW_LOAD_PID, /* of the event */
	TW_LOAD_CPU,
	TW_LOAD_FLAGS,
	TW_LOAD_PREEMPT,
	TW_LOAD_TIME,
	TW_LOAD_TEXT,    /* none: a text at a fixed place is compared with the test's, EQ or NE */
	TW_LOAD_NOTHING, /* the whole test is done by evaluate.c */
};

#define TW_STEPS_MAX  32000
#define TW_STEP_MATCH 0xffff /* where to go on: nowhere, the event matches */
#define TW_STEP_NO    0xfffe /* it does not */

struct tw_step {
	uint8_t load; /* enum tw_load */
	bool big_endian;
	bool is_outside; /* as in struct tw_range */
	uint8_t reserved;
	uint16_t on_true, on_false; /* steps from the program's first */
	uint32_t offset, end;       /* of the number or text in the record */
	uint64_t mask, low, span;   /* as in struct tw_range; span of TEXT: bytes that are compared */
	const struct tw_test *test; /* of TEXT and NOTHING, else NULL */
};

/* Instead of a start: there is nothing to run. */
#define TW_START_TRUE    UINT32_MAX
#define TW_START_FALSE   (UINT32_MAX - 1)
#define TW_START_CERTAIN TW_START_FALSE /* these and above */

struct tw_evaluator {
	const struct tw_step *steps; /* of all programs */
	uint32_t unknown;            /* start for ids that have none */
	uint32_t n_starts;           /* the highest id and one more */
	uint32_t starts[];           /* by id: the first step */
};

#endif
