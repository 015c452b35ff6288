/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network interfaces: their index, and where frames may be redirected to. */
#ifndef TW_INTERFACE_H
#define TW_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** tw_interface__index() - Return: its index, more than 0; -ENODEV if there is none of that name; another -errno of asking */
int tw_interface__index(const char *name, struct tw_error *error);

/** tw_interface__takes_redirected() - whether it sends what XDP redirects to it; true also where kernels do not tell, before 6.3 */
bool tw_interface__takes_redirected(uint32_t ifindex);

/** tw_interface__leads_back() - whether what it sends arrives on @ifindex: it is the other end of that veth pair */
bool tw_interface__leads_back(uint32_t target, int ifindex);

#endif
