/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. The programs of a bound filter, and which one an event id has. */
#ifndef TW_EVALUATOR_H
#define TW_EVALUATOR_H

#include "filter/evaluate/program.h"

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
