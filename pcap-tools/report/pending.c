/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of events that wait before they are printed. An entry of the function graph waits for the next event of its CPU, which may be its
 * exit; events after the entry wait for it. Losses wait too: they are printed before the next event of their CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "pcap-tools/report/columns.h"
#include "pcap-tools/report/names.h"
#include "pcap-tools/report/report_impl.h"

#define PENDING_MAX   8192       /* limit of waiting events; beyond it, the oldest is printed without its exit */
#define PENDING_BYTES (4u << 20) /* limit of the bytes in the records of waiting events, with the same effect */
#define LOSSES_MAX    1024       /* limit of CPUs with a loss that no event has followed yet */

struct pending_event {
	struct tw_report_event event, leave; /* both with copies of their records */
	bool waits; /* an entry of the function graph that waits for the next event of its CPU */
};

struct tw_report_pending {
	struct tw_report *report;
	struct pending_event *queue; /* ring of PENDING_MAX entries */
	size_t first, n, bytes;
	struct tw_report_loss losses[LOSSES_MAX];
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

/* Return: an empty line in the output buffer. Lines of JSON and tables are not escaped again, because all texts in them are printable. */
static struct tw_line begin_line(struct tw_report *report)
{
	struct tw_report_output *out = &report->out;

	if (TW_REPORT_OUTPUT_SIZE - out->len < TW_REPORT_LINE_MAX)
		tw_report_output__flush(out);
	return tw_line__of(out->buf + out->len, TW_REPORT_LINE_MAX,
			   report->options->raw || report->options->json || report->columns ? TW_LINE_BYTES
											    : TW_LINE_TEXT);
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
	return &pending->queue[(pending->first + i) % PENDING_MAX];
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
	pending->first = (pending->first + 1) % PENDING_MAX;
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

static int print_loss(struct tw_report *report, const struct tw_report_loss *loss)
{
	struct tw_line line = begin_line(report);

	tw_report__loss(report, loss, &line);
	return output__put(&report->out, &line);
}

/*
 * At the end of the file: checks the names in the options against all formats, and writes the header of a table if no event was printed.
 * Return: 0, -EINVAL for a name that the capture does not have, or a failure of write()
 */
static int finish(struct tw_report *report)
{
	struct tw_line line;
	int err;

	if (!tw_streams__first(report->streams))
		return 0;
	err = tw_report_names__check(report, true);
	if (err || !report->columns || report->options->counts)
		return err;
	line = begin_line(report);
	tw_report_columns__head(report, &line);
	return output__put(&report->out, &line);
}

static int print(struct tw_report *report, const struct tw_report_event *event)
{
	struct tw_line line;
	const int err = tw_report_names__check(report, false);

	if (err)
		return err;
	if (tw_event_reader__n_streams(report->reader) != report->n_named) {
		line = begin_line(report);
		tw_report__head(report, &line);
		output__put(&report->out, &line);
	}
	if (event->has_loss)
		print_loss(report, &event->loss);
	line = begin_line(report);
	tw_report__event(report, event, &line);
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

static struct tw_report_loss *find_loss(struct tw_report_pending *pending, const struct tw_stream *stream, uint16_t cpu)
{
	for (size_t i = 0; i < pending->n_losses; i++) {
		if (pending->losses[i].stream == stream && pending->losses[i].cpu == cpu)
			return &pending->losses[i];
	}
	return NULL;
}

/* The losses of a CPU are added up until its next event. */
int tw_report_pending__loss(struct tw_report_pending *pending, const struct tw_report_loss *loss)
{
	struct tw_report_loss *before = find_loss(pending, loss->stream, loss->cpu);

	if (before) {
		before->lost.count += loss->lost.count;
		before->lost.unknown |= loss->lost.unknown;
		return 0;
	}
	if (pending->n_losses == LOSSES_MAX)
		return print_loss(pending->report, loss);
	pending->losses[pending->n_losses++] = *loss;
	return 0;
}

static void take_loss(struct tw_report_pending *pending, struct tw_report_event *event)
{
	struct tw_report_loss *loss = find_loss(pending, event->stream, event->cpu);

	if (!loss)
		return;
	event->has_loss = true;
	event->loss = *loss;
	*loss = pending->losses[--pending->n_losses];
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
		pending->queue = calloc(PENDING_MAX, sizeof(*pending->queue));
	if (!pending->queue)
		return -ENOMEM;
	if (pending->n == PENDING_MAX || pending->bytes > PENDING_BYTES) {
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

/* Whether the two events are one call of a function that has no traced calls in it. Uses report->text as scratch buffer. */
static bool is_leaf(struct tw_report *report, const struct tw_report_event *entry, const struct tw_report_event *leave)
{
	struct tw_line line = tw_line__on(report->text, TW_REPORT_LINE_MAX);

	return leave->print && tw_print__is_graph_exit(leave->print) && !leave->has_loss &&
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

int tw_report_pending__flush(struct tw_report_pending *pending, bool complete)
{
	int err = 0;

	while (!err && pending->n)
		err = print_first(pending);
	for (size_t i = 0; !err && i < pending->n_losses; i++)
		err = print_loss(pending->report, &pending->losses[i]);
	pending->n_losses = 0;
	return err || !complete ? err : finish(pending->report);
}
