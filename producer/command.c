/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program.h"

#define GRACE_MS 2000 /* time between SIGTERM and SIGKILL */

struct tw_command {
	pid_t pid;
	int pidfd;
	int go;     /* pipe: the child waits until a byte is written or this end is closed */
	int report; /* pipe: 0 or -errno of writing the mark; then -errno of a failed exec, or end of file after exec */
	struct tw_program program;
	int status; /* as from waitpid() */
	bool reaped;
};

/* Return: 0 or -errno */
static int write_mark(const char *marker)
{
	const char text[] = "tracewire: command"; /* on the stack, so that the kernel needs no page fault to read it */
	const int fd = marker ? open(marker, O_WRONLY | O_CLOEXEC) : -1;
	int err = 0;

	if (fd < 0)
		return marker ? -errno : 0;
	if (write(fd, text, sizeof(text) - 1) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void tell(int report, int err)
{
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
}

/*
 * Runs in the child: writes the mark, waits for the start byte, calls exec. Signals get the dispositions that the command expects. Only
 * async-signal-safe functions are called, because another thread of the producer may have held a lock during the fork.
 */
static void __attribute__((noreturn))
run_child(const struct tw_program *program, const char *marker, int go, int report)
{
	sigset_t none;
	ssize_t len;
	char byte;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	tell(report, write_mark(marker));
	len = read(go, &byte, 1);
	if (!len)
		_exit(127); /* the producer has ended, or gives up, for example without a mark: the command must not run */
	tell(report, len < 0 ? -errno : tw_program__exec(program, environ));
	_exit(127);
}

static int cannot_run(const char *name, int err, struct tw_error *error)
{
	if (err == -ENOENT)
		return tw_error__set(
			error, err,
			"there is no command '%s', or its interpreter does not exist: check the spelling and PATH, or "
			"give the full path of the command",
			name);
	return tw_error__set(error, err, "'%s' cannot be run: %s; it must be an executable program", name,
			     strerror(-err));
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

static int wait_for_mark(const struct tw_command *c, struct tw_error *error)
{
	const char *name = c->program.argv[0];
	int err = 0;
	const ssize_t len = read(c->report, &err, sizeof(err));

	if (!len)
		return tw_error__set(error, -EIO, "'%s' cannot be started: its process ended at once", name);
	if (len < 0)
		err = -errno;
	return err ? tw_error__set(error, err, "'%s' cannot be started: %s", name, strerror(-err)) : 0;
}

int tw_command__new(char *const *argv, const char *marker, struct tw_command **ret, struct tw_error *error)
{
	int go[2] = { -1, -1 }, report[2] = { -1, -1 };
	struct tw_command *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return tw_error__set(error, -ENOMEM, "out of memory");
	*c = (struct tw_command){ .pid = -1, .pidfd = -1, .go = -1, .report = -1 };
	/* a command that does not exist is reported before anything is set up */
	err = tw_program__find(argv, &c->program);
	if (err)
		err = cannot_run(argv[0], err, error);
	else if (pipe2(go, O_CLOEXEC) || pipe2(report, O_CLOEXEC) || (c->pid = fork()) < 0)
		err = tw_error__set(error, -errno, "'%s' cannot be started: %s", argv[0], strerror(errno));
	if (!c->pid) {
		close(go[1]); /* so that the child's read() returns when its parent ends */
		run_child(&c->program, marker, go[0], report[1]);
	}
	close_if_open(go[0]);
	close_if_open(report[1]);
	c->go = go[1];
	c->report = report[0];
	if (!err && (c->pidfd = pidfd_open(c->pid, 0)) < 0)
		err = tw_error__set(error, -errno, "'%s' cannot be started: its process cannot be watched: %s", argv[0],
				    strerror(errno));
	else if (!err)
		err = wait_for_mark(c, error);
	if (err)
		tw_command__free(c);
	else
		*ret = c;
	return err;
}

pid_t tw_command__pid(const struct tw_command *c)
{
	return c->pid;
}

int tw_command__run(struct tw_command *c, struct tw_error *error)
{
	const char *name = c->program.argv[0];
	int err = 0;
	ssize_t len;
	bool ended;

	ended = write(c->go, "", 1) != 1;
	if (ended && errno != EPIPE)
		return tw_error__set(error, -errno, "cannot run '%s': %s", name, strerror(errno));
	len = read(c->report, &err, sizeof(err)); /* a process that has ended may have reported why */
	if (len < 0)
		return tw_error__set(error, -errno, "it is not known whether '%s' runs: %s", name, strerror(errno));
	if (ended && !len)
		return tw_error__set(error, -EIO, "cannot run '%s': its process ended before exec()", name);
	return err ? cannot_run(name, err, error) : 0;
}

int tw_command__fd(const struct tw_command *c)
{
	return c->pidfd;
}

int tw_command__wait(struct tw_command *c)
{
	while (!c->reaped && waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->reaped = true;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

static void end_child(struct tw_command *c)
{
	struct pollfd fd = { .fd = c->pidfd, .events = POLLIN };

	close(c->go);
	c->go = -1;
	kill(c->pid, SIGTERM);
	if (poll(&fd, 1, GRACE_MS) <= 0)
		kill(c->pid, SIGKILL);
	tw_command__wait(c);
}

void tw_command__free(struct tw_command *c)
{
	if (!c)
		return;
	if (!c->reaped && c->pid > 0)
		end_child(c);
	close_if_open(c->go);
	close_if_open(c->report);
	close_if_open(c->pidfd);
	tw_program__fini(&c->program);
	free(c);
}
