/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/metadata_sender.h"

#include <errno.h>

#include "base/counter.h"
#include "base/time.h"

#define LOOK_NS        (50 * TW_NS_PER_MS)    /* how often to look for joiners when nothing happens */
#define WAIT_NS        (5 * TW_NS_PER_MS)     /* and whether kallsyms has been read */
#define OLD_NS         (2 * TW_NS_PER_SECOND) /* of a sample of the clocks, as one is taken each second */
#define REPEAT_SHARE   8                      /* what is said again takes no more of the time than one in so many */
#define SYMBOLS_A_TIME 8192                   /* of one repetition; tracing functions brings tens of thousands */

/* After somebody joined: a capture is being set up and sees nothing until it is, so say it a few times. */
static const uint64_t joiner_ms[] = { 0, 5, 10, 20, 40, 80, 160, 320, 640 };
#define JOINER_TIMES (sizeof(joiner_ms) / sizeof(joiner_ms[0]))

static void say_clock(struct tw_metadata_sender *a)
{
	tw_trace_clock__sample(a->clock, &a->sample);
	tw_sync__complete(a->sync, &a->sample);
	tw_control_channel__clock(&a->control, &a->sample);
}

static void say_host_and_clock(struct tw_metadata_sender *a)
{
	tw_control_channel__host(&a->control, a->host.attrs, a->host.n);
	say_clock(a);
}

/* Once a second. The words are told where what is told again is. */
static void look_at_sync(struct tw_metadata_sender *a)
{
	struct tw_sync_state state;

	tw_sync__look(a->sync, &state);
	tw_host_attrs__set_sync(&a->host, state.how);
}

static void say_task(void *ctx, const struct tw_producer_task *task)
{
	struct tw_metadata_sender *a = ctx;

	tw_control_channel__task(&a->control, task);
}

/*
 * Where among the events a name belongs: before the first that needs it, but not before what the last round has closed, of
 * which a recording may be written already.
 */
static uint64_t place(const struct tw_metadata_sender *a, const struct tw_producer_task *task, uint64_t now)
{
	if (!task->before || task->before > now)
		return now;
	return task->before > a->closed ? task->before : a->closed;
}

/* Names as they are learned. A frame of them must come before the earliest event that it names. */
static void say_new_names(struct tw_metadata_sender *a, uint64_t now)
{
	struct tw_producer_task task;

	while (tw_task_names__take(&a->tasks->names, &task)) {
		const uint64_t time = place(a, &task, now);

		if (a->control.port->channel != &a->control.channel || time < a->control.time) {
			tw_control_channel__end(&a->control);
			a->control.time = time;
		}
		tw_control_channel__task(&a->control, &task);
	}
	tw_control_channel__end(&a->control);
	a->control.time = now;
}

/* Symbols as they are found: before all events of this round, in which the first that needs them is. */
static void say_new_symbols(struct tw_metadata_sender *a, uint64_t now, bool wait)
{
	struct tw_symbol_view symbol;

	tw_symbolizer__settle(&a->symbolizer, wait);
	if (!tw_symbolizer__take(&a->symbolizer, &symbol))
		return;
	tw_control_channel__end(&a->control);
	a->control.time = a->closed;
	do
		tw_control_channel__symbol(&a->control, &symbol);
	while (tw_symbolizer__take(&a->symbolizer, &symbol));
	tw_control_channel__end(&a->control);
	a->control.time = now;
}

/* Those said already, @most of them; the next time those that follow, and then the first again. */
static void say_symbols_again(struct tw_metadata_sender *a, size_t most)
{
	struct tw_symbol_view symbol;

	for (size_t i = 0; i < most && i < a->symbolizer.taken; i++)
		if (tw_symbolizer__repeat(&a->symbolizer, &symbol))
			tw_control_channel__symbol(&a->control, &symbol);
}

static void say_everything(struct tw_metadata_sender *a, size_t symbols)
{
	const uint64_t bytes = a->control.port->bytes;

	say_host_and_clock(a);
	tw_control_channel__texts(&a->control, &a->texts);
	tw_task_names__each(&a->tasks->names, say_task, a);
	say_symbols_again(a, symbols);
	tw_control_channel__end(&a->control);
	tw_request_limiter__set_metadata_size(a->wants, a->control.port->bytes - bytes);
}

