/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHELL        "/bin/sh"
#define DEFAULT_PATH "/bin:/usr/bin"

/* Return: 0 if @path is a regular file that may be executed, otherwise -errno. */
static int is_program(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return access(path, X_OK) ? -errno : 0;
}

static int find_in_path(const char *name, char *path)
{
	const char *dir = getenv("PATH"), *end;
	char candidate[PATH_MAX];
	int err = -ENOENT;

	for (dir = dir ? dir : DEFAULT_PATH; err && dir; dir = *end ? end + 1 : NULL) {
		int found, len;

		end = strchrnul(dir, ':');
		len = snprintf(candidate, sizeof(candidate), "%.*s%s%s", (int)(end - dir), dir, end > dir ? "/" : "",
			       name);
		found = len < PATH_MAX ? is_program(candidate) : -ENAMETOOLONG;
		if (!found)
			memcpy(path, candidate, sizeof(candidate));
		if (!found || found == -EACCES)
			err = found;
	}
	return err;
}

/* Make the argv for /bin/sh: "sh", @path and all of @argv except argv[0]. */
static char **script_arguments(char *const *argv, char *path)
{
	size_t n = 0;
	char **script;

	while (argv[n])
		n++;
	script = calloc(n + 2, sizeof(*script));
	if (!script)
		return NULL;
	script[0] = "sh";
	script[1] = path;
	memcpy(script + 2, argv + 1, (n - 1) * sizeof(*script));
	return script;
}

int tw_program__find(char *const *argv, struct tw_program *ret)
{
	int err;

	*ret = (struct tw_program){ .argv = argv };
	if (!*argv[0]) {
		err = -ENOENT;
	} else if (!strchr(argv[0], '/')) {
		err = find_in_path(argv[0], ret->path);
	} else if (strlen(argv[0]) >= sizeof(ret->path)) {
		err = -ENAMETOOLONG;
	} else {
		strcpy(ret->path, argv[0]);
		err = is_program(ret->path);
	}
	if (err)
		return err;
	ret->script = script_arguments(argv, ret->path);
	return ret->script ? 0 : -ENOMEM;
}

int tw_program__exec(const struct tw_program *program, char *const *environment)
{
	execve(program->path, program->argv, environment);
	if (errno == ENOEXEC)
		execve(SHELL, program->script, environment);
	return -errno;
}

void tw_program__fini(struct tw_program *program)
{
	free(program->script);
	program->script = NULL;
}
