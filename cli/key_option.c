/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/key_option.h"

#include <errno.h>
#include <string.h>

#include "pairs/table.h"

/* Whether each part between commas is FIELD or FIELD=FIELD. @ret_n: number of parts */
static bool is_key(const char *list, size_t *ret_n)
{
	for (*ret_n = 1;; ++*ret_n) {
		const size_t len = strcspn(list, ","), first = strcspn(list, ",=");

		if (!first || first + 1 == len || memchr(list + first + 1, '=', first < len ? len - first - 1 : 0))
			return false;
		if (!list[len])
			return true;
		list += len + 1;
	}
}

int key_option__check(const char *list, struct tw_error *error)
{
	size_t n;

	if (!is_key(list, &n))
		return tw_error__set(error, -EINVAL, "--key '%s' is not FIELD or FIELD=FIELD, or several with commas",
				     list);
	if (n > TW_PAIR_KEYS_MAX)
		return tw_error__set(error, -EINVAL, "--key has %zu fields: at most %d are possible", n,
				     TW_PAIR_KEYS_MAX);
	return 0;
}

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
