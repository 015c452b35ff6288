/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/events/kept_event.h"

#include <string.h>

#include "base/printable.h"

void tw_kept_event__keep(struct tw_kept_event *kept, const struct tw_read_event *event)
{
	const struct tw_record *record = &event->record;
	const size_t len = record->len < TW_KEPT_RECORD_MAX ? record->len : TW_KEPT_RECORD_MAX;

	kept->schema_id = event->frame->schema_id;
	kept->id = event->view.id;
	kept->pid = event->view.pid;
	kept->cpu = event->frame->cpu;
	kept->len = (uint16_t)len;
	kept->big_endian = record->big_endian;
	kept->from_wire = record->from_wire;
	kept->cut = record->cut || len < record->len;
	memcpy(kept->record, record->data, len);
}

static char *text_of(struct tw_stream *stream, struct tw_stream_event *known, const struct tw_record *record)
{
	char buf[TW_PRINT_LINE_MAX];
	struct tw_line line = tw_line__of(buf, sizeof(buf), TW_LINE_FLAT);
	const struct tw_print *print = known ? tw_stream__print(stream, known) : NULL;
	size_t len;

	if (known) {
		tw_line__str(&line, known->format->name);
		tw_line__str(&line, ": ");
	}
	if (print)
		tw_print__run(print, record, &stream->print_host, &line);
	tw_printable__escape(&line);
	len = tw_line__len(&line);
	return strndup(buf, len < TW_EVENT_TEXT_MAX ? len : tw_printable__cut(buf, len, TW_EVENT_TEXT_MAX));
}

char *tw_kept_event__text(const struct tw_kept_event *kept, struct tw_stream *stream)
{
	const struct tw_record record = { .data = kept->record,
					  .len = kept->len,
					  .big_endian = kept->big_endian,
					  .from_wire = kept->from_wire,
					  .cut = kept->cut };

	return text_of(stream, tw_stream__event(stream, kept->schema_id, kept->id), &record);
}

char *tw_read_event__text(const struct tw_read_event *event)
{
	return text_of(event->stream, event->known, &event->record);
}
