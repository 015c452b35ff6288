/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run_options.h"

#include <errno.h>

#include "cli/filter_option.h"
#include "transport/sink.h"

#define KIB         1024u
#define RING_KIB    (UINT64_C(1) << 30)
#define THREADS_MAX 65536 /* more than one a CPU is of no use */

static int apply_kib(const char *option, const char *value, uint64_t *ret, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .max = RING_KIB * KIB, .unit = KIB };
	const int error = cli_number__parse(option, value, &rule, ret, err);

	*ret /= KIB;
	return error;
}

static int apply_buffer_size(void *data, const char *value, struct tw_error *err)
{
	struct run_config *config = data;

	return apply_kib("buffer-size", value, &config->buffer_kib, err);
}

static int apply_subbuf_size(void *data, const char *value, struct tw_error *err)
{
	struct run_config *config = data;

	return apply_kib("subbuf-size", value, &config->subbuf_kib, err);
}

static int apply_threads(void *data, const char *value, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .max = THREADS_MAX };
	struct run_config *config = data;

	return cli_number__parse("threads", value, &rule, &config->threads, err);
}

static int apply_events_per_frame(void *data, const char *value, struct tw_error *err)
{
	struct run_config *config = data;

	config->frames_chosen = true;
	return cli_number__parse("events-per-frame", value, NULL, &config->events_per_frame, err);
}

static int apply_frame_size(void *data, const char *value, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .min = TW_SINK_FRAME_MIN, .max = TW_FRAME_MAX, .unit = 1 };
	struct run_config *config = data;

	if (tw_number__parse(value, &rule, &config->frame_size, NULL))
		return tw_error__set(err, -EINVAL, "--frame-size '%s' is no number from %d to %d, in bytes", value,
				     TW_SINK_FRAME_MIN, TW_FRAME_MAX);
	return 0;
}

static int apply_filter(void *data, const char *value, struct tw_error *err)
{
	struct run_config *config = data;

	return filter_option__parse(&config->filter, value, err);
}

static const struct cli_option source_options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "Trace these events: a system, an event, SYSTEM:EVENT, either with wildcards, several with commas between, or all. "
	  "May be given many times",
	  0, cli_selection__add },
	{ 'f', "filter", "EXPR", CLI_ARG_TEXT,
	  "Only the events that this matches, for example 'prev_comm == \"make\" or softirq_raise.vec == NET_RX'; "
	  "docs/filter.md has the language. The kernel is told as much of it as it understands",
	  0, apply_filter },
	{ 0, "event-filter", "FILTER", CLI_ARG_TEXT,
	  "Of the events of the --event options since the last --event-filter, let the kernel record only those that this "
	  "tracefs filter matches, for example 'prev_pid == 1'",
	  0, cli_selection__filter },
	{ 'C', "clock", "CLOCK", CLI_ARG_CLOCK, "Trace clock: mono (default), boot, tai and others; see list --clocks",
	  offsetof(struct run_config, clock), NULL },
	{ 'F', "follow", NULL, CLI_ARG_NONE, "Trace COMMAND and its children only", offsetof(struct run_config, follow),
	  NULL },
	{ 0, "buffer-size", "KIB", CLI_ARG_SIZE,
	  "Size of the kernel's ring for each CPU, in KiB; a final K, M or G means 1024, 1024^2 or 1024^3 bytes", 0,
	  apply_buffer_size },
	{ 0, "subbuf-size", "KIB", CLI_ARG_SIZE,
	  "Size of a sub-buffer, the unit in which the ring is read, in KiB or as --buffer-size; Linux 6.8", 0,
	  apply_subbuf_size },
	{ 0, "threads", "N", CLI_ARG_NUMBER, "Threads that read the rings (default: by the number of CPUs)", 0,
	  apply_threads },
	{ 0 },
};

const struct cli_option_group run_source_group = { "Source", source_options };

static const struct cli_option frame_options[] = {
	{ 0, "events-per-frame", "N", CLI_ARG_NUMBER,
	  "At most so many events in a frame; 0 = as many as fit, which costs least; 1 = every event a packet of its own",
	  0, apply_events_per_frame },
	{ 0, "frame-size", "BYTES", CLI_ARG_SIZE,
	  "Largest frame, 128 to 65532, Ethernet header excluded; the MTU bounds it too", 0, apply_frame_size },
	{ 0 },
};

const struct cli_option_group run_frame_group = { "Frames", frame_options };

static const struct cli_option status_options[] = {
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "No status lines and no summary on standard error",
	  offsetof(struct run_config, quiet), NULL },
	{ 0 },
};

const struct cli_option_group run_status_group = { "Status", status_options };

static int check(const struct run_config *config, struct tw_error *err)
{
	if (!config->selection.n && !config->tracing.tracer)
		return tw_error__set(err, -EINVAL,
				     "no event is asked for: give --event, or --tracer; `tracewire list` shows what "
				     "there is");
	if (config->events_per_frame > UINT16_MAX)
		return tw_error__set(err, -EINVAL,
				     "a frame cannot hold %llu events: give --events-per-frame %d at most",
				     (unsigned long long)config->events_per_frame, UINT16_MAX);
	return 0;
}

void run_config__fini(void *data)
{
	struct run_config *config = data;

	cli_selection__fini(&config->selection);
	tw_filter__free(config->filter);
	config->filter = NULL;
	tracer_request__fini(&config->tracing);
}

int run_config__producer(const struct run_config *config, struct tw_producer_options *ret, struct tw_error *err)
{
	const int error = check(config, err);

	if (error)
		return error;
	ret->events = config->selection.items;
	ret->n_events = config->selection.n;
	ret->filter = config->filter;
	ret->tracing = config->tracing;
	ret->clock = config->clock;
	ret->buffer_kib = config->buffer_kib;
	ret->subbuf_kib = config->subbuf_kib;
	ret->threads = (unsigned int)config->threads;
	ret->follow = config->follow;
	if (config->frames_chosen)
		ret->events_per_frame = (unsigned int)config->events_per_frame;
	return 0;
}
