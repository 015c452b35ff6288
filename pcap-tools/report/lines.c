/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the lines of a report: text in the layout of `trace-cmd report`, or JSON. */
#include "pcap-tools/report/report_impl.h"

#include <time.h>

#include "base/json.h"
#include "base/printable.h"
#include "base/time.h"
#include "pcap-tools/report/columns.h"

/* The beginning of a line, before the event: stream, task, CPU, time. It is made for each event, so slow library calls are avoided. */
#define NS_PER_US    1000u
#define COUNT_WIDTH  12
#define DELTA_WIDTH  8
#define COMM_WIDTH   16
#define COMM_LATENCY 8
#define PID_WIDTH    5
#define NAME_WIDTH   20  /* width of the column of event names; a longer name shifts the text */
#define COMM_SHOWN   512 /* bytes of an escaped task name: enough for a name of 127 bytes; the kernel's names have 16 */

/* Flags in common_flags: the kernel's enum trace_flag_type. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_IRQS_NOSUPPORT = 0x02,
	FLAG_NEED_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
};

const char *tw_report__comm(const struct tw_report_event *event, size_t *ret_len)
{
	const uint32_t pid = event->view.pid;
	const char *name = pid ? tw_stream__task(event->stream, pid, event->view.time, ret_len) : NULL;

	if (name)
		return name;
	name = pid ? "<...>" : "<idle>";
	*ret_len = strlen(name);
	return name;
}

static bool has_time_of_day(const struct tw_report *report, const struct tw_stream *stream)
{
	return report->options->time == TW_REPORT_WALL && stream->has_wall;
}

uint64_t tw_report__time(const struct tw_report *report, const struct tw_stream *stream, uint64_t time)
{
	int64_t since = 0;

	if (has_time_of_day(report, stream))
		return tw_stream__wall(stream, time);
	if (report->options->time != TW_REPORT_RELATIVE)
		return tw_identity__ns(&stream->identity, time);
	tw_stream__since(stream, time, report->origin.stream, report->origin.time, &since);
	return (uint64_t)since;
}

bool tw_report__counts(const struct tw_report *report, const struct tw_stream *stream)
{
	return !has_time_of_day(report, stream) && tw_identity__counts(&stream->identity);
}

void tw_report__flags(struct tw_line *line, const struct tw_event_view *view)
{
	const uint8_t flags = view->common_flags, depth = view->common_preempt_count & 0xf,
		      migrate = view->common_preempt_count >> 4;
	const bool hard = flags & FLAG_HARDIRQ, soft = flags & FLAG_SOFTIRQ;

	tw_line__char(line, flags & FLAG_IRQS_OFF ? 'd' : flags & FLAG_IRQS_NOSUPPORT ? 'X' : '.');
	tw_line__char(line, flags & FLAG_NEED_RESCHED ? 'N' : '.');
	tw_line__char(line, hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.');
	tw_line__char(line, depth ? "0123456789abcdef"[depth] : '.');
	tw_line__char(line, migrate ? "0123456789abcdef"[migrate] : '.');
}

/* Writes a task name, right-aligned. @cut: cut a name that is longer than @width, between two characters unless the line is raw bytes */
static void put_comm(struct tw_line *line, const char *comm, size_t len, size_t width, bool cut)
{
	char shown[COMM_SHOWN];

	if (line->kind != TW_LINE_BYTES && len < sizeof(shown) / TW_PRINTABLE_ESCAPED &&
	    (len > width || tw_printable__plain(comm, len) < len)) {
		tw_printable__copy(shown, cut ? width + 1 : sizeof(shown), comm, len);
		comm = shown;
		len = strlen(shown);
	}
	if (cut && len > width)
		len = width;
	if (len >= width || (size_t)(line->end - line->at) < width) {
		tw_line__bytes(line, comm, len);
		return;
	}
	memset(line->at, ' ', COMM_LATENCY);
	memset(line->at + width - COMM_LATENCY, ' ', COMM_LATENCY);
	line->at += width;
	memcpy(line->at - len, comm, len);
}

static void put_pid(struct tw_line *line, uint32_t pid, size_t width)
{
	const char *begin = line->at;
	size_t len;

	tw_line__i64(line, (int32_t)pid);
	for (len = (size_t)(line->at - begin); len < width; len++)
		tw_line__char(line, ' ');
}

