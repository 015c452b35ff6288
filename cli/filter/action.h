/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the action of a rule: pass, drop, mark:N or redirect:INTERFACE. */
#ifndef CLI_FILTER_ACTION_H
#define CLI_FILTER_ACTION_H

#include <stdint.h>

#include "base/error.h"

struct filter_action {
	uint8_t action;        /* enum tw_action */
	uint32_t arg;          /* mark: the mark; redirect: the index of the interface */
	const char *interface; /* redirect: the name of the interface; borrowed */
};

/**
 * filter_action__parse() - parse an action; the interface of redirect must exist
 * Return: 0; or -errno with @error filled: -EINVAL for an invalid action, -ENODEV for an interface that does not exist.
 */
int filter_action__parse(const char *text, struct filter_action *ret, struct tw_error *error);

#endif
