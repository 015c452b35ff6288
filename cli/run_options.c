/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run_options.h"

#include <errno.h>
#include <limits.h>

#include "cli/filter_option.h"
#include "wire/sink.h"

static int apply_events_per_frame(void *data, const char *value, struct tw_error *err)
{
	struct run_config *config = data;
	struct tw_error why;

	config->frames_chosen = true;
	if (cli_number__parse(value, &config->events_per_frame, &why))
		return tw_error__set(err, -EINVAL, "option '--events-per-frame': %s", why.text);
	return 0;
}

static int apply_frame_size(void *data, const char *value, struct tw_error *err)
{
	struct run_config *config = data;

	if (cli_number__parse(value, &config->frame_size, NULL) || config->frame_size < TW_SINK_FRAME_LEAST ||
	    config->frame_size > TW_FRAME_MAX)
		return tw_error__set(err, -EINVAL, "--frame-size '%s' is no number from %d to %d, in bytes", value,
				     TW_SINK_FRAME_LEAST, TW_FRAME_MAX);
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
	{ 0, "buffer-size", "KIB", CLI_ARG_NUMBER, "Size of the kernel's ring for each CPU",
	  offsetof(struct run_config, buffer_kib), NULL },
	{ 0, "subbuf-size", "KIB", CLI_ARG_NUMBER,
	  "Size of a sub-buffer, the unit in which the ring is read; Linux 6.8",
	  offsetof(struct run_config, subbuf_kib), NULL },
	{ 0, "threads", "N", CLI_ARG_NUMBER, "Threads that read the rings (default: by the number of CPUs)",
	  offsetof(struct run_config, threads), NULL },
	{ 0 },
};

const struct cli_option_group run_source_group = { "Source", source_options };

static const struct cli_option frame_options[] = {
	{ 0, "events-per-frame", "N", CLI_ARG_NUMBER,
	  "At most so many events in a frame; 0 = as many as fit, which costs least; 1 = every event a packet of its own",
	  0, apply_events_per_frame },
	{ 0, "frame-size", "BYTES", CLI_ARG_NUMBER,
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
	if (config->threads > INT_MAX)
		return tw_error__set(err, -EINVAL, "there cannot be %llu threads: more than one a CPU is of no use",
				     (unsigned long long)config->threads);
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
