/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. Events of the kernel's system "ftrace" whose print fmt does not describe their content: stacks of any
 * depth, functions with arguments, the function graph, binary printk.
 */
#ifndef TW_PRINT_FTRACE_H
#define TW_PRINT_FTRACE_H

#include "schema/print/put.h"

#define TW_FTRACE_FIELDS 4

struct tw_ftrace_event;

typedef void (*tw_ftrace_put)(const struct tw_ftrace_event *event, const struct tw_record *record,
			      const struct tw_print_host *host, struct tw_line *line);

/* The printer of an event; all zero for events that use their print fmt. */
struct tw_ftrace_event {
	tw_ftrace_put put; /* NULL = use the print fmt */
	const struct tw_format *format;
	const struct tw_field *fields[TW_FTRACE_FIELDS]; /* in the order of the event's row in ftrace.c */
};

/**
 * tw_ftrace__bind() - find the printer for the events of a format
 * @format: borrowed while @ret is used
 * Return: false, with @ret all zero, if its print fmt is sufficient, or a field is missing.
 */
bool tw_ftrace__bind(const struct tw_format *format, struct tw_ftrace_event *ret);

/** tw_ftrace__is_address() - whether a field of the system "ftrace" is printed as a symbol: ip, parent_ip, func, caller */
bool tw_ftrace__is_address(const struct tw_format *format, const struct tw_field *field);

#endif
