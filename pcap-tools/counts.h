/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events by the name of the event, or of the task in which it occurred. Captures are untrusted, so the number of names is limited;
 * events of further names are counted together.
 */
#ifndef TW_COUNTS_H
#define TW_COUNTS_H

#include "base/hash_table.h"

#define TW_COUNTS_MAX     16384 /* names of one table */
#define TW_COUNT_NAME_MAX 128   /* bytes, with NUL; a longer name is cut */

/* One name and the number of its events. */
struct tw_count_row {
	uint64_t n;
	uint64_t stream_id;           /* 0 = counted for all streams together */
	uint32_t pid;                 /* the task's pid; 0 if events are counted by the name of the event */
	char name[TW_COUNT_NAME_MAX]; /* escaped by base/printable.h */
};

/* A stream whose events may be in the counts, and its name. */
struct tw_count_stream {
	uint64_t id;
	char name[TW_COUNT_NAME_MAX]; /* result of tw_identity__name() */
};

/* A table of counts. It must be all zero before the first tw_counts__add(). */
struct tw_counts {
	struct tw_hash_table names;
	uint64_t total;  /* number of all counted events */
	uint64_t others; /* events whose names are not in the table, because it is full */
};

/**
 * tw_counts__add() - count one event
 * @key: stream, pid and name. Its `n`, and the bytes after the NUL of the name, are ignored
 * Return: 0 or -ENOMEM.
 */
int tw_counts__add(struct tw_counts *counts, const struct tw_count_row *key);

/**
 * tw_counts__sorted() - copy the counts, the largest first; equal counts are in order of name, pid and stream
 * @ret: array of *ret_n rows, to be freed with free()
 * Return: 0 or -ENOMEM.
 */
int tw_counts__sorted(const struct tw_counts *counts, struct tw_count_row **ret, size_t *ret_n);

/** tw_counts__fini() - free the memory; @counts may be all zero */
void tw_counts__fini(struct tw_counts *counts);

/**
 * tw_count_row__name_event() - set key->name to "SYSTEM:EVENT"
 * @system: NULL if the format is unknown; the name is then "[unknown event ID]"
 */
void tw_count_row__name_event(struct tw_count_row *key, const char *system, const char *event, uint16_t id);

#endif
