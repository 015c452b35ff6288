/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. Bitmasks that only the print format knows: the type is `__data_loc unsigned long[]`. */
#ifndef TW_BITMASK_H
#define TW_BITMASK_H

#include "schema/format.h"

/** tw_bitmask__find() - make the arrays of longs that are printed by __get_bitmask() and its like bitmasks */
void tw_bitmask__find(struct tw_format *format);

#endif
