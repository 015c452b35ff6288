/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of a run: where the events went. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

#include "base/json.h"
#include "pcap-tools/archive/archive.h"
#include "producer/producer.h"

/* A counter: a line of a summary and a member of JSON. A table ends with an all-zero row. */
struct summary_row {
	const char *key;          /* name of the member; NULL = none */
	size_t offset;            /* offset of the counter, a uint64_t */
	const char *label, *text; /* text before and after the number; NULL = no line */
};

/** summary__print_rows() - print a line for each counter of @from that is not 0 */
void summary__print_rows(const struct summary_row *rows, const void *from, FILE *out);

/** summary__put_rows() - write all of them as members of the open object */
void summary__put_rows(const struct summary_row *rows, const void *from, struct tw_json *json);

/** summary__print_places() - print at the start where the filter is evaluated */
void summary__print_places(const struct tw_filter_places *places, FILE *out);

/** summary__print() - print the producer's accounting; @places: NULL without a filter */
void summary__print(const struct tw_producer_counters *counters, const struct tw_filter_places *places, FILE *out);

/** summary__print_troubles() - print other problems of the archive; nothing if there are none */
void summary__print_troubles(const struct tw_archive_stats *stats, FILE *out);

/** summary__print_ledger() - print where the events of a run are, if some could not be written or their place is unknown */
void summary__print_ledger(const struct tw_ledger *ledger, FILE *out);

#endif
