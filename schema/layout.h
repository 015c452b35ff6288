/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a kernel lays out a sub-buffer and the entries in it, as events/header_page and events/header_event tell. Needed
 * where raw sub-buffers are read: from a ring, or from a recording of another kernel.
 */
#ifndef TW_LAYOUT_H
#define TW_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The sub-buffer's layout, from events/header_page. Offsets and sizes in bytes. */
struct tw_page_layout {
	uint16_t commit_offset; /* of the commit word */
	uint16_t commit_size;   /* its bytes: the traced kernel's long */
	uint16_t data_offset;   /* where events begin */
};

/** tw_page_layout__parse() - parse events/header_page. Return: 0, or -EINVAL or -E2BIG with @err filled */
int tw_page_layout__parse(const char *text, size_t len, struct tw_page_layout *ret, struct tw_error *err);

/* The numbers of events/header_event. */
struct tw_entry_layout {
	uint8_t type_len_bits, time_delta_bits;
	uint8_t padding, time_extend, time_stamp; /* type_len values */
	uint8_t data_max;                         /* largest type_len that is a length in words */
};

/** tw_entry_layout__parse() - parse events/header_event. Return: 0, or -EINVAL or -E2BIG with @err filled */
int tw_entry_layout__parse(const char *text, size_t len, struct tw_entry_layout *ret, struct tw_error *err);

#endif
