/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/metadata_sender.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/time.h"
#include "producer/counter.h"

#define LOOK_NS        (50 * TW_NS_PER_MS)    /* interval between checks for new receivers when there are no events */
#define WAIT_NS        (5 * TW_NS_PER_MS)     /* interval between checks whether kallsyms has been read */
#define OLD_NS         (2 * TW_NS_PER_SECOND) /* a clock sample of this age is not sent again: a new sample is taken */
#define REPEAT_SHARE   8    /* repetitions without request or new receiver take at most 1/REPEAT_SHARE of the time */
#define SYMBOLS_A_TIME 8192 /* limit of symbols in one repetition; a function tracer can use tens of thousands */

/*
 * Times at which all metadata is sent, in ms after a receiver has joined. The metadata is sent several times, because a capture that is
 * still being set up receives nothing.
 */
static const uint64_t joiner_ms[] = { 0, 5, 10, 20, 40, 80, 160, 320, 640 };
#define JOINER_TIMES (sizeof(joiner_ms) / sizeof(joiner_ms[0]))

static void add(struct tw_host_attrs *host, enum tw_host_attr attr, const void *value, size_t len)
{
	host->attrs[host->n++] = (struct tw_attr_view){ .attr = (uint16_t)attr, .value = value, .len = len };
}

static void add_text(struct tw_host_attrs *host, enum tw_host_attr attr, const char *text)
{
	char *copy = host->text[host->n];

	if (!text || !*text)
		return;
	snprintf(copy, sizeof(host->text[0]), "%s", text);
	add(host, attr, copy, strlen(copy));
}

static void add_number(struct tw_host_attrs *host, enum tw_host_attr attr, uint64_t number)
{
	char *copy = host->text[host->n];

	tw_store_be64(copy, number);
	add(host, attr, copy, sizeof(number));
}

/* Writes the rest of the first line that begins with @key to @buf, without quotes; "" if there is no such line. */
static void read_line(const char *path, const char *key, char *buf, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[256];

	buf[0] = '\0';
	while (file && !buf[0] && fgets(line, sizeof(line), file)) {
		const char *value = line + strlen(key);

		if (strncmp(line, key, strlen(key)))
			continue;
		value += *value == '"';
		snprintf(buf, size, "%.*s", (int)strcspn(value, "\"\n"), value);
	}
	if (file)
		fclose(file);
}

void tw_host_attrs__init(struct tw_host_attrs *host, const struct tw_host_stream *stream)
{
	char line[256];
	struct utsname uts;

	*host = (struct tw_host_attrs){ 0 };
	if (!uname(&uts)) {
		add_text(host, TW_HOST_NAME, uts.nodename);
		add_text(host, TW_HOST_RELEASE, uts.release);
		add_text(host, TW_HOST_MACHINE, uts.machine);
	}
	read_line("/proc/sys/kernel/random/boot_id", "", line, sizeof(line));
	add_text(host, TW_HOST_BOOT_ID, line);
	read_line("/etc/os-release", "PRETTY_NAME=", line, sizeof(line));
	add_text(host, TW_HOST_OS, line);
	add_text(host, TW_HOST_INSTANCE, stream->instance);
	add_text(host, TW_HOST_CLOCK, stream->clock);
	add_text(host, TW_HOST_EVENTS, stream->events);
	if (stream->filter) /* never cut, because a part of a filter would have another meaning */
		add(host, TW_HOST_FILTER, stream->filter, strlen(stream->filter));
	add_text(host, TW_HOST_VERSION, "tracewire " TRACEWIRE_VERSION);
	add_text(host, TW_HOST_POINTERS, stream->pointers_hashed ? "hashed" : "raw");
	add_number(host, TW_HOST_CPUS, stream->cpus);
	add_number(host, TW_HOST_PAGE_SIZE, (uint64_t)sysconf(_SC_PAGESIZE));
	add_number(host, TW_HOST_LONG_SIZE, sizeof(long));
	add_text(host, TW_HOST_HOOK, stream->no_sockets);
	for (size_t i = 0; i < stream->n_stages && i < TW_HOST_HOOKS_MAX; i++) {
		tw_socket_stage__describe(&stream->stages[i], line, sizeof(line));
		add_text(host, TW_HOST_HOOK, line);
	}
	host->n_fixed = host->n;
}

static void send_clock(struct tw_metadata_sender *m)
{
	tw_trace_clock__sample(m->clock, &m->sample);
	m->sample.sync_ns = m->sync_ns;
	tw_phcs__sample(&m->phcs, m->clock->id, &m->sample);
	tw_control_channel__clock(&m->control, &m->sample);
}

