/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schema: the formats to which event ids refer, looked up by id or by name. */
#ifndef TW_SCHEMA_H
#define TW_SCHEMA_H

#include "schema/format.h"
#include "schema/sha256.h"
#include "schema/syscalls.h"

#define TW_SCHEMA_FORMATS_MAX 65536
#define TW_SCHEMA_MEMORY_MAX  (64 * 1024 * 1024) /* bytes; all 2323 formats of a 6.18 kernel need 3 MB */

struct tw_schema;

/** tw_schema__new() - make an empty schema. Return: NULL if out of memory */
struct tw_schema *tw_schema__new(void);

/**
 * tw_schema__new_view() - make a schema to which tw_schema__lend() adds formats that have another owner: a view
 * The owner must keep the formats until the view is freed.
 * Return: NULL if out of memory.
 */
struct tw_schema *tw_schema__new_view(void);

/** tw_schema__free() - free @schema, which may be NULL, and its formats; the formats of a view stay */
void tw_schema__free(struct tw_schema *schema);

/**
 * tw_schema__add() - parse a format text and add the format; it replaces an earlier format with the same id
 * @ret: borrowed until the schema is freed or the format is replaced; may be NULL
 * Return: as tw_format__parse(); -E2BIG also beyond TW_SCHEMA_MEMORY_MAX. A refused text changes nothing.
 */
int tw_schema__add(struct tw_schema *schema, const char *system, const char *text, size_t len,
		   const struct tw_format **ret, struct tw_error *error);

/**
 * tw_schema__lend() - add a format to a view; it replaces an earlier format with the same id
 * Return: 0; -E2BIG beyond TW_SCHEMA_MEMORY_MAX, -ENOMEM.
 */
int tw_schema__lend(struct tw_schema *view, const struct tw_format *format, struct tw_error *error);

/**
 * tw_schema__set_long_size() - call tw_format__assume_long_size() for existing and later formats
 * @schema: not a view
 * @long_size: size of the traced host's long, 4 or 8 bytes
 */
void tw_schema__set_long_size(struct tw_schema *schema, uint8_t long_size);

/** tw_schema__set_machine() - set the traced host's architecture for existing and later formats; @schema: not a view */
void tw_schema__set_machine(struct tw_schema *schema, enum tw_machine machine);

/** tw_schema__by_id() - find the format of an event id in constant time. Return: NULL if it is unknown; borrowed */
const struct tw_format *tw_schema__by_id(const struct tw_schema *schema, uint16_t id);

/** tw_schema__by_name() - find a format by name; of several, the one with the lowest id. @system: NULL = any. Return: NULL if none */
const struct tw_format *tw_schema__by_name(const struct tw_schema *schema, const char *system, const char *name);

/** tw_schema__count() - number of formats; tw_schema__at(): format @i, from 0, in order of id; NULL past the last */
size_t tw_schema__count(const struct tw_schema *schema);
const struct tw_format *tw_schema__at(const struct tw_schema *schema, size_t i);

/** tw_schema__memory() - size of the schema in memory, bytes; the formats of a view are not counted */
size_t tw_schema__memory(const struct tw_schema *schema);

/*
 * The id of a schema is a hash: schemas with the same texts, byte order and size of a long have the same id.
 *
 * The id is the first 8 bytes of a SHA-256, read as a big-endian number. If this number is 0, which means "none" on the wire, the id is 1.
 * The input of the SHA-256 is
 *
 *	u8 1 if the traced host is big-endian, otherwise 0; u8 size of its long
 *	for each text, in the order of SCHEMA's index: its system, a NUL, u64 big-endian length of the text, the text
 */
struct tw_schema_hash {
	struct tw_sha256 sha;
};

/** tw_schema_hash__init() - begin a hash; @long_size: size of the traced host's long, bytes */
void tw_schema_hash__init(struct tw_schema_hash *hash, bool big_endian, uint8_t long_size);

/** tw_schema_hash__text() - add a text of @len bytes, as in the decompressed SCHEMA; @system: "" for a text without a system */
void tw_schema_hash__text(struct tw_schema_hash *hash, const char *system, const char *text, size_t len);

/** tw_schema_hash__fini() - end a hash. Return: the id, never 0 */
uint64_t tw_schema_hash__fini(struct tw_schema_hash *hash);

#endif
