/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD library for measurements. For trace-cmd, on kernels whose function-tracer files refuse writes, it opens /dev/null instead of
 * these files, so that trace-cmd records events on these kernels, too. If TRACEWIRE_SHIM_NODELAY is in the environment, TCP sockets do not
 * wait for acknowledgements before they send. If TRACEWIRE_SHIM_STAMPS is in the environment, the kernel stamps no packets of the program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

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

int socket(int domain, int type, int protocol)
{
	int (*const fn)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
	const int fd = fn(domain, type, protocol), err = errno, one = 1;

	if (getenv("TRACEWIRE_SHIM_NODELAY"))
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* fails for other sockets */
	errno = err;
	return fd;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	int (*const fn)(int, int, int, const void *, socklen_t) =
		(int (*)(int, int, int, const void *, socklen_t))dlsym(RTLD_NEXT, "setsockopt");
	const int stamps = option == SO_TIMESTAMP || option == SO_TIMESTAMPNS || option == SO_TIMESTAMPING;

	if (level == SOL_SOCKET && stamps && getenv("TRACEWIRE_SHIM_STAMPS"))
		return 0;
	return fn(fd, level, option, value, len);
}
