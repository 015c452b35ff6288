/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), implemented here so that schema/ needs no cryptographic library. */
#ifndef TW_SHA256_H
#define TW_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define TW_SHA256_SIZE 32 /* size of a digest, bytes */

struct tw_sha256 {
	uint32_t state[8];
	uint64_t len; /* bytes added so far */
	uint8_t block[64];
};

/** tw_sha256__init() - begin; tw_sha256__update() - add bytes, any number of times; tw_sha256__fini() - get the digest of all bytes */
void tw_sha256__init(struct tw_sha256 *sha);
void tw_sha256__update(struct tw_sha256 *sha, const void *data, size_t len);
void tw_sha256__fini(struct tw_sha256 *sha, uint8_t ret_digest[TW_SHA256_SIZE]);

#endif
