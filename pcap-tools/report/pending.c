/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/pending.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define LOSSES_MAX 1024 /* limit of CPUs with a loss that no event has followed yet */

struct pending_event {
	struct tw_report_event event, leave; /* with copies of their records */
	bool waits; /* an entry of the function graph that waits for the next event of its CPU */
};

struct loss {
	struct tw_stream *stream;
	uint16_t cpu;
	struct tw_lost_view lost;
};

struct tw_report_pending {
	struct tw_report *report;
	struct pending_event *queue; /* ring of TW_REPORT_PENDING_MAX entries */
	size_t first, n, bytes;
	struct loss losses[LOSSES_MAX];
	size_t n_losses;
};

int tw_report_output__flush(struct tw_report_output *out)
{
	size_t at = 0;

	while (!out->failure && at < out->len) {
		const ssize_t n = write(out->fd, out->buf + at, out->len - at);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR)
			out->failure = -errno;
	}
	out->len = 0;
	return out->failure;
}

/* Return: an empty line in the output buffer, with room for TW_REPORT_LINE_MAX bytes */
static struct tw_line output__line(struct tw_report_output *out)
{
	if (TW_REPORT_OUTPUT_SIZE - out->len < TW_REPORT_LINE_MAX)
		tw_report_output__flush(out);
	return tw_line__on(out->buf + out->len, TW_REPORT_LINE_MAX);
}

/* Adds the line to the output buffer. Return: 0, or -errno of an earlier write() */
static int output__put(struct tw_report_output *out, const struct tw_line *line)
{
	if (!out->failure)
		out->len += tw_line__len(line);
	return out->failure;
}

struct tw_report_pending *tw_report_pending__new(struct tw_report *report)
{
	struct tw_report_pending *pending = calloc(1, sizeof(*pending));

	if (pending)
		pending->report = report;
	return pending;
}

static struct pending_event *at(struct tw_report_pending *pending, size_t i)
{
	return &pending->queue[(pending->first + i) % TW_REPORT_PENDING_MAX];
}

static void drop(struct tw_report_pending *pending, struct tw_report_event *event)
{
	if (!event->record.data)
		return;
	pending->bytes -= event->record.len;
	free((void *)event->record.data);
	event->record.data = NULL;
}

static void pop(struct tw_report_pending *pending)
{
	struct pending_event *entry = at(pending, 0);

	drop(pending, &entry->event);
	drop(pending, &entry->leave);
	pending->first = (pending->first + 1) % TW_REPORT_PENDING_MAX;
	pending->n--;
}

void tw_report_pending__free(struct tw_report_pending *pending)
{
	if (!pending)
		return;
	while (pending->n)
		pop(pending);
	free(pending->queue);
	free(pending);
}

/* Return: an empty line. Lines of JSON are not escaped again, because all texts in them are printable. */
static struct tw_line line_of(struct tw_report *report)
{
	struct tw_line line = output__line(&report->out);

	line.kind = report->options->raw || report->options->json ? TW_LINE_BYTES : TW_LINE_TEXT;
	return line;
}

static void begin(struct tw_report *report)
{
	struct tw_line line = line_of(report);

	report->n_streams_then = report->n_streams;
	tw_report__head(report, &line);
	report->began = true;
	output__put(&report->out, &line);
}

static int print_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
		      const struct tw_lost_view *lost)
{
	struct tw_line line = line_of(report);

	if (report->options->json)
		tw_report__json_lost(report, stream, cpu, lost, &line);
	else
		tw_report__text_lost(report, stream, cpu, lost, &line);
	return output__put(&report->out, &line);
}

static int print(struct tw_report *report, const struct tw_report_event *event)
{
	struct tw_line line;

	if (!report->began || report->n_streams != report->n_streams_then)
		begin(report);
	if (event->has_lost)
		print_lost(report, event->stream, event->cpu, &event->lost);
	line = line_of(report);
	if (report->options->json)
		tw_report__json_line(report, event, &line);
	else
		tw_report__text_line(report, event, &line);
	return output__put(&report->out, &line);
}

/* Gets the print programs again: metadata that arrived while the event waited may have replaced its format. */
static void refresh(struct pending_event *entry)
{
	struct tw_report_event *const events[] = { &entry->event, &entry->leave };

	for (size_t i = 0; i < 2; i++) {
		if (events[i]->print)
			events[i]->print = tw_stream__print(events[i]->stream, events[i]->known);
	}
	if (entry->event.leave && (!entry->event.print || !entry->leave.print))
		entry->event.leave = NULL;
}

