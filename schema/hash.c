/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/hash.h"

#include <string.h>

#include "base/bytes.h"

void tw_schema_hash__init(struct tw_schema_hash *hash, bool big_endian, uint8_t long_size)
{
	const uint8_t host[2] = { big_endian, long_size };

	tw_sha256__init(&hash->sha);
	tw_sha256__update(&hash->sha, host, sizeof(host));
}

void tw_schema_hash__text(struct tw_schema_hash *hash, const char *system, const char *text, size_t len)
{
	uint8_t length[8];

	/* The NUL and the length keep a system, its text and the next text apart. */
	tw_store_be64(length, len);
	tw_sha256__update(&hash->sha, system, strlen(system) + 1);
	tw_sha256__update(&hash->sha, length, sizeof(length));
	tw_sha256__update(&hash->sha, text, len);
}

uint64_t tw_schema_hash__fini(struct tw_schema_hash *hash)
{
	uint8_t digest[TW_SHA256_SIZE];
	uint64_t id;

	tw_sha256__fini(&hash->sha, digest);
	id = tw_load_be64(digest);
	return id ? id : 1;
}
