/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks by pid and time, as COMM records tell them in the order of a capture. */
#ifndef TW_TASK_TABLE_H
#define TW_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/limits.h"
#include "wire/decode.h"

struct tw_task_name {
	uint64_t since;
	uint8_t len;
	char name[TW_COMM_MAX + 1];
};

/*
 * What a task was called before is kept for events that come behind the names: a producer tells all that it has learnt, then
 * the events of that time. Two names suffice for nearly every task.
 */
struct tw_task_row {
	uint32_t pid;
	uint16_t n_older, room_older;
	bool used, has_old;
	struct tw_task_name now, old;
	struct tw_task_name *older; /* the oldest first */
};

struct tw_tasks {
	struct tw_task_row *rows; /* open addressing */
	uint32_t n, size;
	uint64_t seed; /* of the hash, so that nobody can choose pids that fall on one place */
	size_t older;  /* room for older names, in all rows */
};

/**
 * tw_tasks__add() - a COMM record
 * @room: bytes that the table may grow by; without it older names are forgotten
 *
 * Return: 0; -E2BIG beyond the limit or the room, -ENOMEM.
 */
int tw_tasks__add(struct tw_tasks *table, const struct tw_comm_view *comm, size_t room);

/** tw_tasks__memory() - taken by the table, bytes */
static inline size_t tw_tasks__memory(const struct tw_tasks *table)
{
	return table->size * sizeof(*table->rows) + table->older * sizeof(struct tw_task_name);
}

/** tw_tasks__name() - what @pid was called at that time; NULL if not known; borrowed until the next add */
const char *tw_tasks__name(const struct tw_tasks *table, uint32_t pid, uint64_t time, size_t *ret_len);

void tw_tasks__fini(struct tw_tasks *table);

#endif