void tw_metadata_sender__start(struct tw_metadata_sender *a)
{
	const uint64_t mono = tw_time__now(CLOCK_MONOTONIC);
	struct tw_clock_view sample;
	struct tw_producer_task known;
	uint64_t now;

	tw_symbolizer__await(&a->symbolizer);
	if (a->pointers) /* from here on where things are moved to stays as it is, whatever kallsyms tells later */
		tw_hashed_pointers__set_text(a->pointers, &a->symbolizer.kallsyms.text);
	tw_trace_clock__sample(a->clock, &sample); /* a clock that only the rings tell is known from now on */
	now = tw_trace_clock__now(a->clock);
	tw_tasks__drain(a->tasks); /* no name to come is older than now */
	a->control.time = now;
	a->closed = now;
	tw_counter__add(&a->schemas, 1);
	look_at_sync(a);
	atomic_store(&a->stream->schema_id, a->texts.schema_id);
	say_everything(a, 0);
	while (tw_task_names__take(&a->tasks->names, &known))
		; /* said already */
	a->next_second = mono + TW_NS_PER_SECOND;
	a->next_repeat = mono + a->options->repeat_ms * TW_NS_PER_MS;
}

/* The texts of a new schema are under way before any thread's frames name it. */
static void say_new_schema(struct tw_metadata_sender *a)
{
	const struct tw_producer_stream ahead = {
		.id = a->stream->id,
		.schema_id = a->texts.schema_id,
		.flags = a->stream->flags,
	};
	struct tw_frame_writer *port = a->control.port;

	tw_control_channel__end(&a->control);
	port->stream = &ahead;
	tw_control_channel__texts(&a->control, &a->texts);
	tw_frame_writer__drain(port);
	port->stream = a->stream;
	atomic_store(&a->stream->schema_id, a->texts.schema_id);
	tw_counter__add(&a->schemas, 1);
}

int tw_metadata_sender__load_texts(struct tw_metadata_sender *a, struct tw_schema_texts *ret,
				   struct tw_schema **ret_schema, struct tw_error *err)
{
	struct tw_schema_texts_request request = {
		.tracing_dir = a->selection->tracing_dir,
		.events = &a->selection->events,
		.tracers = tw_tracer__records(&a->options->tracing),
		.addresses = &a->symbolizer.addresses,
		.pointers = a->pointers,
		.schema = a->options->filter ? tw_schema__new() : NULL,
	};
	int rc = 0;

	if (request.schema)
		tw_schema__set_long_size(request.schema, sizeof(long));
	else if (a->options->filter)
		rc = tw_error__set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = tw_schema_texts__load(&request, ret, err);
	if (rc)
		tw_schema__free(request.schema);
	else
		*ret_schema = request.schema;
	return rc;
}

/* Events appeared or changed: the new schema goes out before the first event that needs it can. */
static void take_in_new_events(struct tw_metadata_sender *a)
{
	struct tw_schema *schema;
	struct tw_schema_texts texts;

	if (!tw_selection__renew(a->selection) || tw_metadata_sender__load_texts(a, &texts, &schema, NULL))
		return;
	if (texts.schema_id == a->texts.schema_id) {
		tw_schema__free(schema);
		tw_schema_texts__fini(&texts);
		return;
	}
	tw_schema_texts__fini(&a->texts);
	a->texts = texts;
	say_new_schema(a);
	tw_filtering__renew(a->filtering, a->selection, a->instance, schema);
	tw_filtering__enable(a->filtering, a->selection, a->instance, NULL);
}

/* Something that was shed is said again with all the rest, once there is room: names would be gone for good. */
static void make_good(struct tw_metadata_sender *a)
{
	if (a->control.channel.shed == a->made_good || a->control.port->shedding)
		return;
	a->made_good = a->control.channel.shed;
	say_everything(a, SIZE_MAX);
}

static void look_for_joiners(struct tw_metadata_sender *a, uint64_t mono)
{
	if (!a->options->joined || !a->options->joined(a->options->ctx))
		return;
	a->joined = mono;
	a->next_repeat = mono;
}

/* Reading all clocks is dear, so who asks is told the sample that was said last, unless that is old: a clock was set back. */
static void say_host_and_clock_again(struct tw_metadata_sender *a, uint64_t mono)
{
	tw_control_channel__host(&a->control, a->host.attrs, a->host.n);
	if (mono - a->sample.reading[TW_CLOCK_MONO] < OLD_NS)
		tw_control_channel__clock(&a->control, &a->sample);
	else
		say_clock(a);
	tw_control_channel__end(&a->control);
}

