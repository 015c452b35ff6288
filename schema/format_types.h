/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the schema room. What the types of a format's fields mean, once all its fields are there: some types only
 * the whole format explains, by its largest offset, by a long among the others, by what it prints.
 */
#ifndef TW_FORMAT_TYPES_H
#define TW_FORMAT_TYPES_H

#include "schema/format.h"

/** tw_format__find_types() - set long_size, and kind, place and elements of all fields */
void tw_format__find_types(struct tw_format *format);

#endif
