/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is recorded besides events, and of which tasks: a tracer with its functions, trace options, stacks, pids, CPUs. It is all set
 * in the trace instance that the producer made, except what the kernel has only once: see tracer/top_level.h.
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
	struct tw_words functions;     /* only these, each a name, a glob or as set_ftrace_filter has it */
	struct tw_words not_functions; /* not these */
	struct tw_words graphs;        /* of function_graph: these with all that they call */
	struct tw_words options;       /* trace options: "NAME", "noNAME", "NAME=1", "NAME=0" */
	struct tw_words pids;          /* "PID" or "PID,PID"; these threads and what they start later */
	const char *cpus;              /* as tw_cpu_mask__parse() takes it; NULL = all */
	bool stacks;                   /* a kernel stack after each event */
};

struct tw_tracer;

/**
 * tw_tracer__new() - check what is wanted and find the place for it
 * @request: borrowed until tw_tracer__free()
 * @instance: fresh; where this kernel has the tracer at its top level only, its files become those of the top level
 *
 * Return: 0; -EINVAL or -ENOENT for what cannot be or is not there; -EBUSY if what is needed is in use.
 */
int tw_tracer__new(const struct tw_tracer_request *request, const char *tracing_dir, struct tw_instance *instance,
		   struct tw_tracer **ret, struct tw_error *error);

/**
 * tw_tracer__set() - set all of it; nothing is recorded before the instance's tracing_on
 * @own_pids: pids as we see them are the kernel's
 *
 * Return: as tw_tracer__new(); -EPERM if the kernel keeps it to itself. What was set is put back by tw_tracer__free().
 */
int tw_tracer__set(struct tw_tracer *tracer, bool own_pids, struct tw_error *error);

/** tw_tracer__records() - whether there may be records that no event of the selection makes: functions, stacks */
bool tw_tracer__records(const struct tw_tracer_request *request);

/** tw_tracer__leave_out() - keep a thread out of what the tracer records, by its global pid in @text */
void tw_tracer__leave_out(const struct tw_tracer *tracer, const char *text);

/** tw_tracer__follow() - trace this thread too, and what it starts; by its global pid in @text. Return: 0 or -errno */
int tw_tracer__follow(const struct tw_tracer *tracer, const char *text, struct tw_error *error);

/** tw_tracer__free() - stop the tracer and put back what is not the instance's own; NULL is fine */
void tw_tracer__free(struct tw_tracer *tracer);

#endif
