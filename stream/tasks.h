/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid and time, from COMM records, which are added in the order of the capture. */
#ifndef TW_TASKS_H
#define TW_TASKS_H

#include "base/hash_table.h"
#include "stream/limits.h"
#include "wire/decode.h"

/*
 * The history: which old metadata a table of streams keeps.
 *
 * TW_HISTORY_LATEST is for programs that read a capture once. Such a program looks up the names for an event when it has added the records
 * before this event, and not the later records. Names that later events cannot need are removed.
 *
 * TW_HISTORY_ALL is for random access to events, as in Wireshark. Each record is added once, in the order of the capture. An event must
 * look the same at any time, so nothing is removed or replaced. A stream keeps up to TW_STREAM_ALL_TASK_NAMES_MAX older names of a task,
 * the first HOST, and the first name of an address. It also keeps the first format of an event id, parsed with the HOST before the format.
 */
enum tw_history {
	TW_HISTORY_LATEST,
	TW_HISTORY_ALL,
};

struct tw_task_name {
	uint64_t since;             /* when the task got the name, in the stream's clock; 0 = since the task's start */
	uint32_t position;          /* position in the capture of the COMM record */
	uint8_t len;                /* bytes, without the NUL */
	char name[TW_COMM_MAX + 1]; /* as received, with a NUL */
};

struct tw_tasks {
	struct tw_hash_table by_pid; /* values: struct task_names of tasks.c */
	enum tw_history history;
	size_t older; /* memory of the older names of all tasks, bytes */
};

/** tw_tasks__init() - make an empty table of names; @alloc: must outlive the table; NULL = malloc() */
void tw_tasks__init(struct tw_tasks *tasks, enum tw_history history, const struct tw_alloc *alloc);

/**
 * tw_tasks__add() - add a COMM record
 * @position: position of the record in the capture
 * @room: bytes by which the memory of the names may grow; if it is not enough, TW_HISTORY_LATEST removes older names of the task
 * Return: 0; -E2BIG beyond the limits or @room; -ENOMEM.
 */
int tw_tasks__add(struct tw_tasks *tasks, const struct tw_comm_view *comm, uint32_t position, size_t room);

/** tw_tasks__memory() - memory of the names, bytes */
size_t tw_tasks__memory(const struct tw_tasks *tasks);

/**
 * tw_tasks__name() - find the name of @pid at @time; borrowed until the next tw_tasks__add()
 * If a task has only later names, the result with TW_HISTORY_LATEST is the oldest kept name, because older names may have been removed.
 * Return: NULL if no name of the task is known, or, with TW_HISTORY_ALL, none at @time.
 */
const struct tw_task_name *tw_tasks__name(const struct tw_tasks *tasks, uint32_t pid, uint64_t time);

/** tw_tasks__fini() - free all names */
void tw_tasks__fini(struct tw_tasks *tasks);

#endif
