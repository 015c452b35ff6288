/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run_options.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/filter_option.h"
#include "cli/options.h"
#include "clocks/phcs.h"
#include "producer/tracer/tracer.h"
#include "transport/sink.h"

int run_words__add(void *target, const char *word, struct tw_error *error)
{
	struct tw_words *words = target;
	const char **items = reallocarray(words->items, words->n + 1, sizeof(*items));

	if (!items)
		return tw_error__set(error, -ENOMEM, "no memory for '%s'", word);
	words->items = items;
	items[words->n++] = word;
	return 0;
}

static const struct cli_option tracer_options[] = {
	{ 'p', "tracer", "TRACER", CLI_ARG_TRACER,
	  "Run this tracer in addition to the events: 'function' records each call of a kernel function, "
	  "'function_graph' also the duration of each call; see `tracewire list --tracers`",
	  .offset = offsetof(struct run_config, tracing.tracer), .once = "a run has one tracer" },
	{ 'l', "function", "FUNCTION", CLI_ARG_FUNCTION,
	  "Trace only these functions: a name, or a glob such as 'vfs_*'. May be given many times",
	  .offset = offsetof(struct run_config, tracing.functions), .apply = run_words__add },
	{ 'n', "no-function", "FUNCTION", CLI_ARG_FUNCTION,
	  "Do not trace these functions, even if --function selects them. May be given many times",
	  .offset = offsetof(struct run_config, tracing.not_functions), .apply = run_words__add },
	{ 'g', "graph", "FUNCTION", CLI_ARG_FUNCTION,
	  "With function_graph: trace only these functions and the functions that they call. May be given many times",
	  .offset = offsetof(struct run_config, tracing.graphs), .apply = run_words__add },
	{ 'O', "trace-option", "OPTION", CLI_ARG_TRACE_OPTION,
	  "Set a trace option of the kernel, or clear it with the prefix 'no'; see `tracewire list --options`. May be "
	  "given many times",
	  .offset = offsetof(struct run_config, tracing.options), .apply = run_words__add },
	{ 'T', "stacks", NULL, CLI_ARG_NONE, "Record the kernel stack after each event",
	  .offset = offsetof(struct run_config, tracing.stacks) },
	{ 0 },
};

const struct cli_option_group run_tracer_group = { "Tracers", tracer_options };

static const struct cli_option task_options[] = {
	{ 'F', "follow", NULL, CLI_ARG_NONE, "Trace COMMAND and its children only",
	  .offset = offsetof(struct run_config, follow) },
	{ 'P', "pid", "PID", CLI_ARG_TEXT,
	  "Trace only the thread with this id, and the threads and processes that it starts later. The id of a "
	  "process selects its main thread only. Separate several ids by commas. May be given many times",
	  .offset = offsetof(struct run_config, tracing.pids), .apply = run_words__add },
	{ 'M', "cpus", "CPUS", CLI_ARG_TEXT,
	  "Trace only these CPUs: a hexadecimal mask such as 'c', or a list such as '2-3' or '0,2'; a single number is a "
	  "mask; -1 means all",
	  .offset = offsetof(struct run_config, tracing.cpus), .once = "give one list, such as '0,2-3'" },
	{ 0 },
};

const struct cli_option_group run_task_group = { "Tasks and CPUs", task_options };

#define KIB         1024u
#define RING_KIB    (UINT64_C(1) << 30)
#define THREADS_MAX 65536 /* largest value of --threads; more than one for each CPU is of no use */

static int apply_kib(const char *option, const char *value, uint64_t *ret, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .max = RING_KIB * KIB, .unit = KIB };
	const int err = cli_number__parse(option, value, &rule, ret, error);

	*ret /= KIB;
	return err;
}

static int apply_buffer_size(void *target, const char *value, struct tw_error *error)
{
	return apply_kib("buffer-size", value, target, error);
}

static int apply_subbuf_size(void *target, const char *value, struct tw_error *error)
{
	return apply_kib("subbuf-size", value, target, error);
}

static int apply_threads(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .max = THREADS_MAX };

	return cli_number__parse("threads", value, &rule, target, error);
}

static int apply_events_per_frame(void *data, const char *value, struct tw_error *error)
{
	struct run_config *config = data;

	config->frames_chosen = true;
	return cli_number__parse("events-per-frame", value, NULL, &config->events_per_frame, error);
}

static int apply_frame_size(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = TW_SINK_FRAME_MIN, .max = TW_FRAME_MAX, .unit = 1 };

	if (tw_number__parse(value, &rule, target, NULL))
		return tw_error__set(error, -EINVAL, "--frame-size '%s' is not a number from %d to %d, in bytes", value,
				     TW_SINK_FRAME_MIN, TW_FRAME_MAX);
	return 0;
}

static const struct cli_option event_options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "Trace these events: a system, an event or SYSTEM:EVENT, with wildcards, or all; separate several by "
	  "commas. May be given many times. all does not select socket events: name sockts "
	  "or one of its events",
	  .apply = cli_selection__add },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Trace only events that match this expression, for example 'prev_comm == \"make\" or softirq_raise.vec == "
	  "NET_RX'; tracewire-filter(7) describes the language. The kernel evaluates the comparisons that it supports, "
	  "and Tracewire evaluates the others",
	  .offset = offsetof(struct run_config, filter), .apply = filter_option__parse },
	{ 0, "event-filter", "FILTER", CLI_ARG_TEXT,
	  "Apply this tracefs filter, for example 'prev_pid == 1', to the events of the --event options since the "
	  "previous --event-filter",
	  .apply = cli_selection__filter },
	{ 0, "show-self", NULL, CLI_ARG_NONE,
	  "Also trace the wake-ups and switches of Tracewire's own threads, those of the viewer of `live`, and the packets "
	  "on the interface of `live` or `stream`",
	  .offset = offsetof(struct run_config, show_self) },
	{ 0 },
};

