/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. Events of the kernel's own system "ftrace" whose print fmt does not tell what is in them:
 * stacks of any depth, functions with arguments, the function graph, binary printk.
 */
#ifndef TW_PRINT_SPECIAL_H
#define TW_PRINT_SPECIAL_H

#include "schema/print/put.h"

#define TW_SPECIAL_FIELDS 4

struct tw_special;

typedef void (*tw_special_put)(const struct tw_special *special, const struct tw_record *record,
			       const struct tw_print_host *host, struct tw_line *line);

/* An event's way to be printed; all zero for those that go by their print fmt. */
struct tw_special {
	tw_special_put put; /* NULL = not special */
	const struct tw_format *format;
	const struct tw_field *fields[TW_SPECIAL_FIELDS]; /* in the order of the event's row in special.c */
};

/**
 * tw_special__bind() - find how to print the events of a format
 * @format: borrowed for as long as @ret is used
 *
 * Return: false, @ret all zero, if its print fmt tells all, or a field is not there.
 */
bool tw_special__bind(const struct tw_format *format, struct tw_special *ret);

/** tw_special__is_address() - whether a field of the system "ftrace" is printed by name: ip, parent_ip, func, caller */
bool tw_special__is_address(const struct tw_format *format, const struct tw_field *field);

/** tw_special__number() - a field's value. Return: false if the record does not have it */
bool tw_special__number(const struct tw_field *field, const struct tw_record *record, uint64_t *ret);

/** tw_special__arguments() - a function's as the record has them: `arg1=0x1, arg2=0x2`; @field may be NULL */
void tw_special__arguments(const struct tw_field *field, const struct tw_record *record, struct tw_line *line);

/* In special_graph.c: fields func, depth, args; and func, depth, calltime, rettime. */
void tw_special__graph_entry(const struct tw_special *special, const struct tw_record *record,
			     const struct tw_print_host *host, struct tw_line *line);
void tw_special__graph_exit(const struct tw_special *special, const struct tw_record *record,
			    const struct tw_print_host *host, struct tw_line *line);

/** tw_special__graph_leaf() - as tw_print__graph_leaf() */
bool tw_special__graph_leaf(const struct tw_special *entry, const struct tw_record *entry_record,
			    const struct tw_special *leave, const struct tw_record *leave_record,
			    const struct tw_print_host *host, struct tw_line *line);

/* In special_bprint.c: fields ip, fmt, buf. */
void tw_special__bprint(const struct tw_special *special, const struct tw_record *record,
			const struct tw_print_host *host, struct tw_line *line);

#endif
