/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds sub-buffers as the ring of this host's kernel would write them. */
#ifndef PAGES_H
#define PAGES_H

#include "producer/native_ring.h"

#define PAGE_BYTES 4096

struct page {
	uint8_t bytes[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];
	uint32_t len; /* size of the data so far */
};

static inline void page__init(struct page *page, uint64_t time)
{
	memset(page, 0, sizeof(*page));
	memcpy(page->bytes, &time, sizeof(time));
}

static inline void page__set_commit(struct page *page, uint32_t flags)
{
	const unsigned long commit = page->len | flags;

	memcpy(page->bytes + 8, &commit, sizeof(commit));
}

static inline void page__word(struct page *page, uint32_t word)
{
	memcpy(page->bytes + tw_native_layout.page.data_offset + page->len, &word, sizeof(word));
	page->len += 4;
	page__set_commit(page, 0);
}

/* The first word of an entry: five bits of type, 27 of time. */
static inline void page__head(struct page *page, uint32_t type, uint32_t delta)
{
	page__word(page, TW_HOST_BE ? type << 27 | delta : delta << 5 | type);
}

static inline void page__extend(struct page *page, uint32_t type, uint64_t time)
{
	page__head(page, type, (uint32_t)(time & 0x7ffffff));
	page__word(page, (uint32_t)(time >> 27));
}

/* Adds a record of @len bytes: common fields, then consecutive numbers. */
static inline void page__record(struct page *page, uint16_t id, uint32_t pid, uint32_t len)
{
	uint8_t *at = page->bytes + tw_native_layout.page.data_offset + page->len;

	for (uint32_t i = 0; i < len; i++)
		at[i] = (uint8_t)i;
	memcpy(at, &id, sizeof(id));
	memcpy(at + 4, &pid, sizeof(pid));
	page->len += len;
	page__set_commit(page, 0);
}

/* Adds an event. The type has the length of up to 112 bytes; a longer event, or one with @outside, has its length in a separate word. */
static inline void page__event(struct page *page, uint32_t delta, uint16_t id, uint32_t pid, uint32_t len, bool outside)
{
	if (outside || len > 112) {
		page__head(page, 0, delta);
		page__word(page, len + 4);
	} else {
		page__head(page, len / 4, delta);
	}
	page__record(page, id, pid, len);
}

#endif
