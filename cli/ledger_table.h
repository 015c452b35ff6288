/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers as a table on a terminal. */
#ifndef CLI_LEDGER_TABLE_H
#define CLI_LEDGER_TABLE_H

#include <stdio.h>

#include "stream/ledger.h"

/**
 * ledger__print_table() - a line a stream and one for their sum, if there are several; columns that say nothing are left out
 * @names: of the streams, printable
 * @ledgers: as many
 * @columns: width of the terminal; a wider table goes on below itself
 */
void ledger__print_table(const char *const *names, const struct tw_ledger *ledgers, size_t n, unsigned int columns,
			 FILE *out);

/** ledger__print_remarks() - the facts of @ledger that are not 0, and what an open or unbalanced one means; a line each */
void ledger__print_remarks(const struct tw_ledger *ledger, FILE *out);

#endif
