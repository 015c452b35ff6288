/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/sockets/times.h"

#include <errno.h>
#include <stdlib.h>

#define LOOKED_UP 1    /* flag in tw_stream_event.chosen: the binding was made, or the type is no socket event */
#define TYPES_MAX 4096 /* formats of socket events; each schema of each stream has its own */

struct binding {
	struct tw_socket_binding binding;
	struct binding *next;
};

struct tw_socket_times {
	const struct tw_socket_times_options *options;
	struct tw_event_reader *reader;
	struct tw_capture_filter *filter;
	struct tw_socket_follower follower;
	struct binding *bindings;
	size_t n_bindings;
	struct tw_socket_times_result result;
};

/* Finds the fields of an event type at its first event. known->user stays NULL if it is no socket event, or one that cannot be read. */
static int look_up(struct tw_socket_times *times, struct tw_stream_event *known)
{
	struct binding *binding;

	known->chosen |= LOOKED_UP;
	if (times->n_bindings == TYPES_MAX)
		return 0;
	binding = calloc(1, sizeof(*binding));
	if (!binding)
		return -ENOMEM;
	if (!tw_socket_binding__make(known->format, &binding->binding)) {
		free(binding);
		return 0;
	}
	binding->next = times->bindings;
	times->bindings = binding;
	times->n_bindings++;
	known->user = binding;
	return 0;
}

static bool wants(const struct tw_socket_times *times, const struct tw_read_event *event)
{
	return !times->filter || tw_capture_filter__wants(times->filter, event->stream, event->frame, &event->view);
}

/* @sample: 0 = the event does not say it */
static void note_sample(struct tw_socket_times_result *result, uint64_t sample)
{
	if (!sample)
		return;
	if (!result->sample_min || sample < result->sample_min)
		result->sample_min = sample;
	if (sample > result->sample_max)
		result->sample_max = sample;
}

/* Takes a socket event; an operation of the event reader. */
static int take_event(void *ctx, const struct tw_read_event *event)
{
	struct tw_socket_times *times = ctx;
	struct tw_socket_event decoded;
	const struct binding *binding;
	int err;

	if (!event->known) {
		times->result.unknown++;
		return 0;
	}
	if (!(event->known->chosen & LOOKED_UP)) {
		err = look_up(times, event->known);
		if (err)
			return err;
	}
	binding = event->known->user;
	if (strcmp(event->known->format->system, TW_SOCKTS_SYSTEM) != 0)
		return 0;
	times->result.socket_events++;
	if (!wants(times, event))
		return 0;
	if (!binding) {
		times->result.unreadable += tw_socket_event__is_used(event->known->format->name);
		return 0;
	}
	if (!tw_socket_event__read(&binding->binding, event, &decoded)) {
		times->result.unreadable++;
		return 0;
	}
	times->result.has[decoded.kind] = true;
	times->result.has_devices |= decoded.kind == TW_SOCKET_INGRESS && decoded.type == TW_SOCKTS_INGRESS_RX;
	times->result.has_arrivals |= decoded.kind == TW_SOCKET_INGRESS && decoded.type <= TW_SOCKTS_INGRESS_SOCKET;
	times->result.has_reads |= decoded.kind == TW_SOCKET_INGRESS && decoded.type == TW_SOCKTS_INGRESS_READ;
	note_sample(&times->result, decoded.sample);
	return tw_socket_follower__event(&times->follower, &decoded);
}

static const struct tw_event_reader_ops ops = { .event = take_event };

int tw_socket_times__new(const struct tw_socket_times_options *options, struct tw_socket_times **ret,
			 struct tw_error *error)
{
	struct tw_socket_times *times;
	int err = options->filter ? tw_capture_filter__check(options->filter, error) : 0;

	if (err)
		return err;
	times = calloc(1, sizeof(*times));
	if (!times)
		return tw_error__set(error, -ENOMEM, "no memory for the table of sockets");
	times->options = options;
	times->follower.step = options->step;
	times->follower.ctx = options->ctx;
	tw_socket_flows__init(&times->follower.flows);
	*ret = times;
	return 0;
}

void tw_socket_times__free(struct tw_socket_times *times)
{
	if (!times)
		return;
	tw_socket_flows__fini(&times->follower.flows);
	tw_capture_filter__free(times->filter);
	tw_event_reader__free(times->reader);
	while (times->bindings) {
		struct binding *binding = times->bindings;

		times->bindings = binding->next;
		free(binding);
	}
	free(times->result.flows);
	free(times->result.programs);
	free(times);
}

