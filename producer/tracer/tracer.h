/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is recorded in addition to events, and of which tasks: a tracer with its functions, trace options, stacks, pids, CPUs. All of it
 * is set in the producer's trace instance, except what the kernel has only once: see tracer/top_level.h.
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
	const char *tracer;        /* "function", "function_graph", ...; NULL = events only */
	struct tw_words functions; /* only these functions: each a name, a glob or in the syntax of set_ftrace_filter */
	struct tw_words not_functions; /* not these functions */
	struct tw_words graphs;        /* of function_graph: these functions and all that they call */
	struct tw_words options;       /* trace options: "NAME", "noNAME", "NAME=1", "NAME=0" */
	struct tw_words pids;          /* "PID" or "PID,PID"; these threads and the tasks they start later */
	const char *cpus;              /* in the syntax of tw_cpu_mask__parse(); NULL = all */
	bool stacks;                   /* a kernel stack after each event */
};

struct tw_tracer;

/**
 * tw_tracer__new() - check the request and choose between instance and top level
 * @request: borrowed until tw_tracer__free()
 * @instance: new; if this kernel has the tracer only at the top level, its files become those of the top level
 *
 * Return: 0; -EINVAL or -ENOENT for a request that is invalid or names something that does not exist; -EBUSY if something needed is in
 * use.
 */
int tw_tracer__new(const struct tw_tracer_request *request, const char *tracing_dir, struct tw_instance *instance,
		   struct tw_tracer **ret, struct tw_error *error);

/**
 * tw_tracer__set() - make all settings; nothing is recorded before the instance's tracing_on
 * @own_pids: pids in this process are global pids
 *
 * Return: as tw_tracer__new(); -EPERM if the kernel refuses access. tw_tracer__free() restores what was set.
 */
int tw_tracer__set(struct tw_tracer *tracer, bool own_pids, struct tw_error *error);

/** tw_tracer__records() - whether there may be records of no selected event: functions, stacks */
bool tw_tracer__records(const struct tw_tracer_request *request);

/** tw_tracer__leave_out() - exclude a thread from what the tracer records, by its global pid in @text */
void tw_tracer__leave_out(const struct tw_tracer *tracer, const char *text);

/** tw_tracer__follow() - also trace this thread and the tasks it starts, by its global pid in @text. Return: 0 or -errno */
int tw_tracer__follow(const struct tw_tracer *tracer, const char *text, struct tw_error *error);

/** tw_tracer__free() - stop the tracer and restore the settings outside the instance; NULL is fine */
void tw_tracer__free(struct tw_tracer *tracer);

#endif
