/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `check_socket_formats DIR`: checks that the format texts in DIR, from which the plugin has the names of the fields of socket events, are
 * those of the producer. `check_socket_formats DIR write` writes them. The names of reasons are those of a kernel, so the texts have none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "producer/sockets/formats.h"

#define TEXT_MAX 65536

static int write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	return 0;
}

static int compare_text(const char *path, const char *text)
{
	static char kept[TEXT_MAX];
	FILE *f = fopen(path, "r");
	size_t len = 0;

	if (f) {
		len = fread(kept, 1, sizeof(kept) - 1, f);
		fclose(f);
	}
	kept[len] = '\0';
	if (!strcmp(kept, text))
		return 0;
	fprintf(stderr, "FAILED: %s is not the producer's text; write it with \"check_socket_formats DIR write\"\n",
		path);
	return 1;
}

static int handle(const char *dir, enum tw_sockts_event event, int writes)
{
	char path[4096];
	char *text;
	int failed;

	if (tw_sockts_format__make("/nonexistent", event, &text))
		return 1;
	snprintf(path, sizeof(path), "%s/%s/%s", dir, TW_SOCKTS_SYSTEM, tw_sockts__name(event));
	if (writes)
		mkdir(path, 0777);
	strncat(path, "/format", sizeof(path) - strlen(path) - 1);
	failed = writes ? write_text(path, text) : compare_text(path, text);
	free(text);
	return failed;
}

int main(int argc, char **argv)
{
	const int writes = argc == 3 && !strcmp(argv[2], "write");
	int failed = 0;

	if (argc < 2)
		return 2;
	for (int event = 0; event < TW_SOCKTS_EVENTS; event++)
		failed |= handle(argv[1], (enum tw_sockts_event)event, writes);
	return failed;
}
