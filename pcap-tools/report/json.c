/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One JSON object a line (RFC 8259). Numbers beyond 2^53, which readers may round, are strings, and so are times in
 * seconds. Strings of the kernel may hold any bytes: base/json.h makes texts of them.
 */
#include "base/json.h"
#include "pcap-tools/report/report_impl.h"

#define EXACT_MAX ((uint64_t)1 << 53)
#define NS_PER_S  1000000000u

static void put_string(struct tw_line *line, const void *text, size_t len)
{
	tw_line__char(line, '"');
	tw_json__text(line, text, len);
	tw_line__char(line, '"');
}

/* ,"key": -- or {"key": at the beginning. */
static void put_key(struct tw_line *line, const char *key)
{
	tw_line__char(line, line->at == line->text ? '{' : ',');
	tw_line__char(line, '"');
	tw_line__str(line, key);
	tw_line__str(line, "\":");
}

static void put_text(struct tw_line *line, const char *key, const char *text)
{
	put_key(line, key);
	put_string(line, text, strlen(text));
}

static void put_number(struct tw_line *line, const struct tw_value *value)
{
	const bool is_signed = value->kind == TW_FIELD_INT || (value->kind == TW_FIELD_ENUM && value->i < 0);
	const bool exact =
		is_signed ? value->i < (int64_t)EXACT_MAX && value->i > -(int64_t)EXACT_MAX : value->u < EXACT_MAX;

	if (!exact)
		tw_line__char(line, '"');
	if (is_signed)
		tw_line__i64(line, value->i);
	else
		tw_line__u64(line, value->u);
	if (!exact)
		tw_line__char(line, '"');
}

static void put_hex(struct tw_line *line, const uint8_t *bytes, size_t len)
{
	tw_line__char(line, '"');
	for (size_t i = 0; i < len; i++) {
		tw_line__char(line, "0123456789abcdef"[bytes[i] >> 4]);
		tw_line__char(line, "0123456789abcdef"[bytes[i] & 0xf]);
	}
	tw_line__char(line, '"');
}

static void put_array(struct tw_line *line, const struct tw_field *field, const struct tw_value *array)
{
	struct tw_value element;

	tw_line__char(line, '[');
	for (uint32_t i = 0; !line->cut && !tw_value__element(field, array, i, &element); i++) {
		if (i)
			tw_line__char(line, ',');
		put_number(line, &element);
	}
	tw_line__char(line, ']');
}

static void put_value(struct tw_line *line, const struct tw_field *field, const struct tw_record *record)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value))
		tw_line__str(line, "null");
	else if (value.kind == TW_FIELD_STRING)
		put_string(line, value.data, value.len);
	else if (value.kind == TW_FIELD_ARRAY)
		put_array(line, field, &value);
	else if (value.kind == TW_FIELD_BITMASK || value.kind == TW_FIELD_BYTES)
		put_hex(line, value.data, value.len);
	else if (value.kind == TW_FIELD_BOOL)
		tw_line__str(line, value.u ? "true" : "false");
	else
		put_number(line, &value);
}

static void put_fields(struct tw_line *line, const struct tw_report_event *event)
{
	const struct tw_format *format = event->known->format;

	put_key(line, "fields");
	tw_line__char(line, '{');
	for (uint16_t i = format->n_common; i < format->n_fields; i++) {
		const struct tw_field *field = &format->fields[i];

		if (i > format->n_common)
			tw_line__char(line, ',');
		put_string(line, field->name, strlen(field->name));
		tw_line__char(line, ':');
		put_value(line, field, &event->record);
	}
	tw_line__char(line, '}');
}

/* Who and when, which losses have too. */
static void put_place(struct tw_report *report, struct tw_line *line, const struct tw_stream *stream, uint16_t cpu,
		      uint64_t time)
{
	const uint64_t ns = tw_report__time(report, stream, time);

	put_key(line, "time");
	tw_line__char(line, '"');
	tw_line__u64(line, ns / NS_PER_S);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % NS_PER_S, 9, '0');
	tw_line__char(line, '"');
	if (*stream->identity.host)
		put_text(line, "host", stream->identity.host);
	if (*stream->identity.instance)
		put_text(line, "instance", stream->identity.instance);
	put_key(line, "cpu");
	tw_line__u64(line, cpu);
}

static void put_task(struct tw_line *line, const struct tw_report_event *event)
{
	size_t len;
	const char *comm = tw_report__comm(event, &len);

	put_key(line, "pid");
	tw_line__i64(line, (int32_t)event->view.pid);
	put_key(line, "comm");
	put_string(line, comm, len);
	put_key(line, "flags");
	tw_line__char(line, '"');
	tw_report__flags(line, &event->view);
	tw_line__char(line, '"');
}

/* An object that does not fit the line is none: what it was of is still said. */
static void close_object(struct tw_line *line, const char *after)
{
	if (line->cut || line->end - line->at < 3) {
		line->at = line->text + (after - line->text);
		line->cut = false;
		tw_line__str(line, ",\"cut\":true");
	}
	tw_line__str(line, "}\n");
}

static void put_event_text(struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	struct tw_line text = tw_line__of(report->text, TW_PRINT_LINE_MAX, TW_LINE_TEXT);

	tw_report__event_text(report, event, &text);
	put_key(line, "text");
	tw_line__char(line, '"');
	tw_json__shown(line, text.text, tw_line__len(&text));
	tw_line__char(line, '"');
	if (text.cut) {
		put_key(line, "text_cut");
		tw_line__str(line, "true");
	}
}

static void put_snapped(struct tw_line *line, const struct tw_report_event *event)
{
	if (!event->record.cut)
		return;
	put_key(line, "cut_by_capture");
	tw_line__str(line, "true");
}

void tw_report__json_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	const char *after;

	put_place(report, line, event->stream, event->cpu, event->view.time);
	put_task(line, event);
	if (!event->known) {
		put_key(line, "event_id");
		tw_line__u64(line, event->view.id);
		after = line->at;
		put_key(line, "bytes");
		put_hex(line, event->record.data + TW_RECORD_COMMON, event->record.len - TW_RECORD_COMMON);
		put_snapped(line, event);
		close_object(line, after);
		return;
	}
	put_text(line, "system", event->known->format->system);
	put_text(line, "event", event->known->format->name);
	after = line->at;
	put_fields(line, event);
	if (!report->options->fields)
		put_event_text(report, line, event);
	put_snapped(line, event);
	close_object(line, after);
}

void tw_report__json_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line)
{
	const char *after;

	put_place(report, line, stream, cpu, lost->time);
	after = line->at;
	put_key(line, "lost");
	if (lost->unknown)
		tw_line__str(line, "null");
	else
		tw_line__u64(line, lost->count);
	if (lost->unknown && lost->count) {
		put_key(line, "lost_at_least");
		tw_line__u64(line, lost->count);
	}
	close_object(line, after);
}
