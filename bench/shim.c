/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD library for trace-cmd, for kernels whose function-tracer files refuse writes. It opens /dev/null instead of these files, so
 * that trace-cmd records events on these kernels, too, and can be measured.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

typedef int (*open_fn)(const char *path, int flags, ...);

static const char *instead_of(const char *path)
{
	static const char *const parts[] = { "/set_ftrace_", "/set_graph_", "/ftrace_enabled" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (path && strstr(path, parts[i]))
			return "/dev/null";
	return path;
}

static int open_by(const char *name, const char *path, int flags, va_list ap)
{
	const open_fn fn = (open_fn)dlsym(RTLD_NEXT, name);

	return fn(instead_of(path), flags, va_arg(ap, int));
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_by("open", path, flags, ap);
	va_end(ap);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_by("open64", path, flags, ap);
	va_end(ap);
	return fd;
}
