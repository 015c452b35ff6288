/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. Names that kernels give to integers, and what they stand for. */
#ifndef TW_TYPE_NAME_H
#define TW_TYPE_NAME_H

#include "schema/format.h"
#include "schema/text.h"

struct tw_type_name {
	const char *name;
	uint8_t size; /* bytes, or TW_TYPE_LONG */
	bool is_signed;
	uint8_t kind; /* enum tw_field_kind */
};

/** tw_type_name__find() - NULL if it is none that we know; then the format's size and sign have to do */
const struct tw_type_name *tw_type_name__find(struct tw_text word);

#endif
