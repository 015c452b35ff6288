/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid and time, from COMM records in the order of the capture. */
#ifndef TW_TASKS_H
#define TW_TASKS_H

#include "base/hash_table.h"
#include "stream/limits.h"
#include "wire/decode.h"

/*
 * How much of the past a table keeps: the one difference between a reader that reads a capture once and one with random access to
 * events.
 *
 * The second, such as Wireshark, takes each record once, in the order of the capture; its look-ups change nothing. An event must look
 * the same at any time, so nothing is removed or replaced: it keeps all names of a task, the first HOST, the first format of an event id
 * (parsed with the HOST before it), and the first name of an address.
 */
enum tw_history {
	TW_HISTORY_LATEST, /* for events after the COMM records of their time: a producer sends COMM records before the events */
	TW_HISTORY_ALL,
};

struct tw_task_name {
	uint64_t since;    /* in the stream's clock */
	uint32_t position; /* of the record with it */
	uint8_t len;
	char name[TW_COMM_MAX + 1]; /* as received, with a NUL */
};

struct tw_tasks {
	struct tw_hash_table by_pid; /* struct tw_task */
	enum tw_history history;
	size_t older; /* bytes of older names, of all tasks */
};

/** tw_tasks__init() - no name yet; @alloc: NULL = malloc(); outlives the names */
void tw_tasks__init(struct tw_tasks *tasks, enum tw_history history, const struct tw_alloc *alloc);

/**
 * tw_tasks__add() - add a COMM record
 * @position: of the record
 * @room: bytes that the names may grow by. Beyond it, older names are dropped if only the latest are kept
 *
 * Return: 0; -E2BIG beyond the limit or the room, -ENOMEM.
 */
int tw_tasks__add(struct tw_tasks *tasks, const struct tw_comm_view *comm, uint32_t position, size_t room);

/** tw_tasks__memory() - taken by the names, bytes */
size_t tw_tasks__memory(const struct tw_tasks *tasks);

/** tw_tasks__name() - the name of @pid at that time; NULL if unknown; borrowed until the next add */
const struct tw_task_name *tw_tasks__name(const struct tw_tasks *tasks, uint32_t pid, uint64_t time);

void tw_tasks__fini(struct tw_tasks *tasks);

#endif