static void put_task(const struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	const bool latency = report->options->latency, compact = report->options->compact;
	size_t len;
	const char *comm = tw_report__comm(event, &len);

	put_comm(line, comm, len, latency ? COMM_LATENCY : compact ? 0 : COMM_WIDTH, latency);
	tw_line__char(line, '-');
	put_pid(line, event->view.pid, compact ? 0 : PID_WIDTH);
	if (latency) {
		tw_line__char(line, ' ');
		tw_line__digits(line, event->cpu, 3, ' ');
		tw_report__flags(line, &event->view);
	} else {
		tw_line__bytes(line, " [", 2);
		tw_line__digits(line, event->cpu, 3, '0');
		tw_line__char(line, ']');
	}
}

static void put_wall(struct tw_line *line, uint64_t seconds)
{
	const time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (localtime_r(&t, &tm) && strftime(text, sizeof(text), "%F %T", &tm))
		tw_line__str(line, text);
	else
		tw_line__u64(line, seconds);
}

/* Writes the seconds. Their text is cached, because most events are in the same second as the event before. */
static void put_seconds(struct tw_report *report, struct tw_line *line, uint64_t seconds, bool of_day)
{
	struct tw_report_second *known = &report->second;
	struct tw_line text = tw_line__on(known->text, sizeof(known->text));

	if (!known->len || known->second != seconds || known->of_day != of_day) {
		if (of_day)
			put_wall(&text, seconds);
		else
			tw_line__digits(&text, seconds, 5, ' ');
		tw_line__char(&text, '.');
		known->second = seconds;
		known->of_day = of_day;
		known->len = tw_line__len(&text);
	}
	tw_line__bytes(line, known->text, known->len);
}

static uint64_t microseconds(uint64_t ns)
{
	return (ns + NS_PER_US / 2) / NS_PER_US;
}

static void put_nanoseconds(struct tw_report *report, struct tw_line *line, uint64_t ns, bool of_day)
{
	const bool full = report->options->full_time;
	const uint64_t units = full ? ns : microseconds(ns);
	const uint64_t per_second = full ? TW_NS_PER_SECOND : TW_NS_PER_SECOND / NS_PER_US;

	put_seconds(report, line, units / per_second, of_day);
	tw_line__digits(line, units % per_second, full ? 9 : 6, '0');
	tw_line__char(line, ':');
}

/* Writes "(+N)", the time since the previous event, in the printed unit; nothing if the previous time was 0, as trace-cmd does. */
static void put_delta(struct tw_report *report, struct tw_line *line, uint64_t ns)
{
	const uint64_t time = report->options->full_time ? ns : microseconds(ns);
	const char *begin;
	size_t len;

	tw_line__char(line, ' ');
	begin = line->at;
	if (report->last_time) {
		tw_line__bytes(line, "(+", 2);
		tw_line__i64(line, (int64_t)(time - report->last_time));
		tw_line__char(line, ')');
	}
	report->last_time = time;
	len = (size_t)(line->at - begin);
	if (len < DELTA_WIDTH)
		tw_line__fill(line, ' ', DELTA_WIDTH - len);
}

static void put_time(struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	const uint64_t time = tw_report__time(report, event->stream, event->view.time);
	const bool of_day = has_time_of_day(report, event->stream);

	if (tw_report__counts(report, event->stream)) {
		tw_line__digits(line, time, COUNT_WIDTH, ' '); /* the same width as in trace-cmd */
		tw_line__char(line, ':');
	} else {
		tw_line__char(line, ' ');
		put_nanoseconds(report, line, time, of_day);
	}
	if (report->options->delta)
		put_delta(report, line, time);
}

/* Length of a stream's name: the instance, preceded by the host if there are several hosts. */
static size_t name_length(const struct tw_report *report, const struct tw_identity *id)
{
	const size_t host = report->several_hosts ? strlen(id->host) : 0, instance = strlen(id->instance);

	return host + instance + (host && instance);
}

static void put_stream(const struct tw_report *report, struct tw_line *line, const struct tw_stream *stream)
{
	const struct tw_identity *id = &stream->identity;
	size_t len;

	if (report->n_named < 2)
		return;
	len = name_length(report, id);
	if (len < report->width)
		tw_line__fill(line, ' ', report->width - len);
	if (report->several_hosts)
		tw_line__str(line, id->host);
	if (report->several_hosts && *id->host && *id->instance)
		tw_line__char(line, ':');
	tw_line__str(line, id->instance);
	tw_line__str(line, len ? ": " : "  ");
}

