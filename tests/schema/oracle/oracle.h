/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares how Tracewire and libtraceevent parse formats and records. Each difference is printed and counted, unless it is on the list of
 * known differences.
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

/** differences() - number of differences that are not on the list; known_differences(): number of those that are */
unsigned long differences(void);
unsigned long known_differences(void);

/** compare_format() - compare every field of a format */
void compare_format(const struct tw_format *ours, const struct tep_event *theirs);

/** compare_page() - compare the results of both parsers for a header_page text */
void compare_page(struct tep_handle *tep, const char *text, size_t len);

/* Numbers of comparisons, so that a test can check that there were some. */
struct value_counts {
	unsigned long records, values, elements, dynamic, strings, bitmasks, to_end;
};

/** compare_record() - compare every value of a record, as the kernel wrote it; also read each value from the record in an EVENT */
void compare_record(const struct tw_format *ours, struct tep_event *theirs, struct tep_record *record,
		    struct value_counts *counts);

/**
 * make_record() - fill a record with random bytes; its locations point into the record, so an event of this format could have it
 * @size: of @ret, bytes; more than the fixed fields need
 *
 * Return: length of the record, bytes
 */
uint32_t make_record(const struct tw_format *format, bool big_endian, uint8_t *ret, uint32_t size);

/** print_values() - print one line with the numbers of comparisons and of differences */
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

/** read_file() - read a file. Return: its content, which the caller frees; NULL with errno set */
char *read_file(const char *path, size_t *ret_len);

#endif
