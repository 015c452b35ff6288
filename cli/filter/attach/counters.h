/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints classifiers and their counters: for `filter show`, and at the end of `filter attach`. */
#ifndef CLI_FILTER_COUNTERS_H
#define CLI_FILTER_COUNTERS_H

#include "base/json.h"
#include "xdp/classifier.h"

/* Output format. */
struct counters_print {
	bool streams;         /* one row for each stream and channel, too */
	struct tw_json *json; /* write the next value there; NULL = text to standard output */
	unsigned int n;       /* number of those printed so far */
};

/** counters__print() - print one classifier; @ctx is a struct counters_print. Return: 0 or -errno */
int counters__print(const struct tw_attached *attached, void *ctx, struct tw_error *error);

#endif