/* The first stream, from @stream on, of which a frame was read; NULL if there is none. */
static const struct tw_stream *that_came_out(const struct tw_report *report, const struct tw_stream *stream)
{
	while (stream && !tw_event_reader__has_frames(report->reader, stream))
		stream = stream->next;
	return stream;
}

void tw_report__head(struct tw_report *report, struct tw_line *line)
{
	const struct tw_stream *first = that_came_out(report, tw_streams__first(report->streams)), *s;
	uint64_t cpus = 0;

	report->several_hosts = false;
	report->width = 0;
	for (s = first; s; s = that_came_out(report, s->next))
		report->several_hosts |= strcmp(s->identity.host, first->identity.host) != 0;
	for (s = first; s; s = that_came_out(report, s->next)) {
		const size_t len = name_length(report, &s->identity);

		if (len > report->width)
			report->width = len;
		if (s->identity.cpus > cpus)
			cpus = s->identity.cpus;
	}
	if (report->columns) {
		tw_report_columns__head(report, line);
	} else if (!report->n_named && !report->options->json && cpus) {
		tw_line__str(line, "cpus=");
		tw_line__u64(line, cpus);
		tw_line__char(line, '\n');
	}
	report->n_named = tw_event_reader__n_streams(report->reader);
}

/* Text lines in the layout of `trace-cmd report`. */

/* ECMA-48 control sequences (SGR) */
#define BOLD  "\033[1m"
#define RED   "\033[31m"
#define PLAIN "\033[m"

#define CUT     "... [cut]"
#define SNAPPED " [cut by the capture]"

void tw_report__bytes(struct tw_line *line, const struct tw_record *record)
{
	for (uint32_t i = TW_RECORD_COMMON; i < record->len && !line->cut; i++) {
		tw_line__char(line, ' ');
		tw_line__hex_byte(line, record->data[i]);
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

/* Writes a name, escaped, and in colour if the options want colour. Return: length of the name without control sequences, bytes */
static size_t put_marked(const struct tw_report *report, struct tw_line *line, const char *name)
{
	const char *begin;
	size_t len;

	tw_printable__layout(line, report->options->colour ? BOLD : "");
	begin = line->at;
	tw_line__str(line, name);
	tw_printable__escape(line);
	len = (size_t)(line->at - begin);
	tw_printable__layout(line, report->options->colour ? PLAIN : "");
	return len;
}

/* Return: the event's name and the padding after it, cached because few event types are frequent; NULL if the name does not fit a label */
static const struct tw_report_label *label_of(struct tw_report *report, const struct tw_stream_event *known)
{
	struct tw_report_label *label = &report->labels[((uintptr_t)known >> 4) % TW_REPORT_LABELS];
	struct tw_line line =
		tw_line__of(label->text, sizeof(label->text), report->options->raw ? TW_LINE_BYTES : TW_LINE_TEXT);
	size_t len;

	if (label->known == known)
		return label;
	label->known = NULL; /* label->text is overwritten below, even if the name does not fit */
	len = put_marked(report, &line, known->format->name);
	tw_line__bytes(&line, ": ", 2);
	if (len < NAME_WIDTH && !report->options->compact)
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
		put_marked(report, line, known->format->name);
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
	tw_report__bytes(line, &event->record);
}

static void end_line(struct tw_line *line)
{
	if (line->cut || line->at == line->end) {
		tw_printable__shorten(line, (size_t)(line->end - line->text) - sizeof(CUT));
		tw_line__bytes(line, CUT, sizeof(CUT) - 1);
	}
	if (line->at[-1] != '\n') /* stacks and trace_marker texts end with a newline of their own */
		tw_line__char(line, '\n');
}

static void text_event(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	put_stream(report, line, event->stream);
	put_task(report, line, event);
	put_time(report, line, event);
	tw_line__char(line, ' ');
	line->unchecked =
		line->at; /* the bytes so far need no escapes: names were made printable, the rest are numbers and constants */
	put_event(report, line, event);
	if (event->record.cut)
		tw_line__bytes(line, SNAPPED, sizeof(SNAPPED) - 1);
	if (line->unchecked < line->at) /* skipped if the print program has escaped the whole text of the event */
		tw_printable__escape(line);
	end_line(line);
}

static void text_loss(struct tw_report *report, const struct tw_report_loss *loss, struct tw_line *line)
{
	const struct tw_lost_view *lost = &loss->lost;

	put_stream(report, line, loss->stream);
	tw_line__str(line, report->options->colour ? RED "CPU:" : "CPU:");
	tw_line__u64(line, loss->cpu);
	tw_line__str(line, " [");
	if (lost->unknown && lost->count)
		tw_line__str(line, "AT LEAST "); /* unlike trace-cmd, which does not have this information */
	if (!lost->unknown || lost->count) {
		tw_line__u64(line, lost->count);
		tw_line__char(line, ' ');
	}
	tw_line__str(line, report->options->colour ? "EVENTS DROPPED]" PLAIN "\n" : "EVENTS DROPPED]\n");
}

/*
 * JSON: one object per line (RFC 8259). Field values of 2^53 and more (or -2^53 and less) are strings, because readers may round such
 * numbers. Times in seconds are also strings. time_ns is a number with all digits, for readers that do not round. Strings of the kernel may
 * contain any bytes; base/json.h makes valid text of them.
 */
#define EXACT_MAX ((uint64_t)1 << 53)

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

static void put_address(struct tw_json *json, const char *key, const struct tw_value *value)
{
	struct tw_line *line = tw_json__value(json, key);

	tw_line__char(line, '"');
	tw_address__put(line, value->data, value->len);
	tw_line__char(line, '"');
}

static void put_field(struct tw_json *json, const struct tw_field *field, const struct tw_record *record)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value))
		tw_json__null(json, field->name);
	else if (value.kind == TW_FIELD_STRING)
		tw_json__text(json, field->name, value.data, value.len);
	else if (tw_field__address(field) != TW_ADDRESS_NONE)
		put_address(json, field->name, &value);
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

