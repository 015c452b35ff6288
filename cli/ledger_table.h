/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers as a table of text. */
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
 * ledger__print_table() - print one line for each stream and, if there are several, one for their sum; columns of empty places are omitted
 * @columns: largest width, in characters; columns that do not fit are printed in further tables below the first one
 */
void ledger__print_table(const struct ledger_row *rows, size_t n, unsigned int columns, FILE *out);

/** ledger__print_facts() - print the facts of @ledger that are not 0, one a line, and explain an open or running ledger */
void ledger__print_facts(const struct tw_ledger *ledger, FILE *out);

/** ledger__print_difference() - explain the difference of @ledger if it is unknown or not 0; print nothing if the ledger balances */
void ledger__print_difference(const struct tw_ledger *ledger, FILE *out);

/** ledger__print_remarks() - print the facts and the difference */
void ledger__print_remarks(const struct tw_ledger *ledger, FILE *out);

#endif
