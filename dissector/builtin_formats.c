/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/builtin_formats.h"

#include <string.h>

enum tw_type tw_builtin__any_type(const char *field, enum tw_type otherwise)
{
	uint32_t low = 0, high = tw_builtin_n_any;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;
		const int order = strcmp(field, tw_builtin_pool + tw_builtin_any[mid].name);

		if (!order)
			return (enum tw_type)tw_builtin_any[mid].type;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return otherwise;
}
