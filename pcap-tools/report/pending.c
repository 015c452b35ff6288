/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/pending.h"

#include <errno.h>
#include <stdlib.h>

#define LOSSES_MAX 1024 /* CPUs with a loss that no event came after yet */

struct held {
	struct tw_report_event event, leave; /* with copies of their records */
	bool waits;                          /* for the next event of its CPU */
};

struct loss {
	struct tw_stream *stream;
	uint16_t cpu;
	struct tw_lost_view lost;
};

struct tw_report_hold {
	struct tw_report *report;
	struct held *queue; /* TW_REPORT_HELD_MAX, a ring */
	size_t first, n, bytes;
	struct loss losses[LOSSES_MAX];
	size_t n_losses;
};

struct tw_report_hold *tw_report_hold__new(struct tw_report *report)
{
	struct tw_report_hold *hold = calloc(1, sizeof(*hold));

	if (hold)
		hold->report = report;
	return hold;
}

static struct held *at(struct tw_report_hold *hold, size_t i)
{
	return &hold->queue[(hold->first + i) % TW_REPORT_HELD_MAX];
}

static void drop(struct tw_report_hold *hold, struct tw_report_event *event)
{
	if (!event->record.data)
		return;
	hold->bytes -= event->record.len;
	free((void *)event->record.data);
	event->record.data = NULL;
}

static void pop(struct tw_report_hold *hold)
{
	struct held *held = at(hold, 0);

	drop(hold, &held->event);
	drop(hold, &held->leave);
	hold->first = (hold->first + 1) % TW_REPORT_HELD_MAX;
	hold->n--;
}

void tw_report_hold__free(struct tw_report_hold *hold)
{
	if (!hold)
		return;
	while (hold->n)
		pop(hold);
	free(hold->queue);
	free(hold);
}

/* JSON is made of texts that are printable already. */
static struct tw_line line_of(struct tw_report *report)
{
	struct tw_line line = tw_report_output__line(&report->out);

	line.kind = report->options->raw || report->options->json ? TW_LINE_BYTES : TW_LINE_TEXT;
	return line;
}

static void begin(struct tw_report *report)
{
	struct tw_line line = line_of(report);

	report->n_streams_then = report->n_streams;
	tw_report__head(report, &line);
	report->began = true;
	tw_report_output__put(&report->out, &line);
}

static int print_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
		      const struct tw_lost_view *lost)
{
	struct tw_line line = line_of(report);

	if (report->options->json)
		tw_report__json_lost(report, stream, cpu, lost, &line);
	else
		tw_report__text_lost(report, stream, cpu, lost, &line);
	return tw_report_output__put(&report->out, &line);
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
	return tw_report_output__put(&report->out, &line);
}

/* What came while the event waited may have changed what its format means, and so its program. */
static void refresh(struct held *held)
{
	struct tw_report_event *const events[] = { &held->event, &held->leave };

	for (size_t i = 0; i < 2; i++) {
		if (events[i]->print)
			events[i]->print = tw_stream__print(events[i]->stream, events[i]->known);
	}
	if (held->event.leave && (!held->event.print || !held->leave.print))
		held->event.leave = NULL;
}

static int print_first(struct tw_report_hold *hold)
{
	struct held *held = at(hold, 0);
	int error;

	refresh(held);
	error = print(hold->report, &held->event);

	pop(hold);
	return error;
}

/* Losses of a CPU add up until its next event. */
int tw_report_hold__lost(struct tw_report_hold *hold, struct tw_stream *stream, uint16_t cpu,
			 const struct tw_lost_view *lost)
{
	for (size_t i = 0; i < hold->n_losses; i++) {
		struct loss *loss = &hold->losses[i];

		if (loss->stream != stream || loss->cpu != cpu)
			continue;
		loss->lost.count += lost->count;
		loss->lost.unknown |= lost->unknown;
		return 0;
	}
	if (hold->n_losses == LOSSES_MAX)
		return print_lost(hold->report, stream, cpu, lost);
	hold->losses[hold->n_losses++] = (struct loss){ .stream = stream, .cpu = cpu, .lost = *lost };
	return 0;
}

static void take_loss(struct tw_report_hold *hold, struct tw_report_event *event)
{
	for (size_t i = 0; i < hold->n_losses; i++) {
		const struct loss *loss = &hold->losses[i];

		if (loss->stream != event->stream || loss->cpu != event->cpu)
			continue;
		event->has_lost = true;
		event->lost = loss->lost;
		hold->losses[i] = hold->losses[--hold->n_losses];
		return;
	}
}

static int copy(struct tw_report_hold *hold, struct tw_report_event *to, const struct tw_report_event *event)
{
	uint8_t *bytes = malloc(event->record.len);

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, event->record.data, event->record.len);
	*to = *event;
	to->record.data = bytes;
	to->view.record = bytes;
	hold->bytes += event->record.len;
	return 0;
}

static int append(struct tw_report_hold *hold, const struct tw_report_event *event, bool waits)
{
	struct held *held;
	int error;

	if (!hold->queue)
		hold->queue = calloc(TW_REPORT_HELD_MAX, sizeof(*hold->queue));
	if (!hold->queue)
		return -ENOMEM;
	if (hold->n == TW_REPORT_HELD_MAX || hold->bytes > TW_REPORT_HELD_BYTES) {
		error = print_first(hold);
		if (error)
			return error;
	}
	held = at(hold, hold->n);
	*held = (struct held){ .waits = waits };
	error = copy(hold, &held->event, event);
	hold->n += !error;
	return error;
}

static struct held *waiting(struct tw_report_hold *hold, const struct tw_report_event *event)
{
	for (size_t i = 0; i < hold->n; i++) {
		struct held *held = at(hold, i);

		if (held->waits && held->event.stream == event->stream && held->event.cpu == event->cpu)
			return held;
	}
	return NULL;
}

/* Whether the two are one call of a function that calls no other; tried where JSON has its text. */
static bool is_leaf(struct tw_report *report, const struct tw_report_event *entry, const struct tw_report_event *leave)
{
	struct tw_line line = tw_line__on(report->text, TW_REPORT_LINE_MAX);

	return leave->print && tw_print__is_graph_exit(leave->print) && !leave->has_lost &&
	       tw_print__graph_leaf(entry->print, &entry->record, leave->print, &leave->record,
				    &entry->stream->print_host, &line);
}

int tw_report_hold__event(struct tw_report_hold *hold, struct tw_report_event *event)
{
	const bool is_entry = event->print && tw_print__is_graph_entry(event->print);
	struct held *entry;
	int error = 0;

	if (hold->n_losses)
		take_loss(hold, event);
	if (!hold->n && !is_entry)
		return print(hold->report, event);
	entry = waiting(hold, event);
	if (entry) {
		entry->waits = false;
		refresh(entry);
	}
	if (entry && entry->event.print && is_leaf(hold->report, &entry->event, event)) {
		error = copy(hold, &entry->leave, event);
		entry->event.leave = &entry->leave;
	} else {
		error = append(hold, event, is_entry);
	}
	while (!error && hold->n && !at(hold, 0)->waits)
		error = print_first(hold);
	return error;
}

int tw_report_hold__flush(struct tw_report_hold *hold)
{
	int error = 0;

	while (!error && hold->n)
		error = print_first(hold);
	for (size_t i = 0; !error && i < hold->n_losses; i++)
		error = print_lost(hold->report, hold->losses[i].stream, hold->losses[i].cpu, &hold->losses[i].lost);
	hold->n_losses = 0;
	return error;
}
