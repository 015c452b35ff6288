/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. The columns of a table, by name, and the lines of a table. */
#ifndef TW_REPORT_COLUMNS_H
#define TW_REPORT_COLUMNS_H

#include "pcap-tools/report/report_impl.h"

enum tw_report_column_kind {
	TW_COLUMN_TIME,
	TW_COLUMN_TIME_NS,
	TW_COLUMN_TIME_EPOCH,
	TW_COLUMN_PACKET_TIME,
	TW_COLUMN_TIME_ERROR, /* largest error of the packet time */
	TW_COLUMN_TIME_EARLIEST,
	TW_COLUMN_TIME_LATEST,
	TW_COLUMN_HOST,
	TW_COLUMN_INSTANCE,
	TW_COLUMN_CPU,
	TW_COLUMN_PID,
	TW_COLUMN_COMM,
	TW_COLUMN_FLAGS,
	TW_COLUMN_SYSTEM,
	TW_COLUMN_EVENT,
	TW_COLUMN_TEXT,
	TW_COLUMN_FIELD, /* a field of the event's format; the kinds above apply to every event */
};

/* A part of a column's name. Not NUL-terminated. */
struct tw_report_name {
	const char *text; /* borrowed from the column's name; NULL = any */
	size_t len;
};

struct tw_report_column {
	const char *name; /* as in the options */
	enum tw_report_column_kind kind;
	struct tw_report_name system, event, field; /* of TW_COLUMN_FIELD */
};

/* The columns of a report. */
struct tw_report_columns {
	const struct tw_report_table *table;
	struct tw_report_column *columns; /* table->n_columns of them */
	bool has_head;                    /* the header is written */
};

/** tw_report_columns__new() - parse the columns of @table, which is borrowed; NULL = no table: *ret is NULL. Return: 0 or -ENOMEM */
int tw_report_columns__new(const struct tw_report_table *table, struct tw_report_columns **ret);

/** tw_report_columns__free() - free @columns, which may be NULL */
void tw_report_columns__free(struct tw_report_columns *columns);

/** tw_report_columns__find() - the field of an event that the column names; NULL if the event does not have it */
const struct tw_field *tw_report_columns__find(const struct tw_report_column *column, const struct tw_format *format);

/** tw_report_columns__check() - check that the known formats have all fields that the columns name. Return: as tw_report_names__check() */
int tw_report_columns__check(struct tw_report *report);

/** tw_report_columns__head() - write the names of the columns, if the table has a header and it was not written yet */
void tw_report_columns__head(struct tw_report *report, struct tw_line *line);

/** tw_report_columns__event() - write the line of an event */
void tw_report_columns__event(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);

#endif
