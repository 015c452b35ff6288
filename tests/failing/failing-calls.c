/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library for LD_PRELOAD that makes one call of the C library, of libbpf or of libnl fail. A place is a call stack of the program that
 * ends in a function of the table below. Calls from other libraries do not count.
 *
 *   PLACES_FILE=FILE   each process appends "PLACE FUNCTION OFFSET..." to FILE for each place that it reaches. PLACE is a hash. OFFSETs are
 *                      the return addresses of the stack, relative to the start of the program, hexadecimal, the innermost first
 *   FAILING_PLACE=HEX  in each process, the first call from this place fails with FAILING_ERRNO, or with ENOMEM if the function allocates;
 *                      FAILED_FILE=FILE is then made
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/socket.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

#define N_PLACES 16384
#define N_FRAMES 32 /* number of frames of the stack that count, from the innermost on */

static uintptr_t program_start, program_end;
static uint64_t failing;
static int failing_errno, places_fd = -1;
static atomic_bool has_failed;
static _Atomic uint64_t seen[N_PLACES]; /* hash table of places that were reported */

static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
	int i;

	(void)size, (void)unused;
	program_start = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			program_end = program_start + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	return 1; /* the first object is the program */
}

__attribute__((constructor)) static void begin(void)
{
	const char *place = getenv("FAILING_PLACE"), *err = getenv("FAILING_ERRNO"), *file = getenv("PLACES_FILE");
	void *frame;

	dl_iterate_phdr(find_program, NULL);
	backtrace(&frame, 1); /* the first call allocates */
	failing = place ? strtoull(place, NULL, 16) : 0;
	failing_errno = err ? atoi(err) : EIO;
	if (file)
		places_fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Return: false if the place was reported before */
static bool first_time(uint64_t place)
{
	size_t i = place % N_PLACES, tried;

	for (tried = 0; tried < N_PLACES; tried++, i = (i + 1) % N_PLACES) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&seen[i], &none, place))
			return true;
		if (none == place)
			return false;
	}
	return false;
}

/* The frames of the program, as offsets from its start. Return: their number */
static int find_frames(uintptr_t *ret)
{
	void *frames[N_FRAMES];
	const int all = backtrace(frames, N_FRAMES);
	int n = 0, i;

	for (i = 0; i < all; i++) {
		const uintptr_t at = (uintptr_t)frames[i];

		if (at >= program_start && at < program_end)
			ret[n++] = at - program_start;
	}
	return n;
}

static uint64_t hash(const uintptr_t *frames, int n)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a, a word at a time */
	int i;

	for (i = 0; i < n; i++)
		h = (h ^ frames[i]) * 1099511628211u;
	return h;
}

static void report(uint64_t place, const char *function, const uintptr_t *frames, int n)
{
	char line[64 + N_FRAMES * 20];
	size_t len = (size_t)snprintf(line, sizeof(line), "%llx %s", (unsigned long long)place, function);
	int i;

	for (i = 0; i < n; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, " %zx", (size_t)frames[i]);
	line[len++] = '\n';
	syscall(SYS_write, places_fd, line, len);
}

