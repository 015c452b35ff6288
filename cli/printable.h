/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names out of captures come from strangers: no escapes of theirs reach anybody's terminal. */
#ifndef CLI_PRINTABLE_H
#define CLI_PRINTABLE_H

#include <stddef.h>

/** cli_printable() - make control characters but newlines '?' */
static inline void cli_printable(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (((unsigned char)text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f)
			text[i] = '?';
	}
}

#endif
