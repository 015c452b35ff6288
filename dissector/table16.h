/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from 16-bit numbers, event ids and channels, to pointers: two loads a look-up, pages where there is something. */
#ifndef TW_TABLE16_H
#define TW_TABLE16_H

#include <stdbool.h>
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

/** tw_table16__allow_page() - take one more from the capture's budget of pages. Return: false if it is used up */
bool tw_table16__allow_page(void);

/* The table belongs to the capture. Return: false if the capture has used up its pages. */
static inline bool tw_table16__put(struct tw_table16 *table, uint16_t key, void *value)
{
	void ***page = &table->pages[key >> 8];

	if (!*page) {
		if (!tw_table16__allow_page())
			return false;
		*page = (void **)wmem_alloc0(wmem_file_scope(), 256 * sizeof(void *));
	}
	(*page)[key & 0xff] = value;
	return true;
}

#endif