/* Whether the attributes that can change are the same; all of them are in @text. */
static bool is_same_host(const struct tw_host_attrs *a, const struct tw_host_attrs *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = a->n_fixed; i < a->n; i++)
		if (a->attrs[i].attr != b->attrs[i].attr || a->attrs[i].len != b->attrs[i].len ||
		    memcmp(a->text[i], b->text[i], a->attrs[i].len))
			return false;
	return true;
}

/* Tells the user once that ptp4l may not be asked. */
static void say_denied(struct tw_metadata_sender *m, const struct tw_sync_state *state)
{
	if (!state->is_denied || m->said_denied)
		return;
	m->said_denied = true;
	if (m->options->clock_failed)
		m->options->clock_failed(m->options->ctx, TW_SYNC_DENIED);
}

/* Updates the attributes of HOST that can change; called once a second. Return: whether they have changed */
static bool update_host(struct tw_metadata_sender *m)
{
	const struct tw_host_attrs before = m->host;
	struct tw_sync_state state;
	char phcs[TW_PHCS_TEXT];

	tw_sync__look(m->sync, &state);
	say_denied(m, &state);
	m->sync_ns = state.ns;
	atomic_store_explicit(&m->card_stamps, state.card_stamps, memory_order_relaxed);
	tw_phcs__set_synced(&m->phcs, state.phc.any ? state.phc.index : -1, state.phc.ns);
	tw_phcs__text(&m->phcs, phcs);
	m->host.n = m->host.n_fixed;
	add_text(&m->host, TW_HOST_SYNC, state.how);
	add_text(&m->host, TW_HOST_GRANDMASTER, state.root.grandmaster);
	add_number(&m->host, TW_HOST_SYNC_SINCE, state.since);
	if (state.root.is_utc)
		add_number(&m->host, TW_HOST_SYNC_UTC, state.root.utc_ns);
	add_text(&m->host, TW_HOST_PHCS, phcs);
	return !is_same_host(&before, &m->host);
}

static void send_task(void *ctx, const struct tw_producer_task *task)
{
	struct tw_metadata_sender *m = ctx;

	tw_control_channel__task(&m->control, task);
}

/*
 * Sends new names. The time of the frame with a name should not be later than the first event that needs the name. But the time must not be
 * before the watermark of the last round, because a recorder may already have written the events up to that watermark.
 */
static void send_new_names(struct tw_metadata_sender *m, uint64_t now)
{
	struct tw_producer_task task;

	while (tw_task_names__take(&m->tasks->names, &task)) {
		const uint64_t time =
			task.before && task.before <= now ? tw_time__later(task.before, m->watermark) : now;

		if (m->control.writer->channel != &m->control.channel || time < m->control.time) {
			tw_control_channel__end(&m->control);
			m->control.time = time;
		}
		tw_control_channel__task(&m->control, &task);
	}
	tw_control_channel__end(&m->control);
	m->control.time = now;
}

/* Sends new symbols with a time before all events of this round, because these events are the first that can need the symbols. */
static void send_new_symbols(struct tw_metadata_sender *m, uint64_t now, bool wait)
{
	struct tw_symbol_view symbol;

	tw_symbolizer__settle(&m->symbolizer, wait);
	if (!tw_symbolizer__take(&m->symbolizer, &symbol))
		return;
	tw_control_channel__end(&m->control);
	m->control.time = m->watermark;
	do
		tw_control_channel__symbol(&m->control, &symbol);
	while (tw_symbolizer__take(&m->symbolizer, &symbol));
	tw_control_channel__end(&m->control);
	m->control.time = now;
}

/*
 * Sends all metadata, but at most @symbols symbols. The next call continues with the symbol after these; after the last symbol, the first
 * one follows.
 */
static void send_everything(struct tw_metadata_sender *m, size_t symbols)
{
	const uint64_t bytes = m->control.writer->bytes;
	struct tw_symbol_view symbol;

	tw_control_channel__host(&m->control, m->host.attrs, m->host.n);
	send_clock(m);
	tw_control_channel__texts(&m->control, &m->texts);
	tw_task_names__each(&m->tasks->names, send_task, m);
	for (size_t i = 0; i < symbols && i < m->symbolizer.taken; i++)
		if (tw_symbolizer__repeat(&m->symbolizer, &symbol))
			tw_control_channel__symbol(&m->control, &symbol);
	tw_control_channel__end(&m->control);
	tw_request_limiter__set_metadata_size(m->requests, m->control.writer->bytes - bytes);
}

