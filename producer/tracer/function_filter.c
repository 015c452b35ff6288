/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tracer/function_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "producer/tracing_dir.h"

/* Tens of thousands of names, a line each, some with their module behind; looked at only to mend a misspelt one. */
static int unknown(const char *tracing_dir, const char *word, struct tw_error *err)
{
	struct tw_nearest nearest;
	char *names = NULL, *save;
	int rc;

	tw_nearest__init(&nearest, word);
	tw_tracing_file__read(tracing_dir, "available_filter_functions", &names, NULL);
	for (char *name = names ? strtok_r(names, "\n", &save) : NULL; name; name = strtok_r(NULL, "\n", &save)) {
		name[strcspn(name, " \t")] = '\0';
		tw_nearest__offer(&nearest, name);
	}
	if (nearest.best)
		rc = tw_error__set(err, -ENOENT, "no function '%s' can be traced; did you mean %s?", word,
				   nearest.best);
	else
		rc = tw_error__set(
			err, -ENOENT,
			"no function '%s' can be traced; give a name or a glob such as 'vfs_*': `tracewire list "
			"--functions` shows what this kernel has",
			word);
	free(names);
	return rc;
}

static int refused(const char *path, int error, struct tw_error *err)
{
	if (error == -ENOENT)
		return tw_error__set(err, -EINVAL, "this kernel cannot choose functions: there is no %s", path);
	return tw_error__set(err, error, "the kernel does not let functions be chosen: %s: %s", path, strerror(-error));
}

/* The kernel takes one word a write; only closing the file makes the list count, which can fail too. */
static int add(const char *tracing_dir, const char *path, const char *word, struct tw_error *err)
{
	const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return refused(path, -errno, err);
	if (!*word || write(fd, word, strlen(word)) < 0 || write(fd, "\n", 1) < 0)
		rc = *word ? -errno : -EINVAL;
	if (close(fd) && !rc)
		rc = -errno;
	if (rc == -EINVAL)
		return unknown(tracing_dir, word, err);
	return rc ? refused(path, rc, err) : 0;
}

int tw_function_filter__add(const char *tracing_dir, const char *path, const struct tw_words *words,
			    struct tw_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < words->n && !rc; i++)
		rc = add(tracing_dir, path, words->items[i], err);
	return rc;
}
