/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pair table: which events belong together. A pair has events that begin it, events that end it, and events that cancel it. An event
 * ends or cancels what another one began if the values of their keys are equal. A pair can also be a number in single events, such as the
 * length of a packet.
 *
 * The table is read from texts: pairs/shipped.pairs, which is built in, and files of the machine and of the user. docs/latency.md describes
 * the syntax. Texts are untrusted: every loop advances, nothing recurses, sizes are limited as below.
 */
#ifndef TW_PAIR_TABLE_H
#define TW_PAIR_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define TW_PAIR_TEXT_MAX   (256 * 1024) /* bytes of one text */
#define TW_PAIRS_MAX       512          /* pairs of a table */
#define TW_PAIR_EVENTS_MAX 16           /* events of a pair */
#define TW_PAIR_KEYS_MAX   4            /* keys of an event; fields after `by` */

/* What an event does to a pair. If one event does several of these, it does them in this order. */
enum tw_pair_role {
	TW_PAIR_END,
	TW_PAIR_CANCEL, /* the beginning does not count: its end will not come, or would mean something else */
	TW_PAIR_BEGIN,
	TW_PAIR_VALUE, /* nothing begins or ends: the value of the only key is a sample. All events of such a pair have this role */
};

/* An event of a pair. All strings are owned by the table. */
struct tw_pair_event {
	enum tw_pair_role role;
	const char *system; /* NULL = any system */
	const char *event;
	const char *keys[TW_PAIR_KEYS_MAX]; /* names of fields, or cpu, pid, comm of the event */
	size_t n_keys;
	const char *condition;                       /* an expression of the filter language; NULL = every event */
	unsigned int line, column, condition_column; /* where the event and its condition are in the text, from 1 */
};

/* The unit of a pair's histogram: its smallest bucket is one unit wide. Times are stored in ns, whatever the unit is. */
enum tw_pair_unit { TW_PAIR_NS, TW_PAIR_US, TW_PAIR_MS, TW_PAIR_BYTES, TW_PAIR_NUMBER };

/** tw_pair_unit__name() - "ns", "us", "ms", "bytes", "number" */
const char *tw_pair_unit__name(enum tw_pair_unit unit);

struct tw_pair {
	const char *name;
	const char *text;   /* what the time between the events means; "" = not given */
	const char *source; /* the name of the text that defines the pair; NULL = it has none */
	const char *by[TW_PAIR_KEYS_MAX];
	size_t n_by;
	enum tw_pair_unit unit;
	bool has_unit; /* the text gives the unit */
	bool keeps_first; /* a begin for a key that has begun already changes nothing; otherwise, the time counts from the last begin */
	struct tw_pair_event events[TW_PAIR_EVENTS_MAX];
	size_t n_events;
	unsigned int line; /* of `pair NAME` in the text, from 1 */
};

/**
 * tw_pair__lacks() - what a pair lacks to be measured: it needs an event that begins it and one that ends it, or an event with a value
 * @is_missing: for each event of the pair: whether it does not exist
 * Return: a missing event that the pair needs; NULL if the pair can be measured.
 */
const struct tw_pair_event *tw_pair__lacks(const struct tw_pair *pair, const bool *is_missing);

#define TW_PAIR_PLACE_MAX 512

/**
 * tw_pair_place__format() - write a place in a text, for the beginning of a message: "SOURCE:LINE:COLUMN: "
 * @source: NULL = the text was made from arguments of a command, so its lines mean nothing to the user: @ret becomes ""
 * Return: @ret
 */
const char *tw_pair_place__format(const char *source, unsigned int line, unsigned int column,
				  char ret[TW_PAIR_PLACE_MAX]);

/* TW_PAIR_PLACE() - tw_pair_place__format() in memory of the caller's block */
#define TW_PAIR_PLACE(source, line, column) tw_pair_place__format(source, line, column, (char[TW_PAIR_PLACE_MAX]){ "" })

/** tw_pair_event__is_line() - whether the event is a line that a program writes to trace_marker, which no event has to be enabled for */
bool tw_pair_event__is_line(const struct tw_pair_event *event);

/** tw_pair__has_values() - whether the samples are values of events, not times between them */
static inline bool tw_pair__has_values(const struct tw_pair *pair)
{
	return pair->events[0].role == TW_PAIR_VALUE;
}

/** tw_pair__has_times() - whether the samples are times in ns: times between events, or values with a unit of time */
static inline bool tw_pair__has_times(const struct tw_pair *pair)
{
	return pair->unit <= TW_PAIR_MS;
}

struct tw_pair_table;

/** tw_pair_table__new() - make an empty table. Return: NULL if out of memory */
struct tw_pair_table *tw_pair_table__new(void);

/** tw_pair_table__free() - free @table, which may be NULL */
void tw_pair_table__free(struct tw_pair_table *table);

/**
 * tw_pair_table__parse() - add the pairs of a text; a pair replaces one of the same name from an earlier text
 * @text: need not be NUL-terminated and is copied
 * @source: name of the text, for messages; is copied; NULL = arguments of a command: messages name no place
 * Return: 0; -EINVAL if the text is no list of pairs (@error begins with "SOURCE:LINE:COLUMN: ") or contains a NUL byte; -E2BIG beyond a
 * limit; -ENOMEM. A refused text changes nothing.
 */
int tw_pair_table__parse(struct tw_pair_table *table, const char *text, size_t len, const char *source,
			 struct tw_error *error);

/** tw_pair_table__ship() - add the built-in pairs. Return: as tw_pair_table__parse() */
int tw_pair_table__ship(struct tw_pair_table *table, struct tw_error *error);

/**
 * tw_pair_table__ship_ordered() - add the built-in pairs whose first event, on one machine, always precedes the second, on another machine
 * Return: as tw_pair_table__parse()
 */
int tw_pair_table__ship_ordered(struct tw_pair_table *table, struct tw_error *error);

/** tw_pair_table__find() - find a pair by its name. Return: NULL, with @error naming a similar name, if there is none; borrowed */
const struct tw_pair *tw_pair_table__find(const struct tw_pair_table *table, const char *name, struct tw_error *error);

/** tw_pair_table__count() - number of pairs; tw_pair_table__at(): pair @i, from 0, in order of definition; borrowed */
size_t tw_pair_table__count(const struct tw_pair_table *table);
const struct tw_pair *tw_pair_table__at(const struct tw_pair_table *table, size_t i);

#endif
