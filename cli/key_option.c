/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/key_option.h"

#include <string.h>

void key_option__put(FILE *out, const char *list, bool of_end)
{
	while (*list) {
		const size_t len = strcspn(list, ","), first = strcspn(list, ",=");
		const char *part = of_end && first < len ? list + first + 1 : list;
		const size_t part_len = of_end && first < len ? len - first - 1 : first;

		fprintf(out, "%.*s%s", (int)part_len, part, list[len] ? "," : "");
		list += len + (list[len] != '\0');
	}
}
