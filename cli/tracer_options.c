/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/tracer_options.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/run_options.h"

static int add(struct tw_words *words, const char *word, struct tw_error *err)
{
	const char **items = reallocarray(words->items, words->n + 1, sizeof(*items));

	if (!items)
		return tw_error__set(err, -ENOMEM, "no memory for '%s'", word);
	words->items = items;
	items[words->n++] = word;
	return 0;
}

static int add_function(void *data, const char *word, struct tw_error *err)
{
	struct run_config *config = data;

	return add(&config->tracing.functions, word, err);
}

static int add_not_function(void *data, const char *word, struct tw_error *err)
{
	struct run_config *config = data;

	return add(&config->tracing.not_functions, word, err);
}

static int add_graph(void *data, const char *word, struct tw_error *err)
{
	struct run_config *config = data;

	return add(&config->tracing.graphs, word, err);
}

static int add_option(void *data, const char *word, struct tw_error *err)
{
	struct run_config *config = data;

	return add(&config->tracing.options, word, err);
}

static int add_pid(void *data, const char *word, struct tw_error *err)
{
	struct run_config *config = data;

	return add(&config->tracing.pids, word, err);
}

static const struct cli_option tracer_options[] = {
	{ 'p', "tracer", "TRACER", CLI_ARG_TRACER,
	  "Run this tracer besides the events: function records each call of a kernel function, function_graph how long it takes "
	  "too; see list --tracers",
	  offsetof(struct run_config, tracing.tracer), NULL },
	{ 'l', "function", "FUNCTION", CLI_ARG_FUNCTION,
	  "Only these functions: a name, or a glob such as 'vfs_*'. May be given many times", 0, add_function },
	{ 'n', "no-function", "FUNCTION", CLI_ARG_FUNCTION,
	  "Not these functions, even if --function names them. May be given many times", 0, add_not_function },
	{ 'g', "graph", "FUNCTION", CLI_ARG_FUNCTION,
	  "With function_graph: only these functions and what they call. May be given many times", 0, add_graph },
	{ 'O', "trace-option", "OPTION", CLI_ARG_TRACE_OPTION,
	  "Set a trace option of the kernel, or clear it with 'no' before its name; see list --options. May be given many "
	  "times",
	  0, add_option },
	{ 'T', "stacks", NULL, CLI_ARG_NONE, "The kernel's stack behind each event",
	  offsetof(struct run_config, tracing.stacks), NULL },
	{ 'P', "pid", "PID", CLI_ARG_TEXT,
	  "Only this process or thread, several with commas between, and those that they start from now on. May be given many "
	  "times",
	  0, add_pid },
	{ 'M', "cpus", "CPUS", CLI_ARG_TEXT,
	  "Only these CPUs: a hexadecimal mask as in 'c', or numbers as in '2-3' or '0,2'; -1 = all",
	  offsetof(struct run_config, tracing.cpus), NULL },
	{ 0 },
};

const struct cli_option_group run_tracer_group = { "Tracers, and of whom", tracer_options };

void tracer_request__fini(struct tw_tracer_request *request)
{
	free(request->functions.items);
	free(request->not_functions.items);
	free(request->graphs.items);
	free(request->options.items);
	free(request->pids.items);
	*request = (struct tw_tracer_request){ 0 };
}
