/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The id of a schema, made from what is in it: equal formats have equal ids on all hosts. */
#ifndef TW_SCHEMA_HASH_H
#define TW_SCHEMA_HASH_H

#include <stdbool.h>

#include "schema/sha256.h"

/*
 * The first 8 bytes, read as a big-endian number, of a SHA-256 over
 *
 *	u8 1 if the traced host is big-endian, else 0; u8 size of its long
 *	for each text, in the order of SCHEMA's index: its system, a NUL, u64 big-endian length of the text, the text
 *
 * and 1 in the one case of 2^64 where that number is 0, which means "none" on the wire.
 */
struct tw_schema_hash {
	struct tw_sha256 sha;
};

/** tw_schema_hash__init() - begin; @long_size is that of the traced host, bytes */
void tw_schema_hash__init(struct tw_schema_hash *hash, bool big_endian, uint8_t long_size);

/**
 * tw_schema_hash__text() - one text more
 * @system: "" for header_page and header_event
 * @text: @len bytes, exactly as tracefs gives it
 */
void tw_schema_hash__text(struct tw_schema_hash *hash, const char *system, const char *text, size_t len);

/** tw_schema_hash__fini() - Return: the id, never 0 */
uint64_t tw_schema_hash__fini(struct tw_schema_hash *hash);

#endif
