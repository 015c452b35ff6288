/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to pairs. The text of pairs/shipped.pairs. */
#ifndef TW_PAIRS_SHIPPED_H
#define TW_PAIRS_SHIPPED_H

extern const char tw_shipped_pairs[];

#endif
