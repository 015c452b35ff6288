/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/top_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/tracing_dir.h"

int tw_top_file__open(const char *file, int flags)
{
	const char *dir;
	char path[PATH_MAX];

	if (tw_tracing_dir__find(&dir, NULL))
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

void tw_top_file__put(const char *file, const char *text)
{
	const int fd = tw_top_file__open(file, O_WRONLY);

	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	close(fd);
}

void tw_top_file__cut(const char *file)
{
	const int fd = tw_top_file__open(file, O_WRONLY | O_TRUNC);

	if (fd >= 0)
		close(fd);
}

bool tw_top_file__is_empty(const char *text)
{
	while (*text) {
		const size_t len = strcspn(text, "\n");

		if (len && *text != '#' && (len != 6 || strncmp(text, "no pid", len) != 0))
			return false;
		text += len + (text[len] != '\0');
	}
	return true;
}

char *tw_top_file__read(const char *file)
{
	const char *dir;
	char *text;

	if (tw_tracing_dir__find(&dir, NULL) || tw_tracing_file__read(dir, file, &text, NULL))
		return NULL;
	return text;
}
