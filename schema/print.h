/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event, as the kernel prints it. A format's `print fmt` is a C expression over the record; it is compiled
 * once into a small program, which runs for each record without allocating. Both format and record may be hostile:
 * compiling is bounded in time and memory, running by the program's length and the line's room.
 *
 * What cannot be compiled is printed as `field=value` pairs instead, and says why.
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
#define TW_PRINT_LINE_MAX   16384        /* bytes that any event of a kernel's needs; a longer one is cut */
#define TW_PRINT_WORK_MAX   (1u << 20) /* bytes of a record looked at for one text, counted each time; then it is cut */

struct tw_print;

/* What a record does not say about itself: the traced host's tables. Each may be NULL. */
struct tw_print_host {
	const struct tw_symbols *symbols;
	const struct tw_strings *strings;
};

/**
 * tw_print__new() - compile the format's print fmt
 * @format: borrowed for as long as the program lives
 *
 * Return: NULL only without memory.
 */
struct tw_print *tw_print__new(const struct tw_format *format);

/** tw_print__free() - NULL is fine */
void tw_print__free(struct tw_print *print);

/** tw_print__refusal() - NULL if it was compiled; else why not, in one sentence with the column of the print fmt */
const char *tw_print__refusal(const struct tw_print *print);

/** tw_print__memory() - taken by the program, bytes */
size_t tw_print__memory(const struct tw_print *print);

/**
 * tw_print__run() - append the text of one record
 * @host: NULL = nothing is known
 * @line: if it is for people, all of it is printable then (base/printable.h), but for what the layout of a text has: the lines of a stack
 * or dump, the tabs of the print fmt, a line break at the end
 *
 * A record that is too short, or whose locations point outside it, shows what can be read of it.
 */
void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line);

/**
 * tw_print__fields() - append all fields but the common ones as ` field=value` pairs, each with a space before it
 *
 * Of a record that is cut those that are whole.
 */
void tw_print__fields(const struct tw_format *format, const struct tw_record *record, struct tw_line *line);

/* A value and the word that the print fmt has for it, from __print_symbolic(), __print_flags() or an enum's name. */
struct tw_print_name {
	uint64_t value;
	const char *name; /* NUL-terminated, borrowed from the program */
};

struct tw_print_names {
	const struct tw_print_name *names; /* in the order of the print fmt */
	uint32_t n;
	bool flags;        /* bits to be or'ed; else the whole value */
	char delimiter[8]; /* between flags, as "|" */
};

/**
 * tw_print__names() - the words that the print fmt has for the values of a field
 *
 * Only where the field itself is what is looked up; not for parts of it or for expressions.
 *
 * Return: false if there are none.
 */
bool tw_print__names(const struct tw_print *print, const struct tw_field *field, struct tw_print_names *ret);

/**
 * tw_print__addresses() - the fields whose values are printed as symbols: POINTERs, integers as wide, arrays of such
 * @ret_n: how many
 *
 * Whoever produces a stream looks up these, and no others.
 *
 * Return: the first; borrowed.
 */
const struct tw_field *const *tw_print__addresses(const struct tw_print *print, size_t *ret_n);

/** tw_print__is_pointer() - whether a field's value is printed as an address: by %p, %px, %pS and the like, or by name */
bool tw_print__is_pointer(const struct tw_print *print, const struct tw_field *field);

/** tw_print__is_graph_entry() - whether this is the function graph's entry into a function; its exit */
bool tw_print__is_graph_entry(const struct tw_print *print);
bool tw_print__is_graph_exit(const struct tw_print *print);

/**
 * tw_print__graph_leaf() - append a call of a function that calls no other as one text: `  1.234 us   |    name();`
 * @entry: of which tw_print__is_graph_entry()
 * @leave: of the event that follows it on the same CPU, of which tw_print__is_graph_exit()
 *
 * Return: false, nothing appended, if they are not of the same task and function: each has its own text then.
 */
bool tw_print__graph_leaf(const struct tw_print *entry, const struct tw_record *entry_record,
			  const struct tw_print *leave, const struct tw_record *leave_record,
			  const struct tw_print_host *host, struct tw_line *line);

#endif
