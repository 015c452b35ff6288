/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/name_store.h"

#include <stdlib.h>
#include <string.h>

struct tw_name_chunk {
	struct tw_name_chunk *next;
	size_t used;
	char bytes[TW_NAME_STORE_CHUNK - sizeof(struct tw_name_chunk *) - sizeof(size_t)];
};

void tw_name_store__free(struct tw_name_store *store)
{
	for (struct tw_name_chunk *chunk = store->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	store->chunks = NULL;
}

bool tw_name_store__has_room(const struct tw_name_store *store, size_t len)
{
	return store->chunks && sizeof(store->chunks->bytes) - store->chunks->used > len;
}

const char *tw_name_store__copy(struct tw_name_store *store, const char *name, size_t len)
{
	struct tw_name_chunk *chunk = store->chunks;
	char *copy;

	if (!tw_name_store__has_room(store, len)) {
		if (len >= sizeof(chunk->bytes))
			return NULL;
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->next = store->chunks;
		chunk->used = 0;
		store->chunks = chunk;
	}
	copy = chunk->bytes + chunk->used;
	memcpy(copy, name, len);
	copy[len] = '\0';
	chunk->used += len + 1;
	return copy;
}
