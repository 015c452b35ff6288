/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. The set of tasks whose messages are selected (--pid, --follow), a map of the programs. Threads and processes that a
 * task of the set starts are added to it, and tasks that end are removed.
 */
#ifndef TW_SOCKET_TASKS_H
#define TW_SOCKET_TASKS_H

#include <stdint.h>

#include "base/error.h"

#define TW_SOCKET_TASKS_MAX 65536 /* further tasks are not selected */

struct tw_socket_tasks;

/** tw_socket_tasks__new() - begin to follow the tasks of a set. @map: its descriptor, borrowed. Return: 0 or -errno with @error filled */
int tw_socket_tasks__new(int map, struct tw_socket_tasks **ret, struct tw_error *error);

/** tw_socket_tasks__add() - add a thread, by its id in the initial pid namespace. Return: 0 or -errno */
int tw_socket_tasks__add(const struct tw_socket_tasks *tasks, uint32_t pid);

/** tw_socket_tasks__not_selected() - number of tasks for which there was no room. Called by any thread */
uint64_t tw_socket_tasks__not_selected(const struct tw_socket_tasks *tasks);

/** tw_socket_tasks__free() - end this; the map stays as it is. NULL is fine */
void tw_socket_tasks__free(struct tw_socket_tasks *tasks);

#endif