/* For who asks all of it is due at once, or HOST and CLOCK are said. */
static void answer_wants(struct tw_metadata_sender *a, uint64_t mono)
{
	const uint16_t wanted = tw_request_limiter__take(a->wants, mono);

	if (wanted == TW_METADATA_REQUEST_ALL)
		a->next_repeat = mono;
	else if (wanted == TW_METADATA_REQUEST_CLOCK)
		say_host_and_clock_again(a, mono);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * All is said again regularly, and more densely after somebody joined. Where the way out is slow it may not take the place of the
 * events.
 */
static void repeat_if_due(struct tw_metadata_sender *a, uint64_t mono)
{
	uint64_t took;

	if (!a->options->repeat_ms)
		return;
	look_for_joiners(a, mono);
	answer_wants(a, mono);
	if (mono < a->next_repeat)
		return;
	say_everything(a, SYMBOLS_A_TIME);
	took = tw_time__now(CLOCK_MONOTONIC) - mono;
	a->next_repeat = mono + later(a->options->repeat_ms * TW_NS_PER_MS, took * REPEAT_SHARE);
	for (size_t i = 0; a->joined && i < JOINER_TIMES; i++) {
		const uint64_t due = a->joined + joiner_ms[i] * TW_NS_PER_MS;

		if (due > mono && due < a->next_repeat)
			a->next_repeat = due;
	}
}

/*
 * Once a second. What this thread has counted was read before now, so none of it comes behind the counters in the order of time; other
 * threads may count on while this is said.
 */
static void say_second(struct tw_metadata_sender *a, uint64_t mono)
{
	if (mono < a->next_second)
		return;
	take_in_new_events(a);
	look_at_sync(a);
	say_clock(a);
	a->stats(a->stats_ctx, &a->control);
	tw_control_channel__end(&a->control);
	a->next_second = mono + TW_NS_PER_SECOND;
}

/* Before the round's events, so that who began to listen since the last round can read them. */
void tw_metadata_sender__before(void *ctx, uint64_t now)
{
	const uint64_t mono = tw_time__now(CLOCK_MONOTONIC);
	struct tw_metadata_sender *a = ctx;

	a->control.time = now;
	make_good(a);
	repeat_if_due(a, mono);
	say_second(a, mono);
	tw_tasks__drain(a->tasks);
	say_new_names(a, now);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Return: ns until something is due even if no event comes; what is wanted and could not be said yet, too. */
static uint64_t pause_at_most(const struct tw_metadata_sender *a, uint64_t mono)
{
	uint64_t next = a->next_second;

	if (a->options->repeat_ms)
		next = earlier(next, a->next_repeat);
	if (tw_symbolizer__waits(&a->symbolizer))
		next = earlier(next, mono + WAIT_NS);
	if (a->options->joined)
		next = earlier(next, mono + LOOK_NS);
	next = next > mono ? next - mono : 0;
	return a->options->repeat_ms ? earlier(next, tw_request_limiter__pause(a->wants, mono)) : next;
}

uint64_t tw_metadata_sender__after(void *ctx, uint64_t now, uint64_t *closed)
{
	const uint64_t mono = tw_time__now(CLOCK_MONOTONIC);
	struct tw_metadata_sender *a = ctx;

	tw_tasks__settle(a->tasks);
	say_new_names(a, now);
	say_new_symbols(a, now, false);
	if (tw_symbolizer__waits(&a->symbolizer)) /* symbols will have to be placed before this round's events */
		*closed = a->closed;
	else if (*closed > a->closed)
		a->closed = *closed;
	return pause_at_most(a, mono);
}

void tw_metadata_sender__finish(struct tw_metadata_sender *a)
{
	const uint64_t now = tw_trace_clock__now(a->clock);

	a->control.time = now;
	tw_tasks__drain(a->tasks);
	tw_tasks__settle(a->tasks);
	say_new_names(a, now);
	say_new_symbols(a, now, true);
	say_clock(a);
	tw_control_channel__end(&a->control);
}

void tw_metadata_sender__last(struct tw_metadata_sender *a, uint64_t now)
{
	a->control.time = now;
	a->stats(a->stats_ctx, &a->control);
	tw_control_channel__last(&a->control);
}

void tw_metadata_sender__fini(struct tw_metadata_sender *a)
{
	tw_schema_texts__fini(&a->texts);
	tw_symbolizer__fini(&a->symbolizer);
	tw_sync__free(a->sync);
	tw_request_limiter__free(a->wants);
}
