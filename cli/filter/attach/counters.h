/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints classifiers and their counters: for `filter show`, and at the end of `filter attach`. */
#ifndef CLI_FILTER_COUNTERS_H
#define CLI_FILTER_COUNTERS_H

#include "base/json.h"
#include "xdp/classifier.h"

/* Options of the output, and the number of printed classifiers. */
struct counters_print {
	bool streams;         /* also print the rows of each stream and channel; JSON always has them */
	struct tw_json *json; /* destination of the next JSON value; NULL = print text to standard output */
	unsigned int n;       /* number of classifiers printed so far */
};

/** counters__print() - print one classifier; @ctx is a struct counters_print. Return: 0, or -errno with @error filled */
int counters__print(const struct tw_attached *attached, void *ctx, struct tw_error *error);

#endif