/* Makes the filter, which needs the table of streams. */
static int begin(struct tw_socket_times *times, struct tw_error *error)
{
	return !times->options->filter
		       ? 0
		       : tw_capture_filter__new(times->options->filter, tw_event_reader__streams(times->reader),
						&times->filter, error);
}

static void finish(struct tw_socket_times *times)
{
	tw_event_reader__finish(times->reader);
	if (times->filter)
		tw_capture_filter__undecided_predicates(times->filter, &times->result.undecided);
}

/* Return: @err of take_event() if it is not 0, otherwise @more of reading */
static int judge(int err, int more, struct tw_error *error)
{
	return err ? tw_error__set(error, err, "no memory for the flows of the sockets") : more;
}

int tw_socket_times__read(struct tw_socket_times *times, int in, const char *name, struct tw_error *error)
{
	int err = tw_event_reader__new(in, name, &ops, times, &times->result.read, &times->reader, error), more;

	if (!err)
		err = begin(times, error);
	if (err)
		return err;
	more = tw_event_reader__run(times->reader, &err, error);
	err = judge(err, more, error);
	if (!err)
		err = tw_event_reader__check(times->reader, error);
	finish(times);
	return err;
}

int tw_socket_times__begin(struct tw_socket_times *times, struct tw_error *error)
{
	const int err = tw_event_reader__new_live(&ops, times, &times->result.read, &times->reader, error);

	return err ? err : begin(times, error);
}

int tw_socket_times__frame(struct tw_socket_times *times, const void *data, size_t len, struct tw_error *error)
{
	return judge(tw_event_reader__frame(times->reader, data, len), 0, error);
}

int tw_socket_times__end(struct tw_socket_times *times, struct tw_error *error)
{
	const int err = judge(tw_event_reader__flush(times->reader), 0, error);

	finish(times);
	return err;
}

static void list_flows(const struct tw_socket_flow_list *list, struct tw_socket_times_result *ret)
{
	for (struct tw_socket_flow *flow = list->newest; flow; flow = flow->older)
		if (flow->figures.events)
			ret->flows[ret->n_flows++] = flow;
}

static bool has_figures(const struct tw_socket_figures *figures)
{
	if (figures->sent || figures->received || figures->resets_sent || figures->resets_received || figures->drops ||
	    figures->stats || tw_socket_figures__held(figures).n)
		return true;
	for (size_t i = 0; i < TW_SOCKET_STAGE_COUNT; i++)
		if (figures->stages[i])
			return true;
	return false;
}

static void list_programs(const struct tw_socket_flows *flows, struct tw_socket_times_result *ret)
{
	ret->n_programs = 0;
	for (uint32_t i = 0; i < flows->programs.n; i++) {
		struct tw_socket_program **program =
			(struct tw_socket_program **)tw_hash_table__value(&flows->programs, i);

		if (has_figures(&(*program)->figures))
			ret->programs[ret->n_programs++] = *program;
	}
}

/* Finds out which events were selected, or have occurred. */
static void find_selected(const struct tw_socket_times *times, bool ret[TW_SOCKET_KIND_COUNT])
{
	static const char *const names[] = {
#define X(kind, name) #name,
		TW_SOCKET_KINDS(X)
#undef X
	};

	for (size_t i = 0; i < TW_SOCKET_KIND_COUNT && times->reader; i++)
		ret[i] |= tw_event_reader__records(times->reader, TW_SOCKTS_SYSTEM, names[i]) == TW_SELECTED_YES;
}

const struct tw_socket_times_result *tw_socket_times__result(struct tw_socket_times *times)
{
	const struct tw_socket_flows *flows = &times->follower.flows;
	struct tw_socket_times_result *result = &times->result;

	free(result->flows);
	free(result->programs);
	result->flows = calloc(flows->by_id.n + 1, sizeof(struct tw_socket_flow *));
	result->programs = calloc(flows->programs.n + 1, sizeof(struct tw_socket_program *));
	if (!result->flows || !result->programs)
		return NULL;
	result->n_flows = 0;
	list_flows(&flows->with_socket, result);
	list_flows(&flows->without_socket, result);
	list_programs(flows, result);
	find_selected(times, result->has);
	if (times->filter)
		tw_capture_filter__stats(times->filter, &result->filtered);
	result->forgotten = tw_socket_flows__forgotten(flows);
	result->backwards = times->follower.backwards;
	result->stray_drops = times->follower.stray_drops;
	result->other_flows = &flows->others;
	result->other_programs = &flows->other_programs;
	result->n_other_flows = flows->n_others;
	return result;
}

void tw_socket_times__clear(struct tw_socket_times *times)
{
	tw_socket_flows__clear(&times->follower.flows);
	times->result.sample_min = times->result.sample_max = 0;
}
