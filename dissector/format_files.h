/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several format texts in one file: the format of the cache, and of files that users can make for the preference:
 *
 *	# tracewire formats 1 le 8      comment; the cache notes byte order and size of a long here
 *	system: sched 1488              system of the text that follows, if any; its length in bytes may be left out,
 *	name: sched_switch              then it ends before the next such line
 *	ID: 316
 *	...
 */
#ifndef TW_FORMAT_FILES_H
#define TW_FORMAT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * @ret: the next call overwrites its system
 * Return: false at the end, or if the rest is invalid.
 */
bool tw_formats_file__next(struct tw_formats_file *file, struct tw_schema_text *ret);

/*
 * The user's cache of schemas: $XDG_CACHE_HOME/tracewire or ~/.cache/tracewire, one file for each schema id in the format above. A
 * schema id is a hash of the content and is checked before a file is used. So neither a damaged file nor a stranger's capture with a
 * chosen id can insert wrong formats. A failure of the cache is silent.
 */
#define TW_CACHE_FILES_MAX 64
#define TW_CACHE_BYTES_MAX (4u << 20) /* bytes of all files; the least recently used are removed first */

/** tw_cache__store() - store a complete schema; texts in the order of SCHEMA's index */
void tw_cache__store(uint64_t schema_id, bool big_endian, uint8_t long_size, const struct tw_schema_text *texts,
		     size_t n);

/**
 * tw_cache__load() - the file of a schema, if it exists and its content matches its name
 * @ret_len: bytes
 * Return: the file in the format above, to be freed with g_free(); NULL if there is none.
 */
char *tw_cache__load(uint64_t schema_id, size_t *ret_len);

/* Called with each text of the files. */
typedef void tw_format_files_each(const char *system, const char *text, size_t len);

/** tw_cache__each() - call it for each text of the cache, the oldest schemas first, so that names keep their meaning */
void tw_cache__each(tw_format_files_each *each);

/** tw_format_files__each() - call it for each text of a file in the format above, or of a directory such as tracefs' events */
void tw_format_files__each(const char *path, tw_format_files_each *each);

#endif