void tw_metadata_sender__start(struct tw_metadata_sender *m)
{
	const uint64_t mono = tw_time__now(CLOCK_MONOTONIC);
	struct tw_clock_view sample;
	struct tw_producer_task known;
	uint64_t now;

	tw_symbolizer__await(&m->symbolizer);
	if (m->pointers) /* from now on the replacements of addresses do not change, even if kallsyms changes */
		tw_hashed_pointers__set_text(m->pointers, &m->symbolizer.kallsyms.text);
	tw_trace_clock__sample(m->clock, &sample); /* sets the offset of a clock that can only be read from the rings */
	now = tw_trace_clock__now(m->clock);
	tw_producer_tasks__drain(m->tasks); /* reads names up to @now: frames of later names get no time before @now */
	m->control.time = now;
	m->watermark = now;
	tw_counter__add(&m->schemas, 1);
	update_host(m);
	atomic_store(&m->stream->schema_id, m->texts.schema_id);
	send_everything(m, 0);
	while (tw_task_names__take(&m->tasks->names, &known))
		; /* these names were sent by send_everything() */
	m->next_second = mono + TW_NS_PER_SECOND;
	m->next_repeat = mono + m->options->repeat_ms * TW_NS_PER_MS;
}

void tw_metadata_sender__send_host(struct tw_metadata_sender *m)
{
	update_host(m);
	tw_control_channel__host(&m->control, m->host.attrs, m->host.n);
	tw_control_channel__end(&m->control);
	tw_frame_writer__drain(m->control.writer);
}

/* Sends the texts of a new schema before any thread's frames refer to it. */
static void send_new_schema(struct tw_metadata_sender *m)
{
	const struct tw_producer_stream ahead = {
		.id = m->stream->id,
		.schema_id = m->texts.schema_id,
		.flags = m->stream->flags,
	};
	struct tw_frame_writer *writer = m->control.writer;

	tw_control_channel__end(&m->control);
	writer->stream = &ahead;
	tw_control_channel__texts(&m->control, &m->texts);
	tw_frame_writer__drain(writer);
	writer->stream = m->stream;
	atomic_store(&m->stream->schema_id, m->texts.schema_id);
	tw_counter__add(&m->schemas, 1);
}

int tw_metadata_sender__load_texts(struct tw_metadata_sender *m, struct tw_schema_texts *ret,
				   struct tw_schema **ret_schema, struct tw_error *error)
{
	struct tw_schema_texts_request request = {
		.tracing_dir = m->selection->tracing_dir,
		.events = &m->selection->events,
		.tracers = tw_tracer__records(&m->options->tracing),
		.addresses = &m->symbolizer.addresses,
		.pointers = m->pointers,
		.schema = m->options->filter ? tw_schema__new() : NULL,
	};
	int err = 0;

	if (request.schema)
		tw_schema_texts__set_host(request.schema);
	else if (m->options->filter)
		err = tw_error__set(error, -ENOMEM, "out of memory");
	if (!err)
		err = tw_schema_texts__load(&request, ret, error);
	if (err)
		tw_schema__free(request.schema);
	else
		*ret_schema = request.schema;
	return err;
}

/* If the kernel's events have changed, sends the new schema and then enables the new events. */
static void add_new_events(struct tw_metadata_sender *m)
{
	struct tw_schema *schema;
	struct tw_schema_texts texts;

	if (!tw_selection__renew(m->selection) || tw_metadata_sender__load_texts(m, &texts, &schema, NULL))
		return;
	if (texts.schema_id == m->texts.schema_id) {
		tw_schema__free(schema);
		tw_schema_texts__fini(&texts);
		return;
	}
	tw_schema_texts__fini(&m->texts);
	m->texts = texts;
	send_new_schema(m);
	tw_filtering__renew(m->filtering, schema);
	tw_filtering__enable(m->filtering, NULL);
}

/* If control records were shed, sends all metadata again once there is room, because receivers lack the content of these records. */
static void resend_shed(struct tw_metadata_sender *m)
{
	if (m->control.channel.shed == m->resent || m->control.writer->shedding)
		return;
	m->resent = m->control.channel.shed;
	send_everything(m, SIZE_MAX);
}

/* Answers a request. Reading all clocks is expensive. Therefore the last sample is sent again if it is younger than OLD_NS. */
static void answer_requests(struct tw_metadata_sender *m, uint64_t mono)
{
	const uint16_t request = tw_request_limiter__take(m->requests, mono);

	if (request == TW_METADATA_REQUEST_ALL)
		m->next_repeat = mono;
	if (request != TW_METADATA_REQUEST_CLOCK)
		return;
	tw_control_channel__host(&m->control, m->host.attrs, m->host.n);
	if (mono - m->sample.reading[TW_CLOCK_MONO] < OLD_NS)
		tw_control_channel__clock(&m->control, &m->sample);
	else
		send_clock(m);
	tw_control_channel__end(&m->control);
}

/*
 * Repeats all metadata. The repetitions are more frequent after a receiver has joined, and less frequent if the sink is slow, so that there
 * is room for events.
 */
