/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/shown.h"

char *tw_shown__dup(wmem_allocator_t *scope, const void *text, size_t len)
{
	const size_t size = tw_printable__shown_len(text, len) + 1;
	char *shown = wmem_alloc(scope, size);

	tw_printable__copy(shown, size, text, len);
	return shown;
}
