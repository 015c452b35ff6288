/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the golden frames as bytes, one file each, to the given directory: the seeds of the decoder's fuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

static int write_seed(const char *folder, const struct golden *golden)
{
	char path[4096];
	size_t written;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, golden->name);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	written = fwrite(golden->data, 1, golden->len, f);
	return fclose(f) || written != golden->len ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct golden *all;
	size_t n;
	int err;

	if (argc != 2)
		return 2;
	err = golden__load_all(&all, &n);
	if (err) {
		fprintf(stderr, "the golden frames cannot be read: %s\n", strerror(-err));
		return 1;
	}
	for (size_t i = 0; !err && i < n; i++)
		err = write_seed(argv[1], &all[i]);
	free(all);
	return err ? 1 : 0;
}
