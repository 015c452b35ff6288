/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/count.h"

#include <errno.h>
#include <stdlib.h>

#include "base/printable.h"
#include "pcap-tools/report/selection.h"

int tw_report_count__event(struct tw_report *report, const struct tw_report_event *event)
{
	struct tw_report_counts *counts = report->options->counts;
	const struct tw_format *format = event->known ? event->known->format : NULL;
	struct tw_count_row key = { .pid = 0 };
	const char *comm;
	size_t len;
	int err;

	tw_event_span__add(&counts->span, event->stream, event->view.time);
	tw_count_row__name_event(&key, format ? format->system : NULL, format ? format->name : NULL, event->view.id);
	err = tw_counts__add(&counts->events, &key);
	if (err)
		return err;
	comm = tw_report__comm(event, &len);
	key.pid = event->view.pid;
	key.stream_id = event->stream->id;
	tw_printable__copy(key.name, sizeof(key.name), comm, len);
	return tw_counts__add(&counts->tasks, &key);
}

int tw_report_count__finish(struct tw_report *report)
{
	struct tw_report_counts *counts = report->options->counts;

	counts->has_range = tw_report_selection__range(report, &counts->range_ns);
	counts->streams = calloc(tw_event_reader__n_streams(report->reader) + 1, sizeof(*counts->streams));
	if (!counts->streams)
		return -ENOMEM;
	for (struct tw_stream *s = tw_streams__first(report->streams); s; s = s->next) {
		struct tw_count_stream *stream = &counts->streams[counts->n_streams];

		if (!tw_event_reader__has_frames(report->reader, s) ||
		    counts->n_streams == tw_event_reader__n_streams(report->reader))
			continue;
		counts->n_streams++;
		stream->id = s->id;
		tw_identity__name(&s->identity, s->id, stream->name, sizeof(stream->name));
	}
	return 0;
}

uint64_t tw_report_counts__ns(const struct tw_report_counts *counts)
{
	return counts->has_range && !counts->span.is_unknown ? counts->range_ns : tw_event_span__ns(&counts->span);
}

void tw_report_counts__fini(struct tw_report_counts *counts)
{
	tw_counts__fini(&counts->events);
	tw_counts__fini(&counts->tasks);
	free(counts->streams);
}
