/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "listed.h"
#include "oracle.h"

#define PRINT_MAX 100 /* differences printed; further ones are counted */

static unsigned long n_different, n_known;

void differ(const struct place *place, const char *what, const char *fmt, ...)
{
	va_list ap;

	if (listed__has("%s:%s:%s:%s", place->system, place->event, place->field, what)) {
		n_known++;
		return;
	}
	if (n_different++ >= PRINT_MAX)
		return;
	printf("%s:%s:%s: %s: ", place->system, place->event, place->field, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

unsigned long differences(void)
{
	return n_different;
}

unsigned long known_differences(void)
{
	return n_known;
}
