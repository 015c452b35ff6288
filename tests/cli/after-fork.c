/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library to preload. It replaces functions that a forked child must not call before exec, because its parent has threads
 * (signal-safety(7)). If a child calls one, a line is written to the file that $AFTER_FORK names.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);

static pid_t program;
static int file = -1;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("AFTER_FORK");

	file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	program = getpid();
	unsetenv("LD_PRELOAD"); /* programs that this program starts may call these functions */
}

static void tell(const char *line)
{
	if (program && getpid() != program && write(file, line, strlen(line)) < 0)
		_exit(1);
}

void *malloc(size_t size)
{
	tell("malloc\n");
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	tell("calloc\n");
	return __libc_calloc(n, size);
}

struct passwd *getpwuid(uid_t uid)
{
	struct passwd *(*const next)(uid_t) = dlsym(RTLD_NEXT, "getpwuid");

	tell("getpwuid\n");
	return next(uid);
}

struct passwd *getpwnam(const char *name)
{
	struct passwd *(*const next)(const char *) = dlsym(RTLD_NEXT, "getpwnam");

	tell("getpwnam\n");
	return next(name);
}

int initgroups(const char *user, gid_t group)
{
	int (*const next)(const char *, gid_t) = dlsym(RTLD_NEXT, "initgroups");

	tell("initgroups\n");
	return next(user, group);
}

int setenv(const char *name, const char *value, int overwrite)
{
	int (*const next)(const char *, const char *, int) = dlsym(RTLD_NEXT, "setenv");

	tell("setenv\n");
	return next(name, value, overwrite);
}

int execvp(const char *path, char *const argv[])
{
	int (*const next)(const char *, char *const[]) = dlsym(RTLD_NEXT, "execvp");

	tell("execvp\n");
	return next(path, argv);
}
