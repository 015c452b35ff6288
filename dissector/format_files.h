/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with several format texts. The files of the cache have this format, and users can make such files for the preference "formats":
 *
 *	# tracewire formats 1 le 8
 *	system: sched 1488
 *	name: sched_switch
 *	ID: 316
 *	...
 *
 * The first line is a comment. In files of the cache, it has the byte order and the size of a long. A line with "system:" has the system,
 * which may be empty, and the length of the next text in bytes. If the length is omitted, the text ends before the next "system:" line.
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

/** tw_formats_file__open() - begin to read a file with the content @bytes, which is borrowed */
static inline struct tw_formats_file tw_formats_file__open(const char *bytes, size_t len)
{
	return (struct tw_formats_file){ .at = bytes, .end = bytes + len };
}

/**
 * tw_formats_file__next() - get the next text
 * @ret: borrowed; the next call overwrites its system
 * Return: false at the end, or if the rest is invalid.
 */
bool tw_formats_file__next(struct tw_formats_file *file, struct tw_schema_text *ret);

/*
 * The user's cache of schemas: $XDG_CACHE_HOME/tracewire or ~/.cache/tracewire, one file for each schema id, in the format above. A
 * schema id is a hash of the content, and a file is used only if its content has the hash that its name states. Therefore neither a damaged
 * file nor a capture with a forged schema id can make the plugin use wrong formats. Failures of the cache are not reported.
 */
#define TW_CACHE_FILES_MAX 64
#define TW_CACHE_BYTES_MAX (4u << 20) /* bytes of all files; the least recently used files are removed first */

/** tw_cache__store() - store a complete schema; if its file exists, only mark the file as used. @texts: in the order of their index */
void tw_cache__store(uint64_t schema_id, bool big_endian, uint8_t long_size, const struct tw_schema_text *texts,
		     size_t n);

/**
 * tw_cache__load() - read the file of a schema, if it exists and its content matches its name
 * @ret_len: length of the file, bytes
 * Return: the content of the file, in the format above, to be freed with g_free(); NULL if there is none.
 */
char *tw_cache__load(uint64_t schema_id, size_t *ret_len);

/* A callback that gets one format text of the cache or of a file. */
typedef void tw_format_files_each(const char *system, const char *text, size_t len);

/** tw_cache__each() - call @each for each text of the cache, the oldest schemas first, so that each name keeps the type it got first */
void tw_cache__each(tw_format_files_each *each);

/** tw_format_files__each() - call @each for each text of a file in the format above, or of a directory such as tracefs' events */
void tw_format_files__each(const char *path, tw_format_files_each *each);

#endif
