/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers as a table on a terminal. */
#ifndef CLI_LEDGER_TABLE_H
#define CLI_LEDGER_TABLE_H

#include <stdio.h>

#include "stream/ledger.h"

/* A line of the table: a stream. */
struct ledger_row {
	const char *name; /* printable */
	const struct tw_ledger *ledger;
};

/**
 * ledger__print_table() - print one line for each stream, and one for their sum if there are several; empty columns are omitted
 * @columns: width of the terminal; columns that do not fit follow in further tables below
 */
void ledger__print_table(const struct ledger_row *rows, size_t n, unsigned int columns, FILE *out);

/** ledger__print_facts() - print the facts of @ledger that are not 0, one a line, and explain an open ledger */
void ledger__print_facts(const struct tw_ledger *ledger, FILE *out);

/** ledger__print_difference() - print why the difference of @ledger is not 0 or unknown; nothing if the ledger balances */
void ledger__print_difference(const struct tw_ledger *ledger, FILE *out);

/** ledger__print_remarks() - print the facts and the difference */
void ledger__print_remarks(const struct tw_ledger *ledger, FILE *out);

#endif