const struct cli_option_group run_event_group = { "Events", event_options };

static const struct cli_option source_options[] = {
	{ 'C', "clock", "CLOCK", CLI_ARG_CLOCK,
	  "Use this trace clock, which counts nanoseconds: mono (default), mono_raw, boot, tai, local, global or perf",
	  .offset = offsetof(struct run_config, clock) },
	{ 0, "buffer-size", "KIB", CLI_ARG_SIZE,
	  "Size of the kernel's ring of each CPU, in KiB, or with a suffix: 512K, 16M, 1G (default: depends on the "
	  "memory and the number of CPUs of the machine)",
	  .offset = offsetof(struct run_config, buffer_kib), .apply = apply_buffer_size },
	{ 0, "subbuf-size", "KIB", CLI_ARG_SIZE,
	  "Size of a sub-buffer, the unit in which the ring is read, in KiB or with a suffix as for --buffer-size; "
	  "requires Linux 6.8",
	  .offset = offsetof(struct run_config, subbuf_kib), .apply = apply_subbuf_size },
	{ 0, "threads", "N", CLI_ARG_NUMBER, "Number of reader threads (default: depends on the number of CPUs)",
	  .offset = offsetof(struct run_config, threads), .apply = apply_threads },
	{ 0 },
};

const struct cli_option_group run_source_group = { "Source", source_options };

static int add_phc(void *target, const char *name, struct tw_error *error)
{
	const int err = tw_phcs__check_name(name, error);

	return err ? err : run_words__add(target, name, error);
}

static const struct cli_option phc_options[] = {
	{ 0, "phc", "IFACE|ptpN|all", CLI_ARG_INTERFACE,
	  "Also read this PTP hardware clock once a second: give its interface, ptpN for /dev/ptpN, or all. Clocks are read and "
	  "never adjusted. The clock of the interface that `stream` sends to, and the clock that ptp4l adjusts, are always "
	  "read. May be given many times",
	  .offset = offsetof(struct run_config, phcs), .apply = add_phc },
	{ 0 },
};

const struct cli_option_group run_phc_group = { "Hardware clocks", phc_options };

static const struct cli_option frame_options[] = {
	{ 0, "events-per-frame", "N", CLI_ARG_NUMBER,
	  "Largest number of events in a frame; 0: as many as fit, which needs the least CPU time; 1: a frame for "
	  "each event (default: 1 for `stream --interface`, otherwise 0)",
	  .apply = apply_events_per_frame },
	{ 0, "frame-size", "BYTES", CLI_ARG_SIZE,
	  "Size of the largest frame, 128 to 65532 bytes without the Ethernet header; frames are smaller if the MTU of "
	  "the interface or path does not permit this size",
	  .offset = offsetof(struct run_config, frame_size), .apply = apply_frame_size },
	{ 0 },
};

const struct cli_option_group run_frame_group = { "Frames", frame_options };

static const struct cli_option status_options[] = {
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "Print no status lines and no summary on standard error",
	  .offset = offsetof(struct run_config, quiet) },
	{ 'v', "verbose", NULL, CLI_ARG_NONE,
	  "Also print which stages evaluate the filter, and, at the end, the detailed counters",
	  .offset = offsetof(struct run_config, verbose) },
	{ 0 },
};

const struct cli_option_group run_status_group = { "Status", status_options };

static int check(const struct run_config *config, struct tw_error *error)
{
	if (!config->selection.n && !config->tracing.tracer && !config->tracing.lines)
		return tw_error__set(
			error, -EINVAL,
			"no event is selected%s: give --event or --tracer; `tracewire list` shows all events",
			config->filter ? ", because --filter only restricts the events of --event" : "");
	if (config->events_per_frame > UINT16_MAX)
		return tw_error__set(error, -EINVAL,
				     "a frame cannot hold %llu events: give --events-per-frame %d at most",
				     (unsigned long long)config->events_per_frame, UINT16_MAX);
	return 0;
}

void run_config__fini(void *data)
{
	struct run_config *config = data;

	cli_selection__fini(&config->selection);
	tw_filter__free(config->filter);
	free(config->tracing.functions.items); /* their texts are borrowed from the command line */
	free(config->tracing.not_functions.items);
	free(config->tracing.graphs.items);
	free(config->tracing.options.items);
	free(config->tracing.pids.items);
	free(config->phcs.items);
	tw_socket_selection__fini(&config->sockets);
}

int run_config__producer(const struct run_config *config, struct tw_producer_options *ret, struct tw_error *error)
{
	const int err = check(config, error);

	if (err)
		return err;
	ret->events = config->selection.items;
	ret->n_events = config->selection.n;
	ret->filter = config->filter;
	ret->tracing = config->tracing;
	ret->sockets = config->sockets;
	ret->clock = config->clock;
	ret->phcs = config->phcs;
	ret->buffer_kib = config->buffer_kib;
	ret->subbuf_kib = config->subbuf_kib;
	ret->threads = (unsigned int)config->threads;
	ret->follow = config->follow;
	ret->show_self = config->show_self;
	if (config->frames_chosen)
		ret->events_per_frame = (unsigned int)config->events_per_frame;
	return 0;
}
