/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The product's parsing of formats and records compared with libtraceevent's. Each difference is printed and counted, unless the list of
 * known ones has it with a reason.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <traceevent/event-parse.h>

#include "schema/field.h"
#include "schema/format.h"
#include "schema/schema.h"
#include "wire/tracewire.h"

#define SKIPPED 77 /* exit status: CTest's SKIP_RETURN_CODE */

/* The place of a difference. */
struct place {
	const char *system, *event, *field;
};

/**
 * differ() - print and count a difference, unless SYSTEM:EVENT:FIELD:WHAT is on the list (listed.h)
 * @what: size, sign, value, ...
 */
__attribute__((format(printf, 3, 4))) void differ(const struct place *place, const char *what, const char *fmt, ...);

/** differences() - number so far; known_differences(): those on the list */
unsigned long differences(void);
unsigned long known_differences(void);

/** compare_format() - every field of an event */
void compare_format(const struct tw_format *ours, const struct tep_event *theirs);

/** compare_page() - the header_page text as parsed by both */
void compare_page(struct tep_handle *tep, const char *text, size_t len);

/* Numbers of comparisons, so that a test can check that there were some. */
struct value_counts {
	unsigned long records, values, elements, dynamic, strings, bitmasks, to_end;
};

/** compare_record() - every value of every field of a record, read in the kernel's form and in that of the wire */
void compare_record(const struct tw_format *ours, struct tep_event *theirs, struct tep_record *record,
		    struct value_counts *counts);

/**
 * make_record() - random bytes with locations inside the record, as an event of that format could have them
 * @size: of @ret, bytes; more than the fixed fields need
 *
 * Return: length of the record, bytes
 */
uint32_t make_record(const struct tw_format *format, bool big_endian, uint8_t *ret, uint32_t size);

/** print_values() - one line with the comparisons and their results */
void print_values(const struct value_counts *counts);

/* Return: 0, or a value that stops the walk */
typedef int (*text_visitor)(void *context, enum tw_schema_kind kind, const char *system, const char *text, size_t len);

/**
 * walk_texts() - visit the format and header texts of a source
 * @source: an `events` directory; a .tar.xz with one; or a trace.dat of version 6, little-endian
 *
 * Return: 0, -errno, or the visitor's value that stopped it
 */
int walk_texts(const char *source, text_visitor visit, void *context);

/** read_file() - content of a file, to be freed; NULL with errno set */
char *read_file(const char *path, size_t *ret_len);

#endif
