/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little JSON that commands write. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

/** cli_json__text() - a string in quotes to standard output */
void cli_json__text(const char *text);

#endif
