/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's cache of schemas: $XDG_CACHE_HOME/tracewire or ~/.cache/tracewire, one file for each schema id in the form of
 * formats_file.h. A schema id is a hash of its content and is checked before a file is believed, so neither a damaged file
 * nor a stranger's capture with an id of its choice can put anything wrong in. It is a cache: failing is silent.
 */
#ifndef TW_CACHE_H
#define TW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/schema_text.h"

#define TW_CACHE_FILES_MAX 64
#define TW_CACHE_BYTES_MAX (4u << 20) /* of all files; those not used for the longest time go first */

/** tw_cache__store() - keep a complete schema; texts in the order of SCHEMA's index */
void tw_cache__store(uint64_t schema_id, bool big_endian, uint8_t long_size, const struct tw_schema_text *texts,
		     size_t n);

/**
 * tw_cache__load() - the file of a schema, if there is one and its content is what its name says
 * @ret_len: bytes
 * Return: the file in the form of formats_file.h, to be g_free()d; NULL if there is none.
 */
char *tw_cache__load(uint64_t schema_id, size_t *ret_len);

/** tw_cache__each() - call @each for every schema in the cache, first seen first, so that names keep their meaning */
void tw_cache__each(void (*each)(const char *bytes, size_t len));

#endif
