/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the blocks of a pcapng file in memory, for tests of single options. tshark and capinfos are the reference. */
#ifndef TEST_BLOCKS_H
#define TEST_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BLOCK_SHB 0x0A0D0D0Au
#define BLOCK_IDB 1u
#define BLOCK_ISB 5u
#define BLOCK_EPB 6u

struct block {
	uint32_t type, len;
	const uint8_t *body; /* between the two lengths */
	size_t body_len;
};

static inline uint32_t load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Get the block at *@at and advance *@at. Return: false at the end, and if no whole block follows */
static inline bool block__next(const uint8_t *file, size_t size, size_t *at, struct block *ret)
{
	uint32_t len;

	if (size - *at < 12)
		return false;
	len = load_u32(file + *at + 4);
	if (len < 12 || len % 4 || len > size - *at || load_u32(file + *at + len - 4) != len)
		return false;
	*ret = (struct block){
		.type = load_u32(file + *at),
		.len = len,
		.body = file + *at + 8,
		.body_len = len - 12,
	};
	*at += len;
	return true;
}

/* Return: value of option @code of a block whose options begin at @from; NULL if the block does not have it */
static inline const uint8_t *block__option(const struct block *block, size_t from, uint16_t code, size_t *ret_len)
{
	while (from + 4 <= block->body_len) {
		uint16_t head[2];

		memcpy(head, block->body + from, sizeof(head));
		*ret_len = head[1];
		if (head[0] == code)
			return block->body + from + 4;
		if (!head[0])
			return NULL;
		from += 4 + ((head[1] + 3u) & ~3u);
	}
	return NULL;
}

static inline bool block__has_text(const struct block *block, size_t from, uint16_t code, const char *text)
{
	size_t len;
	const uint8_t *value = block__option(block, from, code, &len);

	return value && len == strlen(text) && !memcmp(value, text, len);
}

static inline uint64_t block__number(const struct block *block, size_t from, uint16_t code)
{
	size_t len;
	const uint8_t *value = block__option(block, from, code, &len);
	uint64_t number = UINT64_MAX;

	if (value && len == sizeof(number))
		memcpy(&number, value, sizeof(number));
	return number;
}

/* Times are two words, the high one first. */
static inline uint64_t load_time(const uint8_t *p)
{
	return (uint64_t)load_u32(p) << 32 | load_u32(p + 4);
}

#endif
