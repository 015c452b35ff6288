/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define KNOWN_MAX 64
#define PRINT_MAX 100 /* differences printed; the rest is counted */

struct known {
	char pattern[128], what[32];
	unsigned long seen;
};

static struct known list[KNOWN_MAX];
static size_t n_list;
static unsigned long n_different, n_known;

void known__load(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];

	if (!f) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (n_list == KNOWN_MAX || sscanf(line, "%127s %31s", list[n_list].pattern, list[n_list].what) != 2) {
			fprintf(stderr, "%s: cannot use the line: %s", path, line);
			exit(1);
		}
		n_list++;
	}
	fclose(f);
}

static bool is_known(const struct place *place, const char *what)
{
	char name[512];

	snprintf(name, sizeof(name), "%s:%s:%s", place->system, place->event, place->field);
	for (size_t i = 0; i < n_list; i++) {
		if (strcmp(list[i].what, what) || fnmatch(list[i].pattern, name, 0))
			continue;
		list[i].seen++;
		return true;
	}
	return false;
}

void differ(const struct place *place, const char *what, const char *fmt, ...)
{
	va_list ap;

	if (is_known(place, what)) {
		n_known++;
		return;
	}
	if (n_different++ >= PRINT_MAX)
		return;
	printf("%s:%s:%s: %s: ", place->system, place->event, place->field, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

unsigned long differences(void)
{
	return n_different;
}

unsigned long known_differences(void)
{
	return n_known;
}
