/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event, as the kernel or libtraceevent prints it. A format's `print fmt` consists of a format string and C expressions of
 * the record's fields. It is compiled once into a small program. The program runs for each record, and allocates no memory. Both format and
 * record may be hostile. Compiling is limited in time and memory. Running is limited by the program's length, the size of the line and
 * TW_PRINT_WORK_MAX.
 *
 * If a print fmt cannot be compiled, its events are printed as `field=value` pairs; tw_print__refusal() has the reason.
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
#define TW_PRINT_LINE_MAX   16384 /* size of the lines that callers use for one text, bytes; a longer text is cut */
#define TW_PRINT_WORK_MAX   (1u << 20) /* bytes of fields that one text may print, with repetitions; then it is cut */

struct tw_print;

/* Tables with data of the traced host that is not in records. Each table may be NULL. */
struct tw_print_host {
	struct tw_symbols *symbols; /* not const, because a look-up may sort them */
	const struct tw_strings *strings;
};

/** tw_print__new() - compile the print fmt of @format, which is borrowed until tw_print__free(). Return: NULL only if out of memory */
struct tw_print *tw_print__new(const struct tw_format *format);

/** tw_print__free() - free @print, which may be NULL */
void tw_print__free(struct tw_print *print);

/** tw_print__refusal() - why the print fmt was not compiled: one sentence, usually with the column; NULL if it was compiled */
const char *tw_print__refusal(const struct tw_print *print);

/** tw_print__memory() - size of the program, bytes */
size_t tw_print__memory(const struct tw_print *print);

/**
 * tw_print__run() - append the text of one record
 * @host: NULL = unknown
 * @line: on a line for people, the text is escaped (base/printable.h), except its layout: line breaks of a stack or dump, tabs of the print
 * fmt, and a newline at the end
 * If the record is too short for a field, a compiled print fmt prints an integer as 0, and any other field as an empty text.
 */
void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line);

/** tw_print__fields() - append each field as ` field=value`, except common fields and fields that a truncated record lacks */
void tw_print__fields(const struct tw_format *format, const struct tw_record *record, struct tw_line *line);

/**
 * tw_print__word() - append the words that an event's text has for the value of a field, such as "R+" for prev_state of sched_switch
 * The words are the text of the first %s whose argument uses this field and no other. If further such %s directly follow the first one,
 * their texts are appended, too.
 * Return: false, with nothing appended, if there is no such text, or if this text begins with a number (0x...).
 */
bool tw_print__word(const struct tw_print *print, const struct tw_field *field, const struct tw_record *record,
		    struct tw_line *line);

/** tw_print__has_word() - whether the print fmt has a %s for which tw_print__word() can append a text */
bool tw_print__has_word(const struct tw_print *print, const struct tw_field *field);

/* A value and its name in the print fmt, from __print_symbolic() or __print_flags(). */
struct tw_print_name {
	uint64_t value;
	const char *name; /* NUL-terminated, borrowed from the program */
};

struct tw_print_names {
	const struct tw_print_name *names; /* in the order of the print fmt */
	uint32_t n;
	bool flags;        /* the values are bits; otherwise the whole value is compared */
	char delimiter[8]; /* text between two flags, such as "|" */
	uint64_t mask;     /* the bits of the field that are looked up */
	/* The text if no bit of @mask is set in the field: "R" in `REC->field & mask ? __print_flags(...) : "R"`; NULL = none. */
	const char *zero;
};

/**
 * tw_print__names() - the names that the print fmt has for the values of a field, or for the values of `field & constant`
 * The names are those of the first table for the field. For the number of a system call, they are those of schema/syscalls.h.
 * Return: false if there are no names, or if a later table for the field has the same mask but other names: then a condition of the print
 * fmt decides which table is used.
 */
bool tw_print__names(const struct tw_print *print, const struct tw_field *field, struct tw_print_names *ret);

/**
 * tw_print_names__can_compare() - whether the field can be compared with a name
 * It can if the names are flags, or if they name values of all bits of the field, not of a part of its bits.
 */
static inline bool tw_print_names__can_compare(const struct tw_print_names *names, const struct tw_field *field)
{
	return names->flags || field->size < 1 || field->size > 8 ||
	       !(~names->mask & UINT64_MAX >> (64 - 8 * field->size));
}

/**
 * tw_print_names__put() - append the text of a field's value as in the print fmt: for example "WORD", or "A|B|0x10" for flags
 * Return: false, with nothing appended, if no name fits.
 */
bool tw_print_names__put(const struct tw_print_names *names, uint64_t value, struct tw_line *line);

/**
 * tw_print__addresses() - list the fields whose values are printed as symbols
 * They are POINTERs, integers that can hold an address, and arrays of either. A producer looks up the symbols of exactly these fields.
 * Return: array of *ret_n fields, borrowed.
 */
const struct tw_field *const *tw_print__addresses(const struct tw_print *print, size_t *ret_n);

/** tw_print__is_pointer() - whether a field's value is printed as an address (%p, %px and similar conversions) or as a symbol */
bool tw_print__is_pointer(const struct tw_print *print, const struct tw_field *field);

/** tw_print__is_graph_entry() - whether the event is the function graph's event for a call; tw_print__is_graph_exit(): for a return */
bool tw_print__is_graph_entry(const struct tw_print *print);
bool tw_print__is_graph_exit(const struct tw_print *print);

/**
 * tw_print__graph_leaf() - append one text for the call of a function that calls no traced function: `  1.234 us   |    name();`
 * @entry: of an event for which tw_print__is_graph_entry() is true
 * @leave: of the next event on the same CPU, for which tw_print__is_graph_exit() is true
 * Return: false, with nothing appended, if the tasks or the functions differ, or if the duration is unreadable. The caller then prints the
 * texts of both events.
 */
bool tw_print__graph_leaf(const struct tw_print *entry, const struct tw_record *entry_record,
			  const struct tw_print *leave, const struct tw_record *leave_record,
			  const struct tw_print_host *host, struct tw_line *line);

#endif
