/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of `trace-cmd report`, byte for byte. */
#include "base/printable.h"
#include "pcap-tools/report/report_impl.h"

#define NAME_WIDTH 20 /* of the event's name; longer ones push the text */
#define CUT        "... [cut]"
#define SNAPPED    " [cut by the capture]"

static void put_bytes(struct tw_line *line, const struct tw_record *record)
{
	for (uint32_t i = TW_RECORD_COMMON; i < record->len && !line->cut; i++) {
		tw_line__char(line, ' ');
		tw_line__char(line, "0123456789abcdef"[record->data[i] >> 4]);
		tw_line__char(line, "0123456789abcdef"[record->data[i] & 0xf]);
	}
}

void tw_report__event_text(const struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	const struct tw_print_host *host = &event->stream->print_host;

	if (report->options->fields || !event->print)
		tw_print__fields(event->known->format, &event->record, line);
	else if (event->leave)
		tw_print__graph_leaf(event->print, &event->record, event->leave->print, &event->leave->record, host,
				     line);
	else
		tw_print__run(event->print, &event->record, host, line);
}

/* The event's name with what stands behind it, kept: few events come often. */
static const struct tw_report_label *label_of(struct tw_report *report, const struct tw_stream_event *known)
{
	struct tw_report_label *label = &report->labels[((uintptr_t)known >> 4) % TW_REPORT_LABELS];
	struct tw_line line =
		tw_line__of(label->text, sizeof(label->text), report->options->raw ? TW_LINE_BYTES : TW_LINE_TEXT);
	size_t len;

	if (label->known == known)
		return label;
	label->known = NULL; /* its place is written to, even if the name turns out not to fit */
	tw_line__str(&line, known->format->name);
	tw_printable__escape(&line);
	len = tw_line__len(&line);
	tw_line__bytes(&line, ": ", 2);
	if (len < NAME_WIDTH)
		tw_line__fill(&line, ' ', NAME_WIDTH - len);
	if (line.cut)
		return NULL;
	label->known = known;
	label->len = tw_line__len(&line);
	return label;
}

static void put_name(struct tw_report *report, struct tw_line *line, const struct tw_stream_event *known)
{
	const struct tw_report_label *label = label_of(report, known);

	if (!label) {
		tw_line__str(line, known->format->name);
		tw_line__bytes(line, ": ", 2);
	} else if (line->end - line->at >= (ptrdiff_t)sizeof(label->text)) {
		memcpy(line->at, label->text, sizeof(label->text));
		line->at += label->len;
		line->unchecked = line->at;
	} else {
		tw_line__bytes(line, label->text, label->len);
	}
}

static void put_event(struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	if (event->known) {
		put_name(report, line, event->known);
		tw_report__event_text(report, event, line);
		return;
	}
	tw_line__str(line, "[unknown event ");
	tw_line__u64(line, event->view.id);
	tw_line__str(line, "]:");
	put_bytes(line, &event->record);
}

static void end_line(struct tw_line *line)
{
	if (line->cut || line->at == line->end) {
		tw_printable__shorten(line, (size_t)(line->end - line->text) - sizeof(CUT));
		tw_line__bytes(line, CUT, sizeof(CUT) - 1);
	}
	if (line->at[-1] != '\n') /* stacks, and what was written to trace_marker, end their line themselves */
		tw_line__char(line, '\n');
}

void tw_report__text_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	tw_report__put_stream(report, line, event->stream);
	tw_report__put_task(report, line, event);
	tw_report__put_time(report, line, event);
	tw_line__char(line, ' ');
	line->unchecked = line->at; /* names of streams and tasks were made printable, and the rest is ours */
	put_event(report, line, event);
	if (event->record.cut)
		tw_line__bytes(line, SNAPPED, sizeof(SNAPPED) - 1);
	if (line->unchecked < line->at) /* the text of an event has seen to all before it; there may be none */
		tw_printable__escape(line);
	end_line(line);
}

void tw_report__text_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line)
{
	tw_report__put_stream(report, line, stream);
	tw_line__str(line, "CPU:");
	tw_line__u64(line, cpu);
	tw_line__str(line, " [");
	if (lost->unknown && lost->count)
		tw_line__str(line, "AT LEAST "); /* no word of trace-cmd's, which does not know that much */
	if (!lost->unknown || lost->count) {
		tw_line__u64(line, lost->count);
		tw_line__char(line, ' ');
	}
	tw_line__str(line, "EVENTS DROPPED]\n");
}
