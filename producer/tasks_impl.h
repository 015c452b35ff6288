/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sources of task names (task_events.c, task_scan.c) do to the table of names (tasks.c). */
#ifndef TW_TASKS_IMPL_H
#define TW_TASKS_IMPL_H

#include "producer/tasks.h"
#include "wire/tracewire.h"

/** tw_tasks__learn() - a name from a time on. Return: false for an impossible pid or without memory */
bool tw_tasks__learn(struct tw_tasks *tasks, const struct tw_task *task);

/** tw_tasks__is_named() - whether the pid's name is known */
bool tw_tasks__is_named(const struct tw_tasks *tasks, uint32_t pid);

/** tw_tasks__tgid() - of a known task; 0 if not known */
uint32_t tw_tasks__tgid(const struct tw_tasks *tasks, uint32_t pid);

#endif
