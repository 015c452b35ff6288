/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several format texts in one file, as the cache keeps them and as users can make them for the preference:
 *
 *	# tracewire formats 1 le 8      comment; the cache notes byte order and size of a long here
 *	system: sched 1488              system of the text that follows, if any; its length in bytes may be left out,
 *	name: sched_switch              then it ends before the next such line
 *	ID: 316
 *	...
 */
#ifndef TW_FORMATS_FILE_H
#define TW_FORMATS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/schema_text.h"

struct tw_formats_file {
	const char *at, *end;
	char system[TW_SCHEMA_NAME_MAX];
};

/** tw_formats_file__open() - @bytes are borrowed */
static inline struct tw_formats_file tw_formats_file__open(const char *bytes, size_t len)
{
	return (struct tw_formats_file){ .at = bytes, .end = bytes + len };
}

/**
 * tw_formats_file__next() - the next text
 * @ret: its system is overwritten by the next call
 * Return: false at the end, or where the rest makes no sense.
 */
bool tw_formats_file__next(struct tw_formats_file *file, struct tw_schema_text *ret);

#endif
