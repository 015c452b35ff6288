/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression as one string, as the back ends for other people's tools write it. */
#ifndef CLI_FILTER_STRINGS_H
#define CLI_FILTER_STRINGS_H

#include "cli/filter/expression.h"

/*
 * @ret: free()
 * Return: 0; -EOPNOTSUPP, -E2BIG where it cannot be expressed, -ENOMEM; with @err filled.
 */
typedef int filter_string(const struct filter_expression *expression, char **ret, struct tw_error *err);

filter_string filter_string__pcap, filter_string__display;

#endif
