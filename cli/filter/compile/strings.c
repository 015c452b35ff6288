/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression as one string, for libpcap or Wireshark. */
#include <stdlib.h>

#include "cli/filter/compile/targets.h"
#include "cli/filter/strings.h"
#include "cli/say.h"

static int print(const struct filter_expression *expression, filter_string *make, FILE *out, struct tw_error *err)
{
	char *string;
	const int error = make(expression, &string, err);

	if (error)
		return error;
	say(out, "%s\n", string);
	free(string);
	return 0;
}

int filter_pcap__print(const struct filter_expression *expression, const struct filter_classifier *classifier,
		       FILE *out, struct tw_error *err)
{
	(void)classifier;
	return print(expression, filter_string__pcap, out, err);
}

int filter_display__print(const struct filter_expression *expression, const struct filter_classifier *classifier,
			  FILE *out, struct tw_error *err)
{
	(void)classifier;
	return print(expression, filter_string__display, out, err);
}
