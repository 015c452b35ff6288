/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fields are called where names have rules: in Wireshark, and so in the filter language. */
#ifndef TW_FIELD_NAME_H
#define TW_FIELD_NAME_H

#include <stdbool.h>

#define TW_NAME_MAX 256 /* of one whole name, bytes with NUL */

/** tw_name__may_have() - Wireshark's rule for the characters of a part of a name */
static inline bool tw_name__may_have(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/**
 * tw_name__join() - "trace.SYSTEM.EVENT.FIELD", what may not be in a name replaced by '_'
 * @parts: NULL-terminated list of the parts behind "trace"
 * @ret: TW_NAME_MAX bytes; cut if it does not fit
 */
void tw_name__join(const char *const *parts, char *ret);

#endif