static bool fails(const void *caller, const char *function)
{
	const uintptr_t at = (uintptr_t)caller;
	const int saved = errno;
	uintptr_t frames[N_FRAMES];
	uint64_t place;
	int n;

	if (at < program_start || at >= program_end || (places_fd < 0 && (!failing || has_failed)))
		return false;
	n = find_frames(frames);
	place = hash(frames, n);
	if (places_fd >= 0 && first_time(place))
		report(place, function, frames, n);
	errno = saved;
	if (place != failing || atomic_exchange(&has_failed, true))
		return false;
	syscall(SYS_openat, AT_FDCWD, getenv("FAILED_FILE"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	errno = failing_errno;
	return true;
}

#define FAILS(function) fails(__builtin_return_address(0), function)
#define REAL(name)                     \
	static __typeof__(name) *real; \
	if (!real)                     \
		real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);

#define CALL(type, name, failed, params, args) \
	type name params                       \
	{                                      \
		REAL(name)                     \
		if (FAILS(#name))              \
			return failed;         \
		return real args;              \
	}

void *malloc(size_t size)
{
	if (FAILS("malloc"))
		return errno = ENOMEM, NULL;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	if (FAILS("calloc"))
		return errno = ENOMEM, NULL;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	if (FAILS("realloc"))
		return errno = ENOMEM, NULL;
	return __libc_realloc(old, size);
}

CALL(void *, reallocarray, (errno = ENOMEM, NULL), (void *old, size_t n, size_t size), (old, n, size))
CALL(void *, aligned_alloc, (errno = ENOMEM, NULL), (size_t alignment, size_t size), (alignment, size))
CALL(char *, strdup, (errno = ENOMEM, NULL), (const char *s), (s))
CALL(char *, strndup, (errno = ENOMEM, NULL), (const char *s, size_t n), (s, n))
CALL(int, vasprintf, (errno = ENOMEM, -1), (char **ret, const char *format, va_list args), (ret, format, args))
CALL(FILE *, open_memstream, (errno = ENOMEM, NULL), (char **ret, size_t *len), (ret, len))
CALL(int, pthread_create, failing_errno,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg), (thread, attr, run, arg))

CALL(ssize_t, read, -1, (int fd, void *buf, size_t n), (fd, buf, n))
CALL(ssize_t, pread64, -1, (int fd, void *buf, size_t n, off64_t at), (fd, buf, n, at))
CALL(ssize_t, pread, -1, (int fd, void *buf, size_t n, off_t at), (fd, buf, n, at))
CALL(ssize_t, write, -1, (int fd, const void *buf, size_t n), (fd, buf, n))
CALL(ssize_t, pwrite, -1, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at))
CALL(ssize_t, writev, -1, (int fd, const struct iovec *iov, int n), (fd, iov, n))
CALL(int, ftruncate, -1, (int fd, off_t len), (fd, len))
CALL(int, fsync, -1, (int fd), (fd))
CALL(int, fstat, -1, (int fd, struct stat *ret), (fd, ret))
CALL(int, stat, -1, (const char *path, struct stat *ret), (path, ret))
CALL(int, lstat, -1, (const char *path, struct stat *ret), (path, ret))
CALL(off_t, lseek, -1, (int fd, off_t at, int whence), (fd, at, whence))
CALL(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
CALL(int, mkdirat, -1, (int fd, const char *path, mode_t mode), (fd, path, mode))
CALL(int, rename, -1, (const char *from, const char *to), (from, to))
CALL(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
CALL(int, fchown, -1, (int fd, uid_t user, gid_t group), (fd, user, group))
CALL(int, flock, -1, (int fd, int how), (fd, how))
CALL(int, dup, -1, (int fd), (fd))
CALL(int, dup2, -1, (int fd, int to), (fd, to))
CALL(int, pipe2, -1, (int ret[2], int flags), (ret, flags))
CALL(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
CALL(FILE *, fdopen, NULL, (int fd, const char *mode), (fd, mode))
CALL(int, fflush, EOF, (FILE * file), (file))
CALL(DIR *, opendir, NULL, (const char *path), (path))
CALL(DIR *, fdopendir, NULL, (int fd), (fd))
CALL(void *, mmap, MAP_FAILED, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
     (at, n, prot, flags, fd, offset))
CALL(int, socket, -1, (int family, int type, int protocol), (family, type, protocol))
CALL(int, bind, -1, (int fd, const struct sockaddr *address, socklen_t len), (fd, address, len))
CALL(int, connect, -1, (int fd, const struct sockaddr *address, socklen_t len), (fd, address, len))
CALL(int, listen, -1, (int fd, int n), (fd, n))
CALL(int, setsockopt, -1, (int fd, int level, int name, const void *value, socklen_t len),
     (fd, level, name, value, len))
CALL(int, getsockopt, -1, (int fd, int level, int name, void *value, socklen_t *len), (fd, level, name, value, len))
CALL(int, getsockname, -1, (int fd, struct sockaddr *address, socklen_t *len), (fd, address, len))
CALL(int, epoll_create1, -1, (int flags), (flags))
CALL(int, epoll_ctl, -1, (int fd, int op, int of, struct epoll_event *event), (fd, op, of, event))
CALL(int, eventfd, -1, (unsigned int n, int flags), (n, flags))
CALL(int, timerfd_create, -1, (clockid_t clock, int flags), (clock, flags))
CALL(int, timerfd_settime, -1, (int fd, int flags, const struct itimerspec *value, struct itimerspec *old),
     (fd, flags, value, old))
CALL(int, signalfd, -1, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
CALL(int, socketpair, -1, (int family, int type, int protocol, int ret[2]), (family, type, protocol, ret))
CALL(ssize_t, sendto, -1, (int fd, const void *data, size_t n, int flags, const struct sockaddr *to, socklen_t len),
     (fd, data, n, flags, to, len))
CALL(ssize_t, send, -1, (int fd, const void *data, size_t n, int flags), (fd, data, n, flags))
CALL(ssize_t, sendmsg, -1, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
CALL(ssize_t, recvmsg, -1, (int fd, struct msghdr *message, int flags), (fd, message, flags))
CALL(int, linkat, -1, (int fd, const char *path, int to_fd, const char *to, int flags), (fd, path, to_fd, to, flags))
CALL(int, sigaction, -1, (int signal, const struct sigaction *action, struct sigaction *old), (signal, action, old))
CALL(int, waitid, -1, (idtype_t type, id_t id, siginfo_t *ret, int options), (type, id, ret, options))
CALL(int, setns, -1, (int fd, int type), (fd, type))
CALL(pid_t, fork, -1, (void), ())

/* libbpf returns -errno. */
CALL(int, bpf_object__load, -failing_errno, (struct bpf_object * object), (object))
CALL(int, bpf_link_create, -failing_errno,
     (int prog, int target, enum bpf_attach_type type, const struct bpf_link_create_opts *opts),
     (prog, target, type, opts))
CALL(int, bpf_xdp_query, -failing_errno, (int ifindex, int flags, struct bpf_xdp_query_opts *opts),
     (ifindex, flags, opts))
CALL(int, bpf_xdp_attach, -failing_errno, (int ifindex, int prog, __u32 flags, const struct bpf_xdp_attach_opts *opts),
     (ifindex, prog, flags, opts))
CALL(int, bpf_map_create, -failing_errno,
     (enum bpf_map_type type, const char *map, __u32 key, __u32 value, __u32 entries,
      const struct bpf_map_create_opts *opts),
     (type, map, key, value, entries, opts))
CALL(int, bpf_map_get_fd_by_id, -failing_errno, (__u32 id), (id))
CALL(int, bpf_map_get_next_key, -failing_errno, (int fd, const void *key, void *next), (fd, key, next))
CALL(int, bpf_map_lookup_elem, -failing_errno, (int fd, const void *key, void *value), (fd, key, value))
CALL(int, bpf_prog_get_fd_by_id, -failing_errno, (__u32 id), (id))
CALL(int, bpf_obj_get_info_by_fd, -failing_errno, (int fd, void *info, __u32 *len), (fd, info, len))

CALL(struct nl_sock *, nl_socket_alloc, NULL, (void), ())
CALL(struct nl_cb *, nl_cb_alloc, NULL, (enum nl_cb_kind kind), (kind))
CALL(struct nl_msg *, nlmsg_alloc, NULL, (void), ())
CALL(struct nl_msg *, nlmsg_alloc_size, NULL, (size_t size), (size))
CALL(int, nl_connect, -NLE_NOMEM, (struct nl_sock * sk, int protocol), (sk, protocol))
CALL(int, nl_send_auto, -NLE_NOMEM, (struct nl_sock * sk, struct nl_msg *message), (sk, message))
CALL(int, nl_recvmsgs, -NLE_NOMEM, (struct nl_sock * sk, struct nl_cb *cb), (sk, cb))
CALL(int, nl_recvmsgs_default, -NLE_NOMEM, (struct nl_sock * sk), (sk))
CALL(int, rtnl_link_get_kernel, -NLE_NOMEM,
     (struct nl_sock * sk, int ifindex, const char *name, struct rtnl_link **ret), (sk, ifindex, name, ret))
CALL(int, rtnl_link_add, -NLE_NOMEM, (struct nl_sock * sk, struct rtnl_link *link, int flags), (sk, link, flags))
CALL(int, rtnl_link_change, -NLE_NOMEM,
     (struct nl_sock * sk, struct rtnl_link *link, struct rtnl_link *changes, int flags), (sk, link, changes, flags))

int asprintf(char **ret, const char *format, ...)
{
	va_list args;
	int n;

	if (FAILS("asprintf"))
		return errno = ENOMEM, -1;
	va_start(args, format);
	n = vasprintf(ret, format, args);
	va_end(args);
	return n;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;
	REAL(open)

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	return FAILS("open") ? -1 : real(path, flags, mode);
}

int openat(int fd, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;
	REAL(openat)

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	return FAILS("openat") ? -1 : real(fd, path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	REAL(ioctl)

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return FAILS("ioctl") ? -1 : real(fd, request, arg);
}

int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;
	REAL(fcntl)

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	return FAILS("fcntl") ? -1 : real(fd, command, arg);
}

long syscall(long number, ...)
{
	va_list args;
	long a[6];
	int i;
	REAL(syscall)

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return FAILS("syscall") ? -1 : real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
