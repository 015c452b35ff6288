/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One JSON object a line (RFC 8259). Numbers beyond 2^53, which readers may round, are strings, and so are times in
 * seconds. Strings of the kernel may hold any bytes: base/json.h makes texts of them.
 */
#include "base/json.h"
#include "pcap-tools/report/report_impl.h"

#define EXACT_MAX ((uint64_t)1 << 53)
#define NS_PER_S  1000000000u

static void put_number(struct tw_json *json, const char *key, const struct tw_value *value)
{
	const bool is_signed = value->kind == TW_FIELD_INT || (value->kind == TW_FIELD_ENUM && value->i < 0);
	const bool exact =
		is_signed ? value->i < (int64_t)EXACT_MAX && value->i > -(int64_t)EXACT_MAX : value->u < EXACT_MAX;
	struct tw_line *line = tw_json__value(json, key);

	if (!exact)
		tw_line__char(line, '"');
	if (is_signed)
		tw_line__i64(line, value->i);
	else
		tw_line__u64(line, value->u);
	if (!exact)
		tw_line__char(line, '"');
}

static void put_hex(struct tw_json *json, const char *key, const uint8_t *bytes, size_t len)
{
	struct tw_line *line = tw_json__value(json, key);

	tw_line__char(line, '"');
	for (size_t i = 0; i < len; i++)
		tw_line__hex_byte(line, bytes[i]);
	tw_line__char(line, '"');
}

static void put_array(struct tw_json *json, const struct tw_field *field, const struct tw_value *array)
{
	struct tw_value element;

	tw_json__open(json, field->name, '[');
	for (uint32_t i = 0; !json->line->cut && !tw_value__element(field, array, i, &element); i++)
		put_number(json, NULL, &element);
	tw_json__close(json);
}

static void put_field(struct tw_json *json, const struct tw_field *field, const struct tw_record *record)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value))
		tw_json__null(json, field->name);
	else if (value.kind == TW_FIELD_STRING)
		tw_json__text(json, field->name, value.data, value.len);
	else if (value.kind == TW_FIELD_ARRAY)
		put_array(json, field, &value);
	else if (value.kind == TW_FIELD_BITMASK || value.kind == TW_FIELD_BYTES)
		put_hex(json, field->name, value.data, value.len);
	else if (value.kind == TW_FIELD_BOOL)
		tw_json__bool(json, field->name, value.u);
	else
		put_number(json, field->name, &value);
}

static void put_fields(struct tw_json *json, const struct tw_report_event *event)
{
	const struct tw_format *format = event->known->format;

	tw_json__open(json, "fields", '{');
	for (uint16_t i = format->n_common; i < format->n_fields; i++)
		put_field(json, &format->fields[i], &event->record);
	tw_json__close(json);
}

/* Begin the object of an event or a loss: when and where it was. */
static void open_object(struct tw_report *report, struct tw_json *json, struct tw_line *line,
			const struct tw_stream *stream, uint16_t cpu, uint64_t time)
{
	const uint64_t ns = tw_report__time(report, stream, time);

	tw_json__to_line(json, line, false);
	tw_json__open(json, NULL, '{');
	tw_line__char(tw_json__value(json, "time"), '"');
	tw_line__u64(line, ns / NS_PER_S);
	tw_line__char(line, '.');
	tw_line__digits(line, ns % NS_PER_S, 9, '0');
	tw_line__char(line, '"');
	if (*stream->identity.host)
		tw_json__str(json, "host", stream->identity.host);
	if (*stream->identity.instance)
		tw_json__str(json, "instance", stream->identity.instance);
	tw_json__u64(json, "cpu", cpu);
}

static void put_task(struct tw_json *json, const struct tw_report_event *event)
{
	size_t len;
	const char *comm = tw_report__comm(event, &len);

	tw_json__i64(json, "pid", (int32_t)event->view.pid);
	tw_json__text(json, "comm", comm, len);
	tw_line__char(tw_json__value(json, "flags"), '"');
	tw_report__flags(json->line, &event->view);
	tw_line__char(json->line, '"');
}

/* An object that does not fit the line is none: it is cut back to @after, so that it still says what it was of. */
static void close_object(struct tw_json *json, char *after)
{
	struct tw_line *line = json->line;

	if (line->cut || line->end - line->at < 3) {
		line->at = after;
		line->cut = false;
		tw_json__bool(json, "cut", true);
	}
	tw_json__close(json);
}

static void put_event_text(struct tw_report *report, struct tw_json *json, const struct tw_report_event *event)
{
	struct tw_line text = tw_line__of(report->text, TW_PRINT_LINE_MAX, TW_LINE_TEXT);

	tw_report__event_text(report, event, &text);
	tw_json__printable(json, "text", text.text, tw_line__len(&text));
	if (text.cut)
		tw_json__bool(json, "text_cut", true);
}

void tw_report__json_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	struct tw_json json;
	char *after;

	open_object(report, &json, line, event->stream, event->cpu, event->view.time);
	put_task(&json, event);
	if (event->known) {
		tw_json__str(&json, "system", event->known->format->system);
		tw_json__str(&json, "event", event->known->format->name);
		after = line->at;
		put_fields(&json, event);
		if (!report->options->fields)
			put_event_text(report, &json, event);
	} else {
		tw_json__u64(&json, "event_id", event->view.id);
		after = line->at;
		put_hex(&json, "bytes", event->record.data + TW_RECORD_COMMON, event->record.len - TW_RECORD_COMMON);
	}
	if (event->record.cut)
		tw_json__bool(&json, "cut_by_capture", true);
	close_object(&json, after);
}

void tw_report__json_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line)
{
	struct tw_json json;
	char *after;

	open_object(report, &json, line, stream, cpu, lost->time);
	after = line->at;
	if (lost->unknown)
		tw_json__null(&json, "lost");
	else
		tw_json__u64(&json, "lost", lost->count);
	if (lost->unknown && lost->count)
		tw_json__u64(&json, "lost_at_least", lost->count);
	close_object(&json, after);
}
