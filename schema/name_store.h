/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. Memory for names that stay where they are, so that they can be borrowed. */
#ifndef TW_NAME_STORE_H
#define TW_NAME_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define TW_NAME_STORE_CHUNK 65536 /* bytes that are allocated at once; a name is shorter */

/* All zero is an empty one. */
struct tw_name_store {
	struct tw_name_chunk *chunks;
};

/** tw_name_store__free() - all names */
void tw_name_store__free(struct tw_name_store *store);

/** tw_name_store__has_room() - whether a name of that length is copied without allocating */
bool tw_name_store__has_room(const struct tw_name_store *store, size_t len);

/** tw_name_store__copy() - Return: the copy with a NUL behind it; NULL without memory */
const char *tw_name_store__copy(struct tw_name_store *store, const char *name, size_t len);

#endif
