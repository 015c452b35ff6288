/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/ftrace.h"

#include <string.h>

static bool is_field(const struct tw_format *format, const struct tw_field *field, const char *event, const char *name)
{
	return !strcmp(format->system, "ftrace") && !strcmp(format->name, event) && !strcmp(field->name, name);
}

bool tw_ftrace__is_open_ended(const struct tw_format *format, const struct tw_field *field)
{
	/* The format says caller[8]; the record has as many as `size` says, which are often fewer and often more. */
	return is_field(format, field, "kernel_stack", "caller");
}

bool tw_ftrace__is_binary(const struct tw_format *format, const struct tw_field *field)
{
	/* What a program wrote to trace_marker_raw. */
	return is_field(format, field, "raw_data", "buf");
}
