/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/task_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SIZE 64 /* rows; a power of two, at most three quarters full */

/* The row of that pid, or the free one where it belongs. */
static struct tw_task_row *row_of(const struct tw_task_table *table, uint32_t pid)
{
	uint64_t hash = (pid ^ table->seed) * 0x9e3779b97f4a7c15u;
	uint32_t at;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	for (at = (uint32_t)(hash >> 32) & (table->size - 1); table->rows[at].len && table->rows[at].pid != pid;)
		at = (at + 1) & (table->size - 1);
	return &table->rows[at];
}

static int grow(struct tw_task_table *table, size_t room)
{
	const uint32_t size = table->size ? table->size * 2 : FIRST_SIZE;
	struct tw_task_table larger = { .n = table->n, .size = size, .seed = table->seed };

	if ((size - table->size) * sizeof(*larger.rows) > room)
		return -E2BIG;
	if (!table->size && getrandom(&larger.seed, sizeof(larger.seed), GRND_NONBLOCK) < 0)
		larger.seed = (uintptr_t)table; /* better than nothing, early after boot */
	larger.rows = calloc(size, sizeof(*larger.rows));
	if (!larger.rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->size; i++) {
		if (table->rows[i].len)
			*row_of(&larger, table->rows[i].pid) = table->rows[i];
	}
	free(table->rows);
	*table = larger;
	return 0;
}

/* Room for one more row. */
static int make_room(struct tw_task_table *table, size_t room)
{
	if (table->n == TW_TASKS_MAX)
		return -E2BIG;
	return table->n < table->size / 4 * 3 ? 0 : grow(table, room);
}

int tw_task_table__add(struct tw_task_table *table, const struct tw_comm_view *comm, size_t room)
{
	const size_t len = comm->len < TW_COMM_MAX ? comm->len : TW_COMM_MAX;
	struct tw_task_row *row = table->size ? row_of(table, comm->pid) : NULL;
	int error;

	if (!len)
		return 0;
	if (!row || !row->len) {
		error = make_room(table, room);
		if (error)
			return error;
		row = row_of(table, comm->pid);
	}
	if (row->len == len && !memcmp(row->name, comm->name, len))
		return 0;
	if (row->len && comm->time < row->since)
		return 0; /* said again, and changed since */
	table->n += !row->len;
	row->old_len = row->len;
	memcpy(row->old_name, row->name, sizeof(row->name));
	row->pid = comm->pid;
	row->since = comm->time;
	row->len = (uint8_t)len;
	memcpy(row->name, comm->name, len);
	row->name[len] = '\0';
	return 0;
}

const char *tw_task_table__name(const struct tw_task_table *table, uint32_t pid, uint64_t time, size_t *ret_len)
{
	const struct tw_task_row *row;

	if (!table->size)
		return NULL;
	row = row_of(table, pid);
	if (!row->len)
		return NULL;
	if (time < row->since && row->old_len) {
		*ret_len = row->old_len;
		return row->old_name;
	}
	*ret_len = row->len;
	return row->name;
}

void tw_task_table__fini(struct tw_task_table *table)
{
	free(table->rows);
	*table = (struct tw_task_table){ 0 };
}
