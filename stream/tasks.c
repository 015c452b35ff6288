/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SIZE  64             /* rows; a power of two, at most three quarters full */
#define FIRST_OLDER 4              /* names */
#define OLD_NS      10000000000ull /* no event comes so long behind the names of its time */

/* The row of that pid, or the free one where it belongs. */
static struct tw_task_row *row_of(const struct tw_tasks *table, uint32_t pid)
{
	uint64_t hash = (pid ^ table->seed) * 0x9e3779b97f4a7c15u;
	uint32_t at;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	for (at = (uint32_t)(hash >> 32) & (table->size - 1); table->rows[at].used && table->rows[at].pid != pid;)
		at = (at + 1) & (table->size - 1);
	return &table->rows[at];
}

static int grow(struct tw_tasks *table, size_t room)
{
	const uint32_t size = table->size ? table->size * 2 : FIRST_SIZE;
	struct tw_tasks larger = { .n = table->n, .size = size, .seed = table->seed, .older = table->older };

	if ((size - table->size) * sizeof(*larger.rows) > room)
		return -E2BIG;
	if (!table->size && getrandom(&larger.seed, sizeof(larger.seed), GRND_NONBLOCK) < 0)
		larger.seed = (uintptr_t)table; /* better than nothing, early after boot */
	larger.rows = calloc(size, sizeof(*larger.rows));
	if (!larger.rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->size; i++) {
		if (table->rows[i].used)
			*row_of(&larger, table->rows[i].pid) = table->rows[i];
	}
	free(table->rows);
	*table = larger;
	return 0;
}

/* Room for one more row. */
static int make_room(struct tw_tasks *table, size_t room)
{
	if (table->n == TW_STREAM_TASKS_MAX)
		return -E2BIG;
	return table->n < table->size / 4 * 3 ? 0 : grow(table, room);
}

static void forget_older(struct tw_task_row *row, uint16_t n)
{
	row->n_older -= n;
	memmove(row->older, row->older + n, row->n_older * sizeof(*row->older));
}

/* What no event will ask for any more. */
static void forget_past(struct tw_tasks *table, struct tw_task_row *row, uint64_t now)
{
	uint16_t n = 0;

	while (n < row->n_older && (n + 1 < row->n_older ? row->older[n + 1].since : row->old.since) + OLD_NS < now)
		n++;
	if (n < row->n_older) {
		forget_older(row, n);
		return;
	}
	table->older -= row->room_older;
	free(row->older);
	row->older = NULL;
	row->n_older = row->room_older = 0;
}

static bool grow_older(struct tw_tasks *table, struct tw_task_row *row, size_t room)
{
	const uint16_t more = row->room_older ? row->room_older : FIRST_OLDER;
	struct tw_task_name *older;

	if (row->room_older >= TW_STREAM_TASK_NAMES_MAX || more * sizeof(*older) > room)
		return false;
	older = reallocarray(row->older, row->room_older + more, sizeof(*older));
	if (!older)
		return false;
	row->older = older;
	row->room_older += more;
	table->older += more;
	return true;
}

/* The old name goes to the older ones, of which the first half goes if there is no room. */
static void keep_old(struct tw_tasks *table, struct tw_task_row *row, size_t room)
{
	if (row->n_older == row->room_older && !grow_older(table, row, room)) {
		if (!row->room_older)
			return;
		forget_older(row, row->n_older / 2);
	}
	row->older[row->n_older++] = row->old;
}

static struct tw_task_name name_of(const struct tw_comm_view *comm)
{
	struct tw_task_name name = {
		.since = comm->time,
		.len = (uint8_t)(comm->len < TW_COMM_MAX ? comm->len : TW_COMM_MAX),
	};

	memcpy(name.name, comm->name, name.len);
	return name;
}

static void put_name(struct tw_tasks *table, struct tw_task_row *row, const struct tw_task_name *name, size_t room)
{
	if (row->n_older)
		forget_past(table, row, name->since);
	if (row->has_old && row->old.since + OLD_NS >= name->since)
		keep_old(table, row, room);
	row->old = row->now;
	row->has_old = true;
	row->now = *name;
}

int tw_tasks__add(struct tw_tasks *table, const struct tw_comm_view *comm, size_t room)
{
	const struct tw_task_name name = name_of(comm);
	struct tw_task_row *row = table->size ? row_of(table, comm->pid) : NULL;
	int error;

	if (!row || !row->used) {
		error = make_room(table, room);
		if (error)
			return error;
		row = row_of(table, comm->pid);
		*row = (struct tw_task_row){ .pid = comm->pid, .used = true, .now = name };
		table->n++;
		return 0;
	}
	if (row->now.len == name.len && !memcmp(row->now.name, name.name, name.len))
		return 0;
	if (name.since >= row->now.since) /* else said again, and changed since */
		put_name(table, row, &name, room);
	return 0;
}

static const struct tw_task_name *older_name(const struct tw_task_row *row, uint64_t time)
{
	const struct tw_task_name *name = &row->old;

	for (uint16_t i = row->n_older; i-- > 0 && time < name->since;)
		name = &row->older[i];
	return name;
}

const char *tw_tasks__name(const struct tw_tasks *table, uint32_t pid, uint64_t time, size_t *ret_len)
{
	const struct tw_task_row *row = table->size ? row_of(table, pid) : NULL;
	const struct tw_task_name *name;

	if (!row || !row->used)
		return NULL;
	name = time < row->now.since && row->has_old ? older_name(row, time) : &row->now;
	*ret_len = name->len;
	return name->name;
}

void tw_tasks__fini(struct tw_tasks *table)
{
	for (uint32_t i = 0; i < table->size; i++)
		free(table->rows[i].older);
	free(table->rows);
	*table = (struct tw_tasks){ 0 };
}
