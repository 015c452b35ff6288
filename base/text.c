/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

size_t tw_text__utf8(const uint8_t *s, size_t len)
{
	size_t n;

	if (*s < 0x80)
		return 1;
	n = *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static bool is_control(const uint8_t *s, size_t n)
{
	return *s < 0x20 || *s == 0x7f || (n == 2 && *s == 0xc2 && s[1] < 0xa0);
}

void tw_text__copy(char *to, size_t size, const void *from, size_t len)
{
	const uint8_t *s = from;
	size_t at = 0;

	for (size_t i = 0; i < len;) {
		const size_t n = tw_text__utf8(s + i, len - i), take = n ? n : 1;

		if (!n || is_control(s + i, n)) {
			if (at + 1 == size)
				break;
			to[at++] = '?';
		} else {
			if (n > size - 1 - at)
				break;
			memcpy(to + at, s + i, n);
			at += n;
		}
		i += take;
	}
	to[at] = '\0';
}
