/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tree says of a number that Wireshark alone would show bare: words, symbols, frames of a stack. */
#ifndef TW_LABEL_H
#define TW_LABEL_H

#include "dissector/packet-tracewire.h"

/**
 * tw_label__number() - put the words for a value behind it, in the tree
 * @item: NULL if nobody looks
 * @symbol: that the value lies in; NULL if none is known
 * @i: of the element in a stack
 */
void tw_label__number(proto_item *item, const struct tw_shown_field *shown, uint64_t value,
		      const struct tw_symbol *symbol, uint32_t i);

#endif
