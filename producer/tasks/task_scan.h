/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks that are there already: from /proc and from the kernel's saved_cmdlines. */
#ifndef TW_TASK_SCAN_H
#define TW_TASK_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct tw_task_names;

/** tw_task_scan__proc() - learn the names of all threads of all processes */
void tw_task_scan__proc(struct tw_task_names *names);

/** tw_task_scan__saved() - learn from saved_cmdlines what is not known yet */
void tw_task_scan__saved(struct tw_task_names *names);

/**
 * tw_task_scan__pid() - learn one task's name from /proc
 * @before: the name must be told before events of this time
 * Return: false if the task is gone.
 */
bool tw_task_scan__pid(struct tw_task_names *names, uint32_t pid, uint64_t before);

#endif
