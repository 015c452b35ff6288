/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/program.h"
#include "base/time.h"
#include "cli/ordinary_user.h"
#include "cli/stop.h"
#include "pcap-tools/output/pipe.h"

#define PAUSE_MS   4           /* pause after each batch, in which bytes for the next batch collect */
#define BATCH      (256 << 10) /* largest number of bytes in a batch */
#define PIPE_BYTES (1 << 20)

struct relay {
	pthread_t thread;
	sem_t running;
	pid_t tid;
	int input, err;
	struct tw_pipe output; /* standard output, which may block */
	char batch[BATCH];
};

/* Return: 0 or -errno. */
static int write_all(const struct relay *r, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t written = tw_pipe__write(&r->output, stop__deadline(), bytes, n);

		if (written < 0)
			return (int)written;
		bytes += written;
		n -= (size_t)written;
	}
	return 0;
}

/* Passes on the output of tshark. If standard output cannot be written, closes the pipe from tshark, so that tshark gets SIGPIPE. */
static void *relay_main(void *data)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	struct relay *r = data;
	ssize_t n = 0;

	pthread_setname_np(pthread_self(), "tracewire-print");
	r->tid = gettid();
	sem_post(&r->running);
	while (!r->err && (n = read(r->input, r->batch, sizeof(r->batch))) > 0) {
		r->err = write_all(r, r->batch, (size_t)n);
		nanosleep(&pause, NULL);
	}
	if (!r->err && n < 0)
		r->err = -errno;
	close(r->input);
	return NULL;
}

static int start_thread(struct relay *r, struct tw_error *error)
{
	const int err = stop__start_thread(&r->thread, relay_main, r);

	if (err)
		return tw_error__set(error, err, "cannot start the thread that prints: %s", strerror(-err));
	while (sem_wait(&r->running))
		;
	return 0;
}

static void release(struct relay *r)
{
	tw_pipe__close(&r->output);
	sem_destroy(&r->running);
	free(r);
}

/* Enlarges a pipe. A failure has no effect except on speed. */
static void widen(int fd)
{
	fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
}

/*
 * Starts a thread that passes bytes from a pipe on to standard output
 * @ret_fd: write end of the pipe, which the caller closes. The thread ends when every copy of the write end is closed, or when standard
 * output cannot be written
 */
static int relay__start(struct relay **ret, int *ret_fd, struct tw_error *error)
{
	struct relay *r = calloc(1, sizeof(*r));
	int fds[2], err;

	if (!r)
		return tw_error__set(error, -ENOMEM, "no memory to print the events");
	sem_init(&r->running, 0, 0);
	r->output = tw_pipe__open(STDOUT_FILENO);
	if (pipe2(fds, O_CLOEXEC)) {
		err = tw_error__set(error, -errno, "cannot make a pipe for the viewer: %s", strerror(errno));
		goto fail;
	}
	widen(fds[0]);
	r->input = fds[0];
	err = start_thread(r, error);
	if (err)
		goto fail_pipe;
	*ret = r;
	*ret_fd = fds[1];
	return 0;

fail_pipe:
	close(fds[0]);
	close(fds[1]);
fail:
	release(r);
	return err;
}

pid_t relay__tid(const struct relay *r)
{
	return r->tid;
}

/* Waits for the end of the thread; NULL is fine. Return: 0; -EPIPE if standard output has no reader any more; another -errno of writing */
static int relay__finish(struct relay *r)
{
	int err;

	if (!r)
		return 0;
	pthread_join(r->thread, NULL);
	err = r->err;
	release(r);
	return err;
}

#define END_MS    5                /* interval of checks whether tshark has ended, ms */
#define WINDOW_MS 50               /* interval of checks whether Wireshark has ended, ms */
#define TERM_MS   3000             /* longest time from SIGTERM to SIGKILL, ms */
#define LATE_NS   TW_NS_PER_SECOND /* time after stop__deadline() in which tshark may still end by itself, ns */

#define ARGUMENTS_MAX 8

/*
 * The arguments, program, user and descriptors of a viewer. They are looked up before fork(), because the child of a process with threads
 * may call only functions that are async-signal-safe.
 */
struct launch {
	bool gui;
	char *argv[ARGUMENTS_MAX];
	struct tw_program program;
	struct ordinary_user user;
	int input, output;
};

static void set_arguments(struct launch *launch, const char *display_filter)
{
	static char *const tshark[] = { "tshark", "-l", "-r", "-" };
	static char *const wireshark[] = { "wireshark", "-k", "-i", "-" };

	memcpy(launch->argv, launch->gui ? wireshark : tshark, sizeof(tshark));
	if (!display_filter)
		return;
	launch->argv[4] = "-Y";
	launch->argv[5] = (char *)display_filter;
}

