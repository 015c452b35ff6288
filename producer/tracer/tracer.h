/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the tracer and its functions, trace options, stack traces, and the tasks and CPUs that are traced. The settings are made in the
 * producer's trace instance, except the settings that exist only once in the kernel: see tracer/top_level.h.
 */
#ifndef TW_TRACER_H
#define TW_TRACER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "producer/instance.h"

struct tw_words {
	const char **items;
	size_t n;
};

struct tw_tracer_request {
	const char *tracer;            /* "function", "function_graph", ...; NULL = events only */
	struct tw_words functions;     /* trace only these: names, globs, or other words for set_ftrace_filter */
	struct tw_words not_functions; /* do not trace these functions */
	struct tw_words graphs;        /* for function_graph: trace these functions and all that they call */
	struct tw_words options;       /* trace options: "NAME", "noNAME", "NAME=1", "NAME=0" */
	struct tw_words pids;          /* "PID" or "PID,PID"; trace only these threads and the tasks they start later */
	const char *cpus;              /* in the syntax of tw_cpu_mask__parse(); NULL = all CPUs */
	bool stacks;                   /* record a kernel stack trace after each event */
	bool lines; /* also record the lines that programs write to the top level's trace_marker; Linux 6.16 */
};

struct tw_tracer;

/**
 * tw_tracer__new() - check the request, and choose whether the tracer runs in the instance or at the top level
 * @request: borrowed until tw_tracer__free()
 * @instance: a new instance. If only the top level has the tracer, the instance uses the files of the top level from now on
 * Return: 0; -EINVAL or -ENOENT for a request that is invalid or names something that does not exist; -EBUSY if another process uses the
 * top level.
 */
int tw_tracer__new(const struct tw_tracer_request *request, const char *tracing_dir, struct tw_instance *instance,
		   struct tw_tracer **ret, struct tw_error *error);

/**
 * tw_tracer__set() - make all settings; recording begins when the instance's tracing_on is set
 * @own_pids: the pids that this process sees are global pids
 * Return: as tw_tracer__new(); -EPERM if the kernel refuses access. After a failure, tw_tracer__free() restores the previous settings.
 */
int tw_tracer__set(struct tw_tracer *tracer, bool own_pids, struct tw_error *error);

/** tw_tracer__records() - whether there may be records that are not selected events, such as functions or stack traces */
bool tw_tracer__records(const struct tw_tracer_request *request);

/**
 * tw_tracer__leave_out() - exclude a thread from the records of the tracer; no effect without a tracer
 * @text: the thread's global pid, its pid in the initial pid namespace
 */
void tw_tracer__leave_out(const struct tw_tracer *tracer, const char *text);

/**
 * tw_tracer__follow() - add a thread, and the tasks that it starts later, to the traced tasks. Return: 0 or -errno
 * @text: the thread's global pid
 */
int tw_tracer__follow(const struct tw_tracer *tracer, const char *text, struct tw_error *error);

/** tw_tracer__free() - stop the tracer and restore the settings outside the instance; NULL is fine */
void tw_tracer__free(struct tw_tracer *tracer);

#endif
