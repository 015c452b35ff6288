/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of events of each type or task, with their share and rate, as a table and in JSON. */
#ifndef CLI_COUNT_TABLE_H
#define CLI_COUNT_TABLE_H

#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "pcap-tools/counts.h"

struct count_table {
	const struct tw_counts *counts;
	const char *heading;  /* heading of the column with the names */
	uint64_t duration_ns; /* time in which the events occurred, for the rates; 0 = unknown */
	bool has_pid;         /* true: a table of tasks, with a column of pids; false: a table of event types */
	/* The streams. With several streams, a table of tasks has a column with the stream's name, because each stream has its own pids. */
	const struct tw_count_stream *streams;
	size_t n_streams;
};

/** count_table__print() - print the table, with the largest number first. Return: 0, or -ENOMEM with @error filled */
int count_table__print(const struct count_table *table, FILE *out, struct tw_error *error);

/**
 * count_table__json() - write the table as an array with the key @key. An element is {"event":...,"count":N,"share":0.25,"rate":12.5}. The
 * key of its first member is the heading. In a table of tasks, the members pid, stream and stream_name come next. An unknown rate is null.
 * If the table is full, the last element counts the events of all further names; its name is null.
 * Return: 0, or -ENOMEM with @error filled.
 */
int count_table__json(const struct count_table *table, const char *key, struct tw_json *json, struct tw_error *error);

#endif