/* Executes the viewer; runs in the child. A failure is reported through @report, which a successful exec closes. */
static _Noreturn void become_viewer(const struct launch *launch, int report)
{
	int err;

	setpgid(0, 0);
	err = ordinary_user__become(&launch->user);
	/* In a directory that the user cannot read, tshark would report that it cannot look for its files there. */
	if (!err && access(".", R_OK | X_OK) && chdir("/"))
		err = -errno;
	if (!err && (dup2(launch->input, STDIN_FILENO) < 0 || dup2(launch->output, STDOUT_FILENO) < 0))
		err = -errno;
	if (!err)
		err = tw_program__exec(&launch->program, launch->user.environment);
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

static int reported(int err, bool gui, struct tw_error *error)
{
	const char *program = gui ? "wireshark" : "tshark";

	if (err == -ESRCH)
		return tw_error__set(error, err,
				     "cannot run %s as an ordinary user: there is no user 'nobody'; use `sudo`",
				     program);
	if (err == -ENOENT)
		return tw_error__set(
			error, -ENOPKG,
			"cannot run %s to show the events: it is not installed; run `sudo apt install %s`, or use `tracewire "
			"record`, which works without it",
			program, program);
	return tw_error__set(error, err, "cannot run %s as an ordinary user: %s", program, strerror(-err));
}

/* Waits until the child has executed the viewer, or has reported why it cannot. */
static int await_exec(int report, pid_t pid, bool gui, struct tw_error *error)
{
	int err = 0;
	const ssize_t n = read(report, &err, sizeof(err));

	if (n == 0)
		return 0;
	err = n == sizeof(err) ? err : n < 0 ? -errno : -EIO;
	kill(pid, SIGKILL); /* the child may have executed the viewer, if its report could not be read */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return reported(err, gui, error);
}

static int spawn(const struct launch *launch, pid_t *ret, struct tw_error *error)
{
	int report[2], err;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return tw_error__set(error, -errno, "cannot make a pipe for the viewer: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		become_viewer(launch, report[1]);
	close(report[1]);
	err = pid < 0 ? tw_error__set(error, -errno, "cannot start the viewer: %s", strerror(errno))
		      : await_exec(report[0], pid, launch->gui, error);
	close(report[0]);
	if (!err)
		*ret = pid;
	return err;
}

static int look_up(struct launch *launch, struct private_home *home, struct tw_error *error)
{
	int err = ordinary_user__find(NULL, &launch->user, NULL);

	if (!err)
		err = tw_program__find(launch->argv, &launch->program);
	if (err)
		return reported(err, launch->gui, error);
	return launch->gui ? private_home__make(&launch->user, home, error) : 0;
}

int viewer__start(bool gui, const char *display_filter, struct viewer *ret, struct tw_error *error)
{
	struct launch launch = { .gui = gui, .output = STDOUT_FILENO };
	struct viewer viewer = { .fd = -1 };
	int data[2] = { -1, -1 }, err;

	set_arguments(&launch, display_filter);
	err = look_up(&launch, &viewer.home, error);
	if (!err && pipe2(data, O_CLOEXEC))
		err = tw_error__set(error, -errno, "cannot make a pipe for the viewer: %s", strerror(errno));
	launch.input = data[0];
	if (!err && !gui)
		err = relay__start(&viewer.relay, &launch.output, error);
	if (!err)
		err = spawn(&launch, &viewer.pid, error);
	tw_program__fini(&launch.program);
	ordinary_user__fini(&launch.user);
	if (data[0] >= 0)
		close(data[0]);
	if (viewer.relay)
		close(launch.output);
	if (err) {
		if (data[1] >= 0)
			close(data[1]);
		relay__finish(viewer.relay);
		private_home__remove(&viewer.home);
		return err;
	}
	viewer.fd = data[1];
	*ret = viewer;
	return 0;
}

/* Wireshark appends its version, such as "4.0", to WIRESHARK_PLUGIN_DIR. */
bool viewer__has_plugin(void)
{
	const char *dir = getenv("WIRESHARK_PLUGIN_DIR"), *series = strrchr(TRACEWIRE_PLUGINDIR, '/');
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s/epan/tracewire.so", dir ? dir : TRACEWIRE_PLUGINDIR,
		 dir && series ? series : "");
	return !access(path, F_OK);
}

bool viewer__is_gone(const void *ctx)
{
	const struct viewer *viewer = ctx;
	struct pollfd fd = { .fd = viewer->fd };

	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR);
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Waits for the end of tshark. If tshark has not ended LATE_NS after the deadline, kills it. Return: its status, as from wait() */
static int await_end(const struct viewer *viewer)
{
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(viewer->pid, &status, WNOHANG)) <= 0) {
		if (pid < 0 && errno != EINTR)
			return 0;
		if (tw_deadline__overdue(stop__deadline()) > LATE_NS)
			kill(viewer->pid, SIGKILL);
		poll(NULL, 0, END_MS);
	}
	return status;
}

struct viewer_end viewer__finish(struct viewer *viewer)
{
	struct viewer_end end = { .status = 0 };

	if (viewer->fd >= 0 && viewer->pid)
		close(viewer->fd);
	viewer->fd = -1;
	if (!viewer->relay)
		return end;
	end.status = exit_status(await_end(viewer));
	end.output = relay__finish(viewer->relay);
	*viewer = (struct viewer){ .fd = -1 };
	return end;
}

bool viewer__has_window(const struct viewer *viewer)
{
	siginfo_t info = { .si_pid = 0 };

	return viewer->pid && !waitid(P_PID, (id_t)viewer->pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid;
}

/* Ends the process group of Wireshark and its dumpcap. The id of the group cannot be reused before Wireshark was waited for. */
static void end_group(const struct viewer *viewer)
{
	int ms = 0;

	kill(-viewer->pid, SIGTERM);
	for (; viewer__has_window(viewer) && ms < TERM_MS; ms += WINDOW_MS)
		poll(NULL, 0, WINDOW_MS);
	kill(-viewer->pid, SIGKILL);
}

int viewer__close_window(struct viewer *viewer, bool now)
{
	const int signals = stop__signals();
	int status = 0;

	if (!viewer->pid)
		return 0;
	for (; !now && viewer__has_window(viewer); now = stop__signals() > signals)
		poll(NULL, 0, WINDOW_MS);
	if (now)
		end_group(viewer);
	while (waitpid(viewer->pid, &status, 0) < 0 && errno == EINTR)
		;
	private_home__remove(&viewer->home);
	*viewer = (struct viewer){ .fd = -1 };
	return now ? 0 : exit_status(status);
}
