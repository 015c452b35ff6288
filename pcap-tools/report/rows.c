/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the lines of a table: values of columns with separators and quotes. */
#include "base/printable.h"
#include "pcap-tools/report/columns.h"

#define CUT "... [cut]"
#define RESERVE \
	(2 * TW_REPORT_COLUMNS_MAX * 2) /* bytes of a line kept free for separators, quotes and the line break */

/*
 * Writes the time in the form of the column's kind. TW_COLUMN_TIME_EPOCH is empty if the stream has no wall clock, or if its trace clock
 * does not count ns.
 */
static void put_time(const struct tw_report *report, struct tw_line *line, enum tw_report_column_kind kind,
		     const struct tw_report_event *event)
{
	const struct tw_stream *stream = event->stream;

	if (kind == TW_COLUMN_TIME_EPOCH) {
		if (stream->has_wall && !tw_identity__counts(&stream->identity))
			tw_line__seconds(line, tw_stream__wall(stream, event->view.time));
		return;
	}
	if (kind == TW_COLUMN_TIME_NS || tw_report__counts(report, stream))
		tw_line__u64(line, tw_report__time(report, stream, event->view.time));
	else
		tw_line__seconds(line, tw_report__time(report, stream, event->view.time));
}

/* Writes the packet time, its error bound, or an end of the interval that contains the event's time; nothing if it is unknown. */
static void put_packet_time(struct tw_line *line, enum tw_report_column_kind kind, const struct tw_report_event *event)
{
	const uint64_t time = event->packet_time, error = event->error_ns;

	if (kind == TW_COLUMN_PACKET_TIME ? !time : error == TW_ERROR_UNKNOWN)
		return;
	if (kind == TW_COLUMN_PACKET_TIME)
		tw_line__seconds(line, time);
	else if (kind == TW_COLUMN_TIME_ERROR)
		tw_line__seconds(line, error);
	else if (kind == TW_COLUMN_TIME_EARLIEST)
		tw_line__seconds(line, time > error ? time - error : 0);
	else
		tw_line__seconds(line, error < UINT64_MAX - time ? time + error : UINT64_MAX);
}

static void put_scalar(struct tw_line *line, const struct tw_value *value)
{
	if (value->kind == TW_FIELD_POINTER)
		tw_line__0x(line, value->u);
	else if (value->kind == TW_FIELD_INT || (value->kind == TW_FIELD_ENUM && value->i < 0))
		tw_line__i64(line, value->i);
	else
		tw_line__u64(line, value->u);
}

static void put_array(struct tw_line *line, const struct tw_field *field, const struct tw_value *array)
{
	struct tw_value element;

	for (uint32_t i = 0; !line->cut && !tw_value__element(field, array, i, &element); i++) {
		if (i)
			tw_line__char(line, ',');
		put_scalar(line, &element);
	}
}

static void put_field(struct tw_line *line, const struct tw_report_column *column, const struct tw_report_event *event)
{
	const struct tw_format *format = event->known ? event->known->format : NULL;
	const struct tw_field *field = format ? tw_report_columns__find(column, format) : NULL;
	struct tw_value value;

	if (!field || tw_field__read(field, &event->record, &value))
		return;
	if (value.kind == TW_FIELD_STRING)
		tw_line__bytes(line, value.data, value.len);
	else if (tw_field__address(field) != TW_ADDRESS_NONE)
		tw_address__put(line, value.data, value.len);
	else if (value.kind == TW_FIELD_ARRAY)
		put_array(line, field, &value);
	else if (value.kind == TW_FIELD_BITMASK)
		tw_value__list_bits(&value, format->long_size, line);
	else if (value.kind == TW_FIELD_BYTES)
		for (uint32_t i = 0; i < value.len && !line->cut; i++)
			tw_line__hex_byte(line, value.data[i]);
	else
		put_scalar(line, &value);
}

static void put_comm(struct tw_line *line, const struct tw_report_event *event)
{
	size_t len;
	const char *comm = tw_report__comm(event, &len);

	tw_line__bytes(line, comm, len);
}

/* Writes the text of an event as in the line format; if the format of the event is unknown, writes its bytes. */
static void put_text(const struct tw_report *report, struct tw_line *line, const struct tw_report_event *event)
{
	if (event->known)
		tw_report__event_text(report, event, line);
	else
		tw_report__bytes(line, &event->record);
}

/* Number of blanks that separate the value from what precedes it in a line of text: lists of fields and of bytes begin with one. */
static size_t blanks_before(const struct tw_report *report, const struct tw_report_column *column,
			    const struct tw_report_event *event, const struct tw_line *value)
{
	const bool is_list =
		column->kind == TW_COLUMN_TEXT &&
		(!event->known || !event->print || report->options->fields || tw_print__refusal(event->print));

	return is_list && tw_line__len(value) && *value->text == ' ';
}

