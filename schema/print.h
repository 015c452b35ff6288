/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event, as printed by the kernel. A format's `print fmt` is a C expression of the record's fields; it is compiled once
 * into a small program, which runs for each record without allocating. Both format and record may be hostile: compiling is limited in
 * time and memory, running by the program's length and the size of the line.
 *
 * If it cannot be compiled, `field=value` pairs are printed instead, with the reason.
 */
#ifndef TW_PRINT_H
#define TW_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line.h"
#include "schema/field.h"
#include "schema/format.h"
#include "schema/strings.h"
#include "schema/symbols.h"

#define TW_PRINT_MEMORY_MAX (256 * 1024) /* bytes of one program */
#define TW_PRINT_LINE_MAX   16384        /* more bytes than any kernel's event needs; a longer text is cut */
#define TW_PRINT_WORK_MAX   (1u << 20) /* bytes of a record read for one text, repeated reads included; then it is cut */

struct tw_print;

/* Data that is not in a record: the traced host's tables. Each may be NULL. */
struct tw_print_host {
	struct tw_symbols *symbols; /* a look-up sorts them */
	const struct tw_strings *strings;
};

/** tw_print__new() - compile the print fmt of @format, which is borrowed while the program exists. Return: NULL only without memory */
struct tw_print *tw_print__new(const struct tw_format *format);

/** tw_print__free() - NULL is fine */
void tw_print__free(struct tw_print *print);

/** tw_print__refusal() - NULL if it was compiled; otherwise the reason, one sentence with the column of the print fmt */
const char *tw_print__refusal(const struct tw_print *print);

/** tw_print__memory() - size of the program, bytes */
size_t tw_print__memory(const struct tw_print *print);

/**
 * tw_print__run() - append the text of one record
 * @host: NULL = unknown
 * @line: if it is for people, the text is escaped (base/printable.h), except for its layout: the lines of a stack or dump, the tabs of
 * the print fmt, a newline at the end
 * For a record that is too short, or has locations outside it, the readable part is shown.
 */
void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line);

/** tw_print__fields() - append each field but the common ones as ` field=value`; of a truncated record, the complete fields */
void tw_print__fields(const struct tw_format *format, const struct tw_record *record, struct tw_line *line);

/* A value and its name in the print fmt, from __print_symbolic(), __print_flags() or an enum. */
struct tw_print_name {
	uint64_t value;
	const char *name; /* NUL-terminated, borrowed from the program */
};

struct tw_print_names {
	const struct tw_print_name *names; /* in the order of the print fmt */
	uint32_t n;
	bool flags;        /* the values are bits; otherwise the whole value is compared */
	char delimiter[8]; /* between flags, as "|" */
};

/**
 * tw_print__names() - the names that the print fmt has for the values of a field itself, not for parts of it or expressions
 * Return: false if there are none.
 */
bool tw_print__names(const struct tw_print *print, const struct tw_field *field, struct tw_print_names *ret);

/**
 * tw_print__addresses() - the fields whose values are printed as symbols: POINTERs, integers of that size, arrays of these
 * A producer looks up the symbols of exactly these fields. Return: the first of *ret_n fields; borrowed.
 */
const struct tw_field *const *tw_print__addresses(const struct tw_print *print, size_t *ret_n);

/** tw_print__is_pointer() - whether a field's value is printed as an address: by %p, %px, %pS and similar conversions, or by name */
bool tw_print__is_pointer(const struct tw_print *print, const struct tw_field *field);

/** tw_print__is_graph_entry() - whether this is the function graph's entry into a function; tw_print__is_graph_exit(): its exit */
bool tw_print__is_graph_entry(const struct tw_print *print);
bool tw_print__is_graph_exit(const struct tw_print *print);

/**
 * tw_print__graph_leaf() - append a call of a function that calls no other as one text: `  1.234 us   |    name();`
 * @entry: of an event for which tw_print__is_graph_entry() is true
 * @leave: of the next event on the same CPU, for which tw_print__is_graph_exit() is true
 * Return: false, with nothing appended, if task or function differ: they are printed separately then.
 */
bool tw_print__graph_leaf(const struct tw_print *entry, const struct tw_record *entry_record,
			  const struct tw_print *leave, const struct tw_record *leave_record,
			  const struct tw_print_host *host, struct tw_line *line);

#endif
