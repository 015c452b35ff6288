/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last lines of a run: what became of the events. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

#include "producer/producer.h"

void summary__print(const struct tw_books *books, FILE *out);

#endif
