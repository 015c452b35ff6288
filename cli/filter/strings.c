/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/strings.h"

#include <errno.h>
#include <stdlib.h>

#include "filter/display.h"
#include "filter/pcap.h"

#define STRING_MAX (1u << 20) /* bytes */

typedef int emit_string(const struct filter_expression *expression, struct tw_line *line, struct tw_error *err);

static int emit_pcap(const struct filter_expression *expression, struct tw_line *line, struct tw_error *err)
{
	return tw_pcap__emit(expression->bound, expression->formats.schema_id, line, err);
}

static int emit_display(const struct filter_expression *expression, struct tw_line *line, struct tw_error *err)
{
	return tw_display__emit(expression->bound, line, err);
}

static int make(const struct filter_expression *expression, emit_string *emit, char **ret, struct tw_error *err)
{
	char *buf = malloc(STRING_MAX + 1);
	struct tw_line line;
	int error;

	if (!buf)
		return tw_error__set(err, -ENOMEM, "out of memory");
	line = tw_line__on(buf, STRING_MAX);
	error = emit(expression, &line, err);
	if (error) {
		free(buf);
		return error;
	}
	*line.at = '\0';
	*ret = buf;
	return 0;
}

int filter_string__pcap(const struct filter_expression *expression, char **ret, struct tw_error *err)
{
	return make(expression, emit_pcap, ret, err);
}

int filter_string__display(const struct filter_expression *expression, char **ret, struct tw_error *err)
{
	return make(expression, emit_display, ret, err);
}
