/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by stream, pid and time, so that a pid used again has the name it had then. */
#ifndef TW_TASKS_H
#define TW_TASKS_H

#include "dissector/capture.h"

struct tw_task_name {
	uint64_t time;    /* from when on, in the stream's clock */
	const char *name; /* as dissector/shown.h has it */
	uint32_t frame;   /* that brought it */
};

/** tw_stream__learn_task() - take in a COMM record. Return: false beyond the capture's limits */
bool tw_stream__learn_task(struct tw_stream *stream, const struct tw_comm_view *comm, uint32_t frame);

/** tw_stream__task_name() - the name of @pid at @time, or NULL */
const struct tw_task_name *tw_stream__task_name(const struct tw_stream *stream, uint32_t pid, uint64_t time);

#endif
