/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters that were collected, and their JSON. */
#ifndef CLI_FILTER_COUNTERS_JSON_H
#define CLI_FILTER_COUNTERS_JSON_H

#include <stddef.h>

#include "cli/filter/attach/counters.h"

#define COUNTERS_ACTION_MAX 64

struct counted_rows {
	struct tw_counted what;
	struct tw_counter rows[TW_ROWS_MAX];
};

/* All of a classifier. */
struct counted {
	unsigned int n_rows;
	struct counted_rows *all;
	size_t n;
	int error;
	struct tw_counter sum[TW_ROWS_MAX];
};

/** counters__action() - "mark:7" */
void counters__action(uint8_t action, uint32_t arg, char text[COUNTERS_ACTION_MAX]);

void counters__print_json(const struct tw_attached *attached, const struct counted *counted,
			  const struct counters_print *print);

#endif
