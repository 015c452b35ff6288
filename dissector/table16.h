/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from 16-bit numbers, event ids and channels, to pointers: two loads a look-up, pages where there is something. */
#ifndef TW_TABLE16_H
#define TW_TABLE16_H

#include <stddef.h>
#include <stdint.h>

#include <epan/wmem_scopes.h>

struct tw_table16 {
	void **pages[256];
};

static inline void *tw_table16__get(const struct tw_table16 *table, uint16_t key)
{
	void *const *page = table->pages[key >> 8];

	return page ? page[key & 0xff] : NULL;
}

/** tw_table16__growth() - bytes that tw_table16__put() would take */
static inline size_t tw_table16__growth(const struct tw_table16 *table, uint16_t key)
{
	return table->pages[key >> 8] ? 0 : 256 * sizeof(void *);
}

/* The table belongs to the capture. */
static inline void tw_table16__put(struct tw_table16 *table, uint16_t key, void *value)
{
	void ***page = &table->pages[key >> 8];

	if (!*page)
		*page = (void **)wmem_alloc0(wmem_file_scope(), 256 * sizeof(void *));
	(*page)[key & 0xff] = value;
}

#endif
