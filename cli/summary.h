/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The detailed summary of a run: where the events went. cli/outcome.h has the short one. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

#include "base/json.h"
#include "pcap-tools/archive/archive.h"
#include "producer/producer.h"

/* A counter: a line of a summary and a member of JSON. A table ends with an all-zero row. */
struct summary_row {
	const char *key; /* name of the JSON member; NULL = no member */
	size_t offset;   /* offset of the counter, a uint64_t */
	/* @label: text before the number; NULL = no line in the summary. @text: text after the number, as for say__count() */
	const char *label, *text;
};

/** summary__print_rows() - print a line for each counter of @from that is not 0 */
void summary__print_rows(const struct summary_row *rows, const void *from, FILE *out);

/** summary__put_rows() - write each counter of @from that has a key, also if it is 0, as a member of the open JSON object */
void summary__put_rows(const struct summary_row *rows, const void *from, struct tw_json *json);

/** summary__print_places() - print where the filter is evaluated, with the numbers of event types; for the start of a run */
void summary__print_places(const struct tw_filter_places *places, FILE *out);

/**
 * summary__print_alarms() - print what makes the producer's accounting uncertain, and what the user should report as a bug
 * Return: whether anything was printed; usually false.
 */
bool summary__print_alarms(const struct tw_producer_counters *counters, FILE *out);

/** summary__print() - print the producer's accounting, with the alarms; @places: NULL without a filter */
void summary__print(const struct tw_producer_counters *counters, const struct tw_filter_places *places, FILE *out);

/** summary__print_troubles() - print the losses, late events and damage that the archive found; nothing if there are none */
void summary__print_troubles(const struct tw_archive_stats *stats, FILE *out);

/** summary__offset_method() - text for the method by which the error bound of an OFFSET was determined */
const char *summary__offset_method(unsigned int method);

#define SUMMARY_STAMPS_MAX 128 /* bytes, NUL included */

/** summary__stamps() - write the sources of the times of an exchange as text: "software stamps", or one source for each time */
void summary__stamps(const struct tw_stamp_sources *by, char ret[SUMMARY_STAMPS_MAX]);

/** summary__put_stamps() - write the sources of the times of an exchange as a JSON object named "stamps", if there was an exchange */
void summary__put_stamps(const struct tw_stamp_sources *by, struct tw_json *json);

/** summary__time() - write a time since 1970 in UTC, to the second; "an unknown time" if it is 0 */
void summary__time(uint64_t ns, char *ret, size_t size);

/**
 * summary__print_changes() - print how often the clocks of producers were changed; nothing if they were not
 * @before: printed before the first text
 * @changes: by enum tw_offset_kind; other kinds are ignored
 * Return: whether there was a text
 */
bool summary__print_changes(const char *before, const uint64_t changes[TW_OFFSET_KINDS], FILE *out);

/** summary__put_changes() - write the numbers of changes of a producer's clocks as members of an object */
void summary__put_changes(const uint64_t changes[TW_OFFSET_KINDS], struct tw_json *json);

/** summary__print_file() - print how much was written to the output */
void summary__print_file(const struct tw_archive_stats *stats, FILE *out);

/** summary__print_ledger() - print the ledger of a run, if events could not be written to the output or the difference is unknown */
void summary__print_ledger(const struct tw_ledger *ledger, FILE *out);

#endif
