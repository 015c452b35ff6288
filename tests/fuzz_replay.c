/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target once for every file of the given directories, which have seeds and inputs that fuzzing found. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;
	int err = -1;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
		goto out;
	data = malloc((size_t)size + 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
		goto out;
	LLVMFuzzerTestOneInput(data, (size_t)size);
	err = 0;
out:
	if (err)
		fprintf(stderr, "%s: cannot be read\n", path);
	free(data);
	if (f)
		fclose(f);
	return err;
}

int main(int argc, char **argv)
{
	int files = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			char path[4096];

			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			if (replay_file(path))
				return 1;
			files++;
		}
		if (dir)
			closedir(dir);
	}
	printf("%d seeds replayed\n", files);
	return files ? 0 : 1;
}
