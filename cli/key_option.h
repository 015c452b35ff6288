/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option --key, whose keys are fields that the two events of a pair have in common. */
#ifndef CLI_KEY_OPTION_H
#define CLI_KEY_OPTION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/** key_option__check() - check the argument of --key. Return: 0, or -EINVAL with @error filled */
int key_option__check(const char *list, struct tw_error *error);

/**
 * key_option__put() - write the keys of one event, as in the table of pairs
 * @list: FIELD or FIELD=FIELD, separated by commas
 * @of_end: write the field of the event that ends the pair, after the '='; false: of the event that begins it
 */
void key_option__put(FILE *out, const char *list, bool of_end);

#endif