static int print_first(struct tw_report_pending *pending)
{
	struct pending_event *entry = at(pending, 0);
	int err;

	refresh(entry);
	err = print(pending->report, &entry->event);

	pop(pending);
	return err;
}

/* The losses of a CPU are added up until its next event. */
int tw_report_pending__lost(struct tw_report_pending *pending, struct tw_stream *stream, uint16_t cpu,
			    const struct tw_lost_view *lost)
{
	for (size_t i = 0; i < pending->n_losses; i++) {
		struct loss *loss = &pending->losses[i];

		if (loss->stream != stream || loss->cpu != cpu)
			continue;
		loss->lost.count += lost->count;
		loss->lost.unknown |= lost->unknown;
		return 0;
	}
	if (pending->n_losses == LOSSES_MAX)
		return print_lost(pending->report, stream, cpu, lost);
	pending->losses[pending->n_losses++] = (struct loss){ .stream = stream, .cpu = cpu, .lost = *lost };
	return 0;
}

static void take_loss(struct tw_report_pending *pending, struct tw_report_event *event)
{
	for (size_t i = 0; i < pending->n_losses; i++) {
		const struct loss *loss = &pending->losses[i];

		if (loss->stream != event->stream || loss->cpu != event->cpu)
			continue;
		event->has_lost = true;
		event->lost = loss->lost;
		pending->losses[i] = pending->losses[--pending->n_losses];
		return;
	}
}

static int copy(struct tw_report_pending *pending, struct tw_report_event *to, const struct tw_report_event *event)
{
	uint8_t *bytes = malloc(event->record.len);

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, event->record.data, event->record.len);
	*to = *event;
	to->record.data = bytes;
	to->view.record = bytes;
	pending->bytes += event->record.len;
	return 0;
}

static int append(struct tw_report_pending *pending, const struct tw_report_event *event, bool waits)
{
	struct pending_event *entry;
	int err;

	if (!pending->queue)
		pending->queue = calloc(TW_REPORT_PENDING_MAX, sizeof(*pending->queue));
	if (!pending->queue)
		return -ENOMEM;
	if (pending->n == TW_REPORT_PENDING_MAX || pending->bytes > TW_REPORT_PENDING_BYTES) {
		err = print_first(pending);
		if (err)
			return err;
	}
	entry = at(pending, pending->n);
	*entry = (struct pending_event){ .waits = waits };
	err = copy(pending, &entry->event, event);
	pending->n += !err;
	return err;
}

static struct pending_event *waiting(struct tw_report_pending *pending, const struct tw_report_event *event)
{
	for (size_t i = 0; i < pending->n; i++) {
		struct pending_event *entry = at(pending, i);

		if (entry->waits && entry->event.stream == event->stream && entry->event.cpu == event->cpu)
			return entry;
	}
	return NULL;
}

/* Whether the two events are one call of a function without traced calls in it. Uses report->text as scratch buffer. */
static bool is_leaf(struct tw_report *report, const struct tw_report_event *entry, const struct tw_report_event *leave)
{
	struct tw_line line = tw_line__on(report->text, TW_REPORT_LINE_MAX);

	return leave->print && tw_print__is_graph_exit(leave->print) && !leave->has_lost &&
	       tw_print__graph_leaf(entry->print, &entry->record, leave->print, &leave->record,
				    &entry->stream->print_host, &line);
}

int tw_report_pending__event(struct tw_report_pending *pending, struct tw_report_event *event)
{
	const bool is_entry = event->print && tw_print__is_graph_entry(event->print);
	struct pending_event *entry;
	int err = 0;

	if (pending->n_losses)
		take_loss(pending, event);
	if (!pending->n && !is_entry)
		return print(pending->report, event);
	entry = waiting(pending, event);
	if (entry) {
		entry->waits = false;
		refresh(entry);
	}
	if (entry && entry->event.print && is_leaf(pending->report, &entry->event, event)) {
		err = copy(pending, &entry->leave, event);
		entry->event.leave = &entry->leave;
	} else {
		err = append(pending, event, is_entry);
	}
	while (!err && pending->n && !at(pending, 0)->waits)
		err = print_first(pending);
	return err;
}

int tw_report_pending__flush(struct tw_report_pending *pending)
{
	int err = 0;

	while (!err && pending->n)
		err = print_first(pending);
	for (size_t i = 0; !err && i < pending->n_losses; i++)
		err = print_lost(pending->report, pending->losses[i].stream, pending->losses[i].cpu,
				 &pending->losses[i].lost);
	pending->n_losses = 0;
	return err;
}
