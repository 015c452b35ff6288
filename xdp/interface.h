/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network interfaces: their index, and their use as redirect targets. */
#ifndef TW_INTERFACE_H
#define TW_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** tw_interface__index() - Return: the index of an interface, > 0; -ENODEV if no interface has that name; another -errno */
int tw_interface__index(const char *name, struct tw_error *error);

/** tw_interface__takes_redirected() - whether an interface sends frames that XDP redirects to it; true if unknown (before Linux 6.3) */
bool tw_interface__takes_redirected(uint32_t ifindex);

/**
 * tw_interface__leads_back() - whether @target and @ifindex are the ends of a veth pair, so that frames sent by @target arrive on @ifindex
 * Return: false also if this is unknown.
 */
bool tw_interface__leads_back(uint32_t target, int ifindex);

#endif
