/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/regular_file.h"

#include <glib/gstdio.h>

char *tw_regular_file__read(const char *path, gsize max, gsize *ret_len)
{
	GStatBuf st;
	char *bytes;

	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || g_stat(path, &st) || (guint64)st.st_size > max ||
	    !g_file_get_contents(path, &bytes, ret_len, NULL))
		return NULL;
	return bytes;
}
