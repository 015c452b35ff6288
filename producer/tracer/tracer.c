/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/tracer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/tracer/cpu_mask.h"
#include "producer/tracer/function_filter.h"
#include "producer/tracer/top_level.h"
#include "producer/tracer/trace_options.h"
#include "producer/tracer/tracer_names.h"
#include "producer/tracing_dir.h"

static const char graph_tracer[] = "function_graph";

struct tw_tracer {
	const struct tw_tracer_request *request;
	const char *tracing_dir;
	struct tw_instance *instance;
	struct tw_top_level *top, *graphs;
	struct tw_trace_options options;
	bool runs; /* current_tracer is ours */
};

bool tw_tracer__records(const struct tw_tracer_request *request)
{
	return request->tracer || request->stacks || request->options.n;
}

static bool is_graph(const struct tw_tracer_request *request)
{
	return request->tracer && !strcmp(request->tracer, graph_tracer);
}

/* Options that would have no effect are mistakes. */
static int check_request(const struct tw_tracer_request *request, struct tw_error *err)
{
	const bool graph = is_graph(request);
	const bool functions = graph || (request->tracer && !strcmp(request->tracer, "function"));

	if (!functions && (request->functions.n || request->not_functions.n))
		return tw_error__set(err, -EINVAL,
				     "functions are chosen for a tracer of functions: give --tracer function or "
				     "--tracer function_graph too");
	if (!graph && request->graphs.n)
		return tw_error__set(err, -EINVAL,
				     "--graph chooses where function_graph begins: give --tracer function_graph too");
	return 0;
}

/* Of the instance if it has that tracer; the kernel's top level if only that has it. */
static int choose_place(struct tw_tracer *t, struct tw_error *err)
{
	const char *tracer = t->request->tracer;
	char path[PATH_MAX], *here = NULL, *top = NULL;
	int rc = tw_tracing_file__read(tw_instance__path(t->instance, ".", path, sizeof(path)), "available_tracers",
				       &here, err);

	if (!rc && !tw_tracer_names__has(here, tracer)) {
		rc = tw_tracing_file__read(t->tracing_dir, "available_tracers", &top, err);
		if (!rc && !tw_tracer_names__has(top, tracer))
			rc = tw_tracer_names__unknown(top, tracer, err);
		else if (!rc && is_graph(t->request))
			rc = tw_top_level__take(t->instance, &t->top, err);
		else if (!rc)
			rc = tw_error__set(err, -EINVAL,
					   "tracer %s runs in the kernel's top-level buffer only, which Tracewire "
					   "takes for function_graph alone",
					   tracer);
	}
	free(here);
	free(top);
	return rc;
}

/* "FUNCTION:COMMAND": in an instance it goes with it, at the top level it would stay. A module's functions are no command. */
static int check_commands(const struct tw_tracer *t, struct tw_error *err)
{
	for (size_t i = 0; t->top && i < t->request->functions.n; i++) {
		const char *word = t->request->functions.items[i], *command = strchr(word, ':');

		if (command && strncmp(command, ":mod:", strlen(":mod:")) != 0)
			return tw_error__set(
				err, -EINVAL,
				"'%s' is a command, which would stay in the kernel's top-level buffer: this "
				"kernel runs function_graph only there",
				word);
	}
	return 0;
}

static int add_to_list(const struct tw_tracer *t, const char *file, const struct tw_words *words, struct tw_error *err)
{
	char path[PATH_MAX];

	if (t->top)
		return tw_top_level__add(t->top, file, words, err);
	return tw_function_filter__add(t->tracing_dir, tw_instance__path(t->instance, file, path, sizeof(path)), words,
				       err);
}

static int add_functions(const struct tw_tracer *t, struct tw_error *err)
{
	int rc = check_commands(t, err);

	if (!rc && t->request->functions.n)
		rc = add_to_list(t, "set_ftrace_filter", &t->request->functions, err);
	if (!rc && t->request->not_functions.n)
		rc = add_to_list(t, "set_ftrace_notrace", &t->request->not_functions, err);
	return rc;
}

static int add_graphs(struct tw_tracer *t, struct tw_error *err)
{
	int rc = 0;

	if (!t->request->graphs.n)
		return 0;
	if (!t->top)
		rc = tw_top_level__take_graphs(&t->graphs, err);
	if (rc)
		return rc;
	return tw_top_level__add(t->top ? t->top : t->graphs, "set_graph_function", &t->request->graphs, err);
}

static int run_tracer(struct tw_tracer *t, struct tw_error *err)
{
	const char *tracer = t->request->tracer;
	const int rc = tw_instance__write(t->instance, "current_tracer", tracer, NULL);

	if (rc == -EPERM || rc == -EACCES)
		return tw_error__set(err, rc,
				     "the kernel refuses to run tracer %s (%s): it is locked down, or this "
				     "container may not",
				     tracer, strerror(-rc));
	if (rc)
		return tw_error__set(err, rc == -EINVAL ? rc : -EIO, "the kernel refuses tracer %s: %s", tracer,
				     strerror(-rc));
	t->runs = true;
	return 0;
}

