/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/event_pattern.h"
#include "base/nearest.h"
#include "pcap-tools/report/names.h"

static const struct {
	const char *name;
	enum tw_report_column_kind kind;
} built_in[] = {
	{ "time", TW_COLUMN_TIME },
	{ "time_ns", TW_COLUMN_TIME_NS },
	{ "time_epoch", TW_COLUMN_TIME_EPOCH },
	{ "packet_time", TW_COLUMN_PACKET_TIME },
	{ "time_error", TW_COLUMN_TIME_ERROR },
	{ "time_earliest", TW_COLUMN_TIME_EARLIEST },
	{ "time_latest", TW_COLUMN_TIME_LATEST },
	{ "host", TW_COLUMN_HOST },
	{ "instance", TW_COLUMN_INSTANCE },
	{ "cpu", TW_COLUMN_CPU },
	{ "pid", TW_COLUMN_PID },
	{ "comm", TW_COLUMN_COMM },
	{ "flags", TW_COLUMN_FLAGS },
	{ "system", TW_COLUMN_SYSTEM },
	{ "event", TW_COLUMN_EVENT },
	{ "text", TW_COLUMN_TEXT },
	{ "info", TW_COLUMN_TEXT },
};

#define N_BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))

/* Whether @part is @name; '_' in @part also matches any character that a filter name of Wireshark cannot have. */
static bool name__is(const struct tw_report_name *part, const char *name)
{
	if (!part->text)
		return true;
	for (size_t i = 0; i < part->len; i++) {
		const bool same = part->text[i] == name[i] ||
				  (part->text[i] == '_' && name[i] && !tw_field_name__may_have(name[i]));

		if (!same)
			return false;
	}
	return !name[part->len];
}

/* Splits off the last part of a name, of @len bytes. Return: length of the text before it, without the dot; 0 if there is no dot */
static size_t last_part(const char *name, size_t len, struct tw_report_name *ret)
{
	size_t begin = len;

	while (begin && name[begin - 1] != '.')
		begin--;
	*ret = (struct tw_report_name){ name + begin, len - begin };
	return begin ? begin - 1 : 0;
}

/* Splits FIELD, EVENT.FIELD, SYSTEM.EVENT.FIELD, and the names of Wireshark, which begin with "trace." */
static void parse_column(const char *name, struct tw_report_column *ret)
{
	static const char prefix[] = "trace.", any[] = "any.";
	const char *begin = strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
	size_t len;

	*ret = (struct tw_report_column){ .name = name, .kind = TW_COLUMN_FIELD };
	for (size_t i = 0; i < N_BUILT_IN; i++) {
		if (!strcmp(begin, built_in[i].name))
			ret->kind = built_in[i].kind;
	}
	if (begin != name && !strncmp(begin, any, sizeof(any) - 1))
		begin += sizeof(any) - 1;
	len = last_part(begin, strlen(begin), &ret->field);
	if (len)
		len = last_part(begin, len, &ret->event);
	if (len)
		ret->system = (struct tw_report_name){ begin, len };
}

int tw_report_columns__new(const struct tw_report_table *table, struct tw_report_columns **ret)
{
	struct tw_report_columns *columns;

	*ret = NULL;
	if (!table)
		return 0;
	columns = calloc(1, sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	columns->table = table;
	columns->columns = calloc(table->n_columns + 1, sizeof(*columns->columns));
	if (!columns->columns) {
		free(columns);
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->n_columns; i++)
		parse_column(table->columns[i], &columns->columns[i]);
	*ret = columns;
	return 0;
}

void tw_report_columns__free(struct tw_report_columns *columns)
{
	if (!columns)
		return;
	free(columns->columns);
	free(columns);
}

static bool is_of_event(const struct tw_report_column *column, const struct tw_format *format)
{
	return name__is(&column->event, format->name) && name__is(&column->system, format->system);
}

const struct tw_field *tw_report_columns__find(const struct tw_report_column *column, const struct tw_format *format)
{
	if (!is_of_event(column, format))
		return NULL;
	for (uint16_t i = 0; i < format->n_fields; i++) {
		if (name__is(&column->field, format->fields[i].name))
			return &format->fields[i];
	}
	return NULL;
}

/* The search for a column in all formats. */
struct search {
	const struct tw_report_column *column;
	bool is_event;                  /* at least one format is of the event that the column names */
	bool has_field;                 /* such a format has the field that the column names */
	bool selects;                   /* the name of the column is a pattern that selects events */
	struct tw_nearest event, field; /* names similar to those of the column */
};

static bool search_format(void *ctx, const struct tw_format *format)
{
	struct search *search = ctx;

	search->selects |= tw_event_patterns__match(search->column->name, format->system, format->name);
	tw_nearest__offer(&search->event, format->name);
	if (!is_of_event(search->column, format))
		return true;
	search->is_event = true;
	search->has_field |= tw_report_columns__find(search->column, format) != NULL;
	for (uint16_t i = 0; i < format->n_fields; i++)
		tw_nearest__offer(&search->field, format->fields[i].name);
	return !search->has_field;
}

static int refuse(struct tw_report *report, const struct search *search)
{
	const char *name = search->column->name;
	const bool is_event = search->is_event || !search->column->event.text;
	const struct tw_nearest *nearest = is_event ? &search->field : &search->event;

	if (search->selects)
		return tw_error__set(
			&report->refusal, -EINVAL,
			"column '%s' is the name of events, but a column is a field; select events with --event", name);
	return tw_error__set(&report->refusal, -EINVAL, "column '%s': no event of the capture has this %s%s%s%s", name,
			     is_event ? "field" : "name", nearest->best ? "; did you mean " : "",
			     nearest->best ? nearest->best : "", nearest->best ? "?" : "");
}

static int check_column(struct tw_report *report, const struct tw_report_column *column)
{
	struct search search = { .column = column };
	char event[TW_NEAREST_WORD_MAX], field[TW_NEAREST_WORD_MAX];

	if (column->kind != TW_COLUMN_FIELD)
		return 0;
	snprintf(event, sizeof(event), "%.*s", (int)column->event.len, column->event.text ? column->event.text : "");
	snprintf(field, sizeof(field), "%.*s", (int)column->field.len, column->field.text);
	tw_nearest__init(&search.event, event);
	tw_nearest__init(&search.field, field);
	for (size_t i = 0; i < N_BUILT_IN && !column->event.text; i++)
		tw_nearest__offer(&search.field, built_in[i].name);
	tw_report_names__search(report, search_format, &search);
	return search.has_field ? 0 : refuse(report, &search);
}

int tw_report_columns__check(struct tw_report *report)
{
	const struct tw_report_columns *columns = report->columns;
	int err = 0;

	for (size_t i = 0; columns && !err && i < columns->table->n_columns; i++)
		err = check_column(report, &columns->columns[i]);
	return err;
}
