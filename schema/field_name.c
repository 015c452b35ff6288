/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/field_name.h"

#include <string.h>

void tw_name__join(const char *const *parts, char *ret)
{
	char *at = ret;
	char *const end = ret + TW_NAME_MAX - 1;

	memcpy(at, "trace", 5);
	at += 5;
	for (; *parts; parts++) {
		if (at < end)
			*at++ = '.';
		for (const char *p = *parts; *p && at < end; p++)
			*at++ = tw_name__may_have(*p) ? *p : '_';
	}
	*at = 0;
}
