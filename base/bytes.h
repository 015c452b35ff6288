/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Load and store numbers at any alignment. The caller states the byte order. */
#ifndef TW_BYTES_H
#define TW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TW_HOST_BE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t tw_load16(const void *p, bool big_endian)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == TW_HOST_BE ? v : __builtin_bswap16(v);
}

static inline uint16_t tw_load_be16(const void *p)
{
	return tw_load16(p, true);
}

static inline void tw_store_be16(void *p, uint16_t v)
{
	if (!TW_HOST_BE)
		v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint32_t tw_load32(const void *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == TW_HOST_BE ? v : __builtin_bswap32(v);
}

static inline uint32_t tw_load_be32(const void *p)
{
	return tw_load32(p, true);
}

static inline void tw_store_be32(void *p, uint32_t v)
{
	if (!TW_HOST_BE)
		v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint64_t tw_load64(const void *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == TW_HOST_BE ? v : __builtin_bswap64(v);
}

static inline uint64_t tw_load_be64(const void *p)
{
	return tw_load64(p, true);
}

static inline void tw_store_be64(void *p, uint64_t v)
{
	if (!TW_HOST_BE)
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

/** tw_load_uint() - load a number of 1, 2, 4 or 8 bytes; for any other @size, load one byte */
static inline uint64_t tw_load_uint(const void *p, size_t size, bool big_endian)
{
	switch (size) {
	case 2:
		return tw_load16(p, big_endian);
	case 4:
		return tw_load32(p, big_endian);
	case 8:
		return tw_load64(p, big_endian);
	default:
		return *(const uint8_t *)p;
	}
}

#endif
