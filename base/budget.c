/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/budget.h"

/* With @new_size 0, frees @memory: realloc() might allocate an object of size 0. */
static void *resize(void *ctx, void *memory, size_t old_size, size_t new_size)
{
	struct tw_budget *budget = ctx;
	void *resized = NULL;

	if (!new_size)
		free(memory);
	else if (new_size <= old_size || new_size - old_size <= budget->max - budget->used)
		resized = realloc(memory, new_size);
	if (resized || !new_size)
		budget->used = budget->used - old_size + new_size;
	return resized;
}

void tw_budget__init(struct tw_budget *budget, size_t max)
{
	*budget = (struct tw_budget){ .alloc = { .resize = resize, .ctx = budget }, .max = max };
}
