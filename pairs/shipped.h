/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to pairs. The texts of pairs/shipped.pairs and pairs/ordered.pairs. */
#ifndef TW_PAIRS_SHIPPED_H
#define TW_PAIRS_SHIPPED_H

extern const char tw_shipped_pairs[], tw_ordered_pairs[];

#endif
