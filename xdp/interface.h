/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network interfaces by name. */
#ifndef TW_XDP_INTERFACE_H
#define TW_XDP_INTERFACE_H

#include "base/error.h"

/** tw_interface__index() - Return: its index, more than 0; -ENODEV if there is none of that name; another -errno of asking */
int tw_interface__index(const char *name, struct tw_error *err);

#endif
