/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "golden.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take_digits(struct golden *golden, const char *line)
{
	unsigned int byte;
	int used;

	for (line += strspn(line, " \n"); *line && *line != '#'; line += strspn(line, " \n")) {
		if (!isxdigit((unsigned char)line[0]) || sscanf(line, "%2x%n", &byte, &used) != 1 || used != 2)
			return -EINVAL;
		if (golden->len == sizeof(golden->data))
			return -E2BIG;
		golden->data[golden->len++] = (uint8_t)byte;
		line += 2;
	}
	return 0;
}

static int load_file(const char *path, struct golden *ret)
{
	FILE *f = fopen(path, "r");
	char line[256];
	int err = 0;

	if (!f)
		return -errno;
	ret->len = 0;
	while (!err && fgets(line, sizeof(line), f))
		err = take_digits(ret, line);
	fclose(f);
	return err;
}

int golden__load(const char *name, struct golden *ret)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.hex", GOLDEN_DIR, name);
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return load_file(path, ret);
}

int golden__load_all(struct golden **ret, size_t *ret_n)
{
	struct golden *all = NULL;
	glob_t paths;
	int err = 0;

	if (glob(GOLDEN_DIR "/*.hex", 0, NULL, &paths))
		return -ENOENT;
	all = calloc(paths.gl_pathc, sizeof(*all));
	if (!all)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < paths.gl_pathc; i++) {
		const char *base = strrchr(paths.gl_pathv[i], '/') + 1;

		snprintf(all[i].name, sizeof(all[i].name), "%.*s", (int)strcspn(base, "."), base);
		err = load_file(paths.gl_pathv[i], &all[i]);
	}
	if (!err) {
		*ret = all;
		*ret_n = paths.gl_pathc;
	} else {
		free(all);
	}
	globfree(&paths);
	return err;
}
