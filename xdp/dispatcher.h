/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libxdp's dispatcher: several XDP programs on one interface. Used inside xdp/ only. */
#ifndef TW_DISPATCHER_H
#define TW_DISPATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** tw_dispatcher__is_there() - whether the interface has one */
bool tw_dispatcher__is_there(int ifindex);

/** tw_dispatcher__has() - whether the program of that id is one of its */
bool tw_dispatcher__has(int ifindex, uint32_t program);

/** tw_dispatcher__detach() - take that program out. Return: 0 or -errno */
int tw_dispatcher__detach(int ifindex, uint32_t program, struct tw_error *err);

#endif
