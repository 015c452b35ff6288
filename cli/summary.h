/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last lines of a run: what became of the events. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

#include "base/json.h"
#include "pcap-tools/archive/archive.h"
#include "producer/producer.h"

/* A counter: a line of a summary and a member of JSON. Tables of them end with an all-zero row. */
struct summary_row {
	const char *key;          /* of the member; NULL = none */
	size_t offset;            /* of the counter, a uint64_t */
	const char *label, *text; /* what stands before and after the number; NULL = no line */
};

/** summary__print_rows() - a line for each counter of @from that is not 0 */
void summary__print_rows(const struct summary_row *rows, const void *from, FILE *out);

/** summary__put_rows() - all of them as members of the object that is open */
void summary__put_rows(const struct summary_row *rows, const void *from, struct tw_json *json);

/** summary__print_places() - while it begins: where the filter is evaluated */
void summary__print_places(const struct tw_filter_places *places, FILE *out);

/** summary__print() - the producer's books; @places: NULL without a filter */
void summary__print(const struct tw_producer_counters *books, const struct tw_filter_places *places, FILE *out);

/** summary__print_troubles() - what else somebody who reads the archive should know; nothing if there is nothing */
void summary__print_troubles(const struct tw_archive_stats *stats, FILE *out);

/** summary__print_ledger() - where the events of a run are, if some of them could not be written or nobody knows */
void summary__print_ledger(const struct tw_ledger *ledger, FILE *out);

#endif
