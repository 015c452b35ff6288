/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression as one string, for libpcap or Wireshark. */
#include <errno.h>
#include <stdlib.h>

#include "cli/filter/compile/targets.h"
#include "filter/display.h"
#include "filter/pcap.h"

#define STRING_MAX (1u << 20) /* bytes */

static int emit_pcap(const struct filter_expression *expression, struct tw_line *line, struct tw_error *err)
{
	return tw_pcap__emit(expression->bound, expression->formats.schema_id, line, err);
}

static int emit_display(const struct filter_expression *expression, struct tw_line *line, struct tw_error *err)
{
	return tw_display__emit(expression->bound, line, err);
}

static int print_string(const struct filter_expression *expression,
			int (*emit)(const struct filter_expression *expression, struct tw_line *line,
				    struct tw_error *err),
			FILE *out, struct tw_error *err)
{
	char *buf = malloc(STRING_MAX);
	struct tw_line line;
	int error;

	if (!buf)
		return tw_error__set(err, -ENOMEM, "out of memory");
	line = tw_line__on(buf, STRING_MAX);
	error = emit(expression, &line, err);
	if (!error)
		fprintf(out, "%.*s\n", (int)tw_line__len(&line), buf);
	free(buf);
	return error;
}

int filter_pcap__print(const struct filter_expression *expression, const struct filter_classifier *classifier,
		       FILE *out, struct tw_error *err)
{
	(void)classifier;
	return print_string(expression, emit_pcap, out, err);
}

int filter_display__print(const struct filter_expression *expression, const struct filter_classifier *classifier,
			  FILE *out, struct tw_error *err)
{
	(void)classifier;
	return print_string(expression, emit_display, out, err);
}
