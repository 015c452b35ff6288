/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little JSON that commands write: base/json.h on a stream. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stddef.h>
#include <stdio.h>

/** cli_json__text() - a string in quotes to standard output */
void cli_json__text(const char *text);

/** cli_json__bytes() - a part of a string, without quotes; characters are not divided between two parts */
void cli_json__bytes(const char *text, size_t len, FILE *out);

#endif
