/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "listed.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 256

struct listed {
	char pattern[128];
	unsigned long seen;
};

static struct listed list[LISTED_MAX];
static size_t n_list;

void listed__load(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];

	if (!f) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), f)) {
		const char *tab = strchr(line, '\t');

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (!tab || n_list == LISTED_MAX || tab - line >= (long)sizeof(list->pattern)) {
			fprintf(stderr, "%s: cannot use the line: %s", path, line);
			exit(1);
		}
		memcpy(list[n_list++].pattern, line, (size_t)(tab - line));
	}
	fclose(f);
}

bool listed__has(const char *fmt, ...)
{
	char name[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < n_list; i++) {
		if (fnmatch(list[i].pattern, name, 0))
			continue;
		list[i].seen++;
		return true;
	}
	return false;
}

unsigned int listed__unused(void)
{
	unsigned int unused = 0;

	for (size_t i = 0; i < n_list; i++)
		unused += !list[i].seen;
	return unused;
}