static void open_object(const struct tw_report *report, struct tw_json *json, struct tw_line *line,
			const struct tw_stream *stream, uint16_t cpu, uint64_t time)
{
	const uint64_t ns = tw_report__time(report, stream, time);

	tw_json__to_line(json, line, false);
	tw_json__open(json, NULL, '{');
	tw_json__seconds(json, "time", ns);
	tw_json__u64(json, "time_ns", ns);
	if (*stream->identity.host)
		tw_json__str(json, "host", stream->identity.host);
	if (*stream->identity.instance)
		tw_json__str(json, "instance", stream->identity.instance);
	tw_json__u64(json, "cpu", cpu);
}

static void put_task_fields(struct tw_json *json, const struct tw_report_event *event)
{
	size_t len;
	const char *comm = tw_report__comm(event, &len);

	tw_json__i64(json, "pid", (int32_t)event->view.pid);
	tw_json__text(json, "comm", comm, len);
	tw_line__char(tw_json__value(json, "flags"), '"');
	tw_report__flags(json->line, &event->view);
	tw_line__char(json->line, '"');
}

/* Ends the object. If it does not fit the line, it is cut at @after, so that it is valid JSON and still identifies its event. */
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

static void json_event(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	struct tw_json json;
	char *after;

	open_object(report, &json, line, event->stream, event->cpu, event->view.time);
	put_task_fields(&json, event);
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

static void json_loss(struct tw_report *report, const struct tw_report_loss *loss, struct tw_line *line)
{
	const struct tw_lost_view *lost = &loss->lost;
	struct tw_json json;
	char *after;

	open_object(report, &json, line, loss->stream, loss->cpu, lost->time);
	after = line->at;
	if (lost->unknown)
		tw_json__null(&json, "lost");
	else
		tw_json__u64(&json, "lost", lost->count);
	if (lost->unknown && lost->count)
		tw_json__u64(&json, "lost_at_least", lost->count);
	close_object(&json, after);
}

void tw_report__event(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	report->stats->without_wall += report->options->time == TW_REPORT_WALL && !event->stream->has_wall;
	if (report->columns)
		tw_report_columns__event(report, event, line);
	else if (report->options->json)
		json_event(report, event, line);
	else
		text_event(report, event, line);
}

void tw_report__loss(struct tw_report *report, const struct tw_report_loss *loss, struct tw_line *line)
{
	if (report->options->json)
		json_loss(report, loss, line);
	else if (!report->columns)
		text_loss(report, loss, line);
}
