/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library for LD_PRELOAD that leaks memory when it is loaded, to test that the leak detector works here. */
#include <stdlib.h>
#include <string.h>

#define LOST 200000 /* number of bytes that are leaked */

__attribute__((constructor)) static void lose(void)
{
	void *volatile lost = malloc(LOST);

	if (lost)
		memset(lost, 1, LOST);
	lost = NULL;
}
