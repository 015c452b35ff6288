/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded to test that the leak detector works here: leaks memory when it is loaded. */
#include <stdlib.h>
#include <string.h>

#define LOST 200000 /* bytes */

__attribute__((constructor)) static void lose(void)
{
	void *volatile lost = malloc(LOST);

	if (lost)
		memset(lost, 1, LOST);
	lost = NULL;
}