/* The filters stand before the tracer runs: tracing every function for a moment would cost. */
static int set_tracer(struct tw_tracer *t, struct tw_error *err)
{
	int rc;

	if (!t->request->tracer)
		return 0;
	rc = add_functions(t, err);
	if (!rc)
		rc = add_graphs(t, err);
	if (!rc)
		tw_instance__write(t->instance, "options/function-fork", "1", NULL); /* as event-fork does for events */
	return rc ? rc : run_tracer(t, err);
}

int tw_tracer__follow(const struct tw_tracer *t, const char *text, struct tw_error *err)
{
	const int rc = tw_instance__append(t->instance, "set_event_pid", text, err);

	return rc || !t->request->tracer ? rc : tw_instance__append(t->instance, "set_ftrace_pid", text, err);
}

void tw_tracer__leave_out(const struct tw_tracer *t, const char *text)
{
	if (t->request->tracer)
		tw_instance__append(t->instance, "set_ftrace_notrace_pid", text, NULL);
}

/* The kernel takes any number; a pid that nobody has is a mistake. 0 is the idle tasks. */
static int check_pid(const char *pid, struct tw_error *err)
{
	char path[64];

	if (!*pid || strlen(pid) > 9 || strspn(pid, "0123456789") != strlen(pid))
		return tw_error__set(err, -EINVAL, "'%s' is no pid: give a number, or several with commas between",
				     pid);
	snprintf(path, sizeof(path), "/proc/%lu", strtoul(pid, NULL, 10));
	if (strtoul(pid, NULL, 10) && access(path, F_OK))
		return tw_error__set(err, -ENOENT, "there is no process or thread %s", pid);
	return 0;
}

static int follow_list(const struct tw_tracer *t, const char *list, struct tw_error *err)
{
	char *copy = strdup(list), *rest = copy, *pid;
	int rc = copy ? 0 : tw_error__set(err, -ENOMEM, "out of memory");

	while (!rc && (pid = strsep(&rest, ","))) {
		rc = check_pid(pid, err);
		if (!rc)
			rc = tw_tracer__follow(t, pid, err);
	}
	free(copy);
	return rc;
}

static int set_pids(const struct tw_tracer *t, bool own_pids, struct tw_error *err)
{
	int rc = 0;

	if (t->request->pids.n && !own_pids)
		return tw_error__set(err, -EINVAL,
				     "--pid needs the pids that the kernel counts by, which are others in this pid "
				     "namespace: run Tracewire outside, or use --follow");
	for (size_t i = 0; i < t->request->pids.n && !rc; i++)
		rc = follow_list(t, t->request->pids.items[i], err);
	return rc;
}

static int set_cpus(const struct tw_tracer *t, struct tw_error *err)
{
	char mask[TW_CPU_MASK_TEXT];
	int rc;

	if (!t->request->cpus)
		return 0;
	rc = tw_cpu_mask__parse(t->request->cpus, (unsigned int)sysconf(_SC_NPROCESSORS_CONF), mask, err);
	return rc ? rc : tw_instance__write(t->instance, "tracing_cpumask", mask, err);
}

int tw_tracer__new(const struct tw_tracer_request *request, const char *tracing_dir, struct tw_instance *instance,
		   struct tw_tracer **ret, struct tw_error *err)
{
	struct tw_tracer *t;
	int rc = check_request(request, err);

	if (rc)
		return rc;
	t = calloc(1, sizeof(*t));
	if (!t)
		return tw_error__set(err, -ENOMEM, "out of memory");
	t->request = request;
	t->tracing_dir = tracing_dir;
	t->instance = instance;
	rc = request->tracer ? choose_place(t, err) : 0;
	if (rc) {
		tw_tracer__free(t);
		return rc;
	}
	*ret = t;
	return 0;
}

int tw_tracer__set(struct tw_tracer *t, bool own_pids, struct tw_error *err)
{
	int rc = set_tracer(t, err);

	if (!rc)
		rc = set_cpus(t, err);
	if (!rc)
		rc = set_pids(t, own_pids, err);
	if (!rc && t->request->stacks)
		rc = tw_instance__write(t->instance, "options/stacktrace", "1", err);
	return rc ? rc : tw_trace_options__set(t->instance, &t->request->options, &t->options, err);
}

void tw_tracer__free(struct tw_tracer *t)
{
	if (!t)
		return;
	tw_trace_options__undo(t->instance, &t->options);
	if (t->runs && !t->top) /* there it is put back only if it is still ours */
		tw_instance__write(t->instance, "current_tracer", "nop", NULL);
	tw_top_level__give_back(t->graphs);
	tw_top_level__give_back(t->top);
	free(t);
}