static void repeat_if_due(struct tw_metadata_sender *m, uint64_t mono)
{
	uint64_t took;

	if (!m->options->repeat_ms)
		return;
	if (m->options->joined && m->options->joined(m->options->ctx))
		m->joined = m->next_repeat = mono;
	answer_requests(m, mono);
	if (mono < m->next_repeat)
		return;
	send_everything(m, SYMBOLS_A_TIME);
	took = tw_time__now(CLOCK_MONOTONIC) - mono;
	m->next_repeat = mono + tw_time__later(m->options->repeat_ms * TW_NS_PER_MS, took * REPEAT_SHARE);
	for (size_t i = 0; m->joined && i < JOINER_TIMES; i++) {
		const uint64_t due = m->joined + joiner_ms[i] * TW_NS_PER_MS;

		if (due > mono && due < m->next_repeat)
			m->next_repeat = due;
	}
}

/* Called before the rings are read, so that STATS includes no event of this thread that is newer than the STATS record. */
static void send_every_second(struct tw_metadata_sender *m, uint64_t mono)
{
	if (mono < m->next_second)
		return;
	add_new_events(m);
	if (m->sockets)
		tw_sockets__update(m->sockets);
	if (update_host(m))
		tw_control_channel__host(&m->control, m->host.attrs, m->host.n);
	send_clock(m);
	m->stats(m->stats_ctx, &m->control);
	tw_control_channel__end(&m->control);
	m->next_second = mono + TW_NS_PER_SECOND;
}

/*
 * If a clock was set, sends the clocks at once: with the trace clock tai, or after a suspend, receivers could not compute the times of the
 * next events otherwise.
 */
static void send_clock_if_set(struct tw_metadata_sender *m)
{
	if (!tw_step_watch__take(&m->step_watch))
		return;
	send_clock(m);
	tw_control_channel__end(&m->control);
}

/*
 * Sends the records that are due before the events of the round, so that a receiver that has joined since the last round can decode these
 * events.
 */
void tw_metadata_sender__before(struct tw_metadata_sender *m, uint64_t now)
{
	const uint64_t mono = tw_time__now(CLOCK_MONOTONIC);

	m->control.time = now;
	send_clock_if_set(m);
	resend_shed(m);
	repeat_if_due(m, mono);
	send_every_second(m, mono);
	tw_producer_tasks__drain(m->tasks);
	send_new_names(m, now);
}

/* Return: the time until metadata is due even without events, or until a pending request can be answered, ns */
static uint64_t next_due(const struct tw_metadata_sender *m, uint64_t mono)
{
	uint64_t next = m->next_second;

	if (m->options->repeat_ms)
		next = tw_time__earlier(next, m->next_repeat);
	if (tw_symbolizer__waits(&m->symbolizer))
		next = tw_time__earlier(next, mono + WAIT_NS);
	if (m->options->joined)
		next = tw_time__earlier(next, mono + LOOK_NS);
	next = next > mono ? next - mono : 0;
	return m->options->repeat_ms ? tw_time__earlier(next, tw_request_limiter__pause(m->requests, mono)) : next;
}

uint64_t tw_metadata_sender__after(struct tw_metadata_sender *m, uint64_t now, uint64_t *watermark)
{
	const uint64_t mono = tw_time__now(CLOCK_MONOTONIC);

	tw_producer_tasks__settle(m->tasks);
	send_new_names(m, now);
	send_new_symbols(m, now, false);
	if (tw_symbolizer__waits(&m->symbolizer)) /* symbols found later will get a time before this round's events */
		*watermark = m->watermark;
	else if (*watermark > m->watermark)
		m->watermark = *watermark;
	return next_due(m, mono);
}

void tw_metadata_sender__finish(struct tw_metadata_sender *m)
{
	const uint64_t now = tw_trace_clock__now(m->clock);

	m->control.time = now;
	tw_producer_tasks__drain(m->tasks);
	tw_producer_tasks__settle(m->tasks);
	send_new_names(m, now);
	send_new_symbols(m, now, true);
	send_clock(m);
	tw_control_channel__end(&m->control);
}

void tw_metadata_sender__last(struct tw_metadata_sender *m, uint64_t now)
{
	m->control.time = now;
	m->stats(m->stats_ctx, &m->control);
	tw_control_channel__last(&m->control);
}

void tw_metadata_sender__fini(struct tw_metadata_sender *m)
{
	tw_schema_texts__fini(&m->texts);
	tw_symbolizer__fini(&m->symbolizer);
	tw_sync__free(m->sync);
	tw_phcs__fini(&m->phcs);
	tw_step_watch__close(&m->step_watch);
	tw_request_limiter__free(m->requests);
}
