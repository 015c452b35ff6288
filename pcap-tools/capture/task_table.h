/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks by pid and time, as COMM records tell them in the order of a capture. */
#ifndef TW_TASK_TABLE_H
#define TW_TASK_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/decode.h"

#define TW_TASKS_MAX (1u << 20) /* of one table; the kernel's pid_max is below 2^22 */

/* A name from a time on; the one before it, for events that come out of order. */
struct tw_task_row {
	uint64_t since;
	uint32_t pid;
	uint8_t len, old_len;
	char name[TW_COMM_MAX + 1], old_name[TW_COMM_MAX + 1];
};

struct tw_task_table {
	struct tw_task_row *rows; /* open addressing; len 0 = free */
	uint32_t n, size;
	uint64_t seed; /* of the hash, so that nobody can choose pids that fall on one place */
};

/**
 * tw_task_table__add() - a COMM record
 * @room: bytes that the table may grow by
 *
 * Return: 0; -E2BIG beyond the limit or the room, -ENOMEM.
 */
int tw_task_table__add(struct tw_task_table *table, const struct tw_comm_view *comm, size_t room);

/** tw_task_table__memory() - taken by the table, bytes */
static inline size_t tw_task_table__memory(const struct tw_task_table *table)
{
	return table->size * sizeof(*table->rows);
}

/** tw_task_table__name() - what @pid was called at that time; NULL if not known; borrowed until the next add */
const char *tw_task_table__name(const struct tw_task_table *table, uint32_t pid, uint64_t time, size_t *ret_len);

void tw_task_table__fini(struct tw_task_table *table);

#endif
