/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of a record that are no field's: between fields, for their alignment, and behind the end of a text. The kernel does not
 * clear them: they have what the ring held before, pieces of addresses among it.
 */
#ifndef TW_PADDING_H
#define TW_PADDING_H

#include "producer/field_offsets.h"

/** tw_padding__count() - most that tw_padding__add() adds for this format */
size_t tw_padding__count(const struct tw_format *format);

/** tw_padding__add() - where records of this format have such bytes */
void tw_padding__add(struct tw_field_offsets *spots, const struct tw_format *format);

#endif