static void put_value(const struct tw_report *report, const struct tw_report_column *column,
		      const struct tw_report_event *event, struct tw_line *line)
{
	const struct tw_identity *id = &event->stream->identity;
	const struct tw_format *format = event->known ? event->known->format : NULL;

	switch (column->kind) {
	case TW_COLUMN_TIME:
	case TW_COLUMN_TIME_NS:
	case TW_COLUMN_TIME_EPOCH:
		put_time(report, line, column->kind, event);
		break;
	case TW_COLUMN_PACKET_TIME:
	case TW_COLUMN_TIME_ERROR:
	case TW_COLUMN_TIME_EARLIEST:
	case TW_COLUMN_TIME_LATEST:
		put_packet_time(line, column->kind, event);
		break;
	case TW_COLUMN_HOST:
		tw_line__str(line, id->host);
		break;
	case TW_COLUMN_INSTANCE:
		tw_line__str(line, id->instance);
		break;
	case TW_COLUMN_CPU:
		tw_line__u64(line, event->cpu);
		break;
	case TW_COLUMN_PID:
		tw_line__i64(line, (int32_t)event->view.pid);
		break;
	case TW_COLUMN_COMM:
		put_comm(line, event);
		break;
	case TW_COLUMN_FLAGS:
		tw_report__flags(line, &event->view);
		break;
	case TW_COLUMN_SYSTEM:
		tw_line__str(line, format ? format->system : "");
		break;
	case TW_COLUMN_EVENT:
		tw_line__str(line, format ? format->name : "");
		break;
	case TW_COLUMN_TEXT:
		put_text(report, line, event);
		break;
	case TW_COLUMN_FIELD:
		put_field(line, column, event);
		break;
	}
}

/* Return: the quote for a value, 0 = none. An empty value has no quotes, as in tshark. */
static char quote_of(const struct tw_report_table *table, const char *text, size_t len)
{
	if (table->quote == TW_REPORT_QUOTE_DOUBLE)
		return len ? '"' : '\0';
	if (table->quote == TW_REPORT_QUOTE_SINGLE)
		return len ? '\'' : '\0';
	if (table->quote == TW_REPORT_QUOTE_NONE)
		return '\0';
	for (size_t i = 0; i < len; i++) {
		if (text[i] == table->separator || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
			return '"';
	}
	return '\0';
}

/*
 * Writes a value, which is already printable, with its quotes; quotes in the value are doubled. A value that does not fit the line is cut,
 * so that the line keeps all its columns.
 */
static void put_cell(struct tw_line *line, char quote, const char *text, size_t len)
{
	const size_t left = (size_t)(line->end - line->at), room = left > RESERVE ? (left - RESERVE) / 2 : 0;
	const size_t fitting = tw_printable__cut(text, len, room);

	if (quote)
		tw_line__char(line, quote);
	for (size_t i = 0; i < fitting; i++) {
		if (quote && text[i] == quote)
			tw_line__char(line, quote);
		tw_line__char(line, text[i]);
	}
	if (fitting < len && room)
		tw_line__str(line, CUT);
	if (quote)
		tw_line__char(line, quote);
}

/*
 * Writes the name of a column. With TW_REPORT_QUOTE_NEEDED, it is quoted if it contains a separator or a quote. With the other kinds of
 * quotes, it is never quoted, as in tshark.
 */
static void put_head_cell(const struct tw_report_table *table, struct tw_line *line, const char *name)
{
	const size_t len = strlen(name);

	put_cell(line, table->quote == TW_REPORT_QUOTE_NEEDED ? quote_of(table, name, len) : '\0', name, len);
}

void tw_report_columns__head(struct tw_report *report, struct tw_line *line)
{
	struct tw_report_columns *columns = report->columns;
	const struct tw_report_table *table = columns->table;

	if (columns->has_head)
		return;
	columns->has_head = true;
	if (!table->header)
		return;
	for (size_t i = 0; i < table->n_columns; i++) {
		if (i)
			tw_line__char(line, table->separator);
		put_head_cell(table, line, table->columns[i]);
	}
	tw_line__char(line, '\n');
}

void tw_report_columns__event(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line)
{
	const struct tw_report_columns *columns = report->columns;
	const struct tw_report_table *table = columns->table;

	for (size_t i = 0; i < table->n_columns; i++) {
		struct tw_line value = tw_line__of(report->text, TW_PRINT_LINE_MAX, TW_LINE_FLAT);
		const char *text;
		size_t len;

		put_value(report, &columns->columns[i], event, &value);
		tw_printable__end(&value);
		text = value.text + blanks_before(report, &columns->columns[i], event, &value);
		len = (size_t)(value.text + tw_line__len(&value) - text);
		if (i)
			tw_line__char(line, table->separator);
		put_cell(line, quote_of(table, text, len), text, len);
	}
	tw_line__char(line, '\n');
}
