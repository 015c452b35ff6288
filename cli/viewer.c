/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program.h"
#include "base/time.h"
#include "cli/ordinary_user.h"
#include "cli/stop.h"

#define END_MS  5                /* between two looks whether it has ended */
#define LATE_NS TW_NS_PER_SECOND /* that it has behind the deadline, to end by itself when its input does */

#define ARGUMENTS_MAX 8

/* What a viewer is to be run with, looked up before fork(): there are threads by then, and the child may not look up. */
struct launch {
	bool gui;
	char *argv[ARGUMENTS_MAX];
	struct tw_program program;
	struct ordinary_user user;
	int input, output;
};

static void set_arguments(struct launch *launch, const char *display_filter)
{
	static char *const tshark[] = { "tshark", "-l", "-r", "-" }, *const wireshark[] = { "wireshark", "-k", "-i",
											    "-" };

	memcpy(launch->argv, launch->gui ? wireshark : tshark, sizeof(tshark));
	if (!display_filter)
		return;
	launch->argv[4] = "-Y";
	launch->argv[5] = (char *)display_filter;
}

/* In the child. What fails is told through @report, which exec closes. */
static _Noreturn void become_viewer(const struct launch *launch, int report)
{
	int error;

	setpgid(0, 0);
	error = ordinary_user__become(&launch->user);
	if (!error && (dup2(launch->input, STDIN_FILENO) < 0 || dup2(launch->output, STDOUT_FILENO) < 0))
		error = -errno;
	if (!error)
		error = tw_program__exec(&launch->program, launch->user.environment);
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static int told(int error, bool gui, struct tw_error *err)
{
	const char *program = gui ? "wireshark" : "tshark";

	if (error == -ESRCH)
		return tw_error__set(err, error,
				     "cannot run %s as an ordinary user: there is no user nobody; run this with sudo",
				     program);
	if (error == -ENOENT)
		return tw_error__set(err, -ENOPKG,
				     "cannot run %s, which shows the events: it is not installed; "
				     "`sudo apt install %s` does that, and `tracewire record` works without",
				     program, program);
	return tw_error__set(err, error, "cannot run %s as an ordinary user: %s", program, strerror(-error));
}

/* Wait until the child has become the viewer or has told why not. */
static int await_exec(int report, pid_t pid, bool gui, struct tw_error *err)
{
	int error = 0;
	const ssize_t n = read(report, &error, sizeof(error));

	if (n == 0)
		return 0;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return told(n == sizeof(error) ? error : -EIO, gui, err);
}

static int spawn(const struct launch *launch, pid_t *ret, struct tw_error *err)
{
	int report[2], error;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return tw_error__set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		become_viewer(launch, report[1]);
	close(report[1]);
	error = pid < 0 ? tw_error__set(err, -errno, "cannot fork: %s", strerror(errno))
			: await_exec(report[0], pid, launch->gui, err);
	close(report[0]);
	if (!error)
		*ret = pid;
	return error;
}

static int look_up(struct launch *launch, struct tw_error *err)
{
	int error = ordinary_user__find(NULL, &launch->user, NULL);

	if (!error)
		error = tw_program__find(launch->argv, &launch->program);
	return error ? told(error, launch->gui, err) : 0;
}

static void launch__fini(struct launch *launch)
{
	tw_program__fini(&launch->program);
	ordinary_user__fini(&launch->user);
}

int viewer__start(bool gui, const char *display_filter, struct viewer *ret, struct tw_error *err)
{
	struct launch launch = { .gui = gui, .output = STDOUT_FILENO };
	struct viewer viewer = { .fd = -1 };
	int data[2], error;

	set_arguments(&launch, display_filter);
	error = look_up(&launch, err);
	if (!error && pipe2(data, O_CLOEXEC))
		error = tw_error__set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	if (error) {
		launch__fini(&launch);
		return error;
	}
	launch.input = data[0];
	if (!gui)
		error = relay__start(&viewer.relay, &launch.output, err);
	if (!error)
		error = spawn(&launch, &viewer.pid, err);
	launch__fini(&launch);
	close(data[0]);
	if (viewer.relay)
		close(launch.output);
	if (error) {
		close(data[1]);
		relay__finish(viewer.relay);
		return error;
	}
	viewer.fd = data[1];
	*ret = viewer;
	return 0;
}

/* Wireshark puts its series, "4.0", behind what WIRESHARK_PLUGIN_DIR says. */
bool viewer__has_plugin(void)
{
	const char *dir = getenv("WIRESHARK_PLUGIN_DIR"), *series = strrchr(TRACEWIRE_PLUGINDIR, '/');
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s/epan/tracewire.so", dir ? dir : TRACEWIRE_PLUGINDIR,
		 dir && series ? series : "");
	return !access(path, F_OK);
}

bool viewer__is_gone(const struct viewer *viewer)
{
	struct pollfd fd = { .fd = viewer->fd };

	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR);
}

/*
 * Its own end comes when it has read everything. tshark that does not end by the deadline, because it has stopped or nobody reads what it
 * prints, is killed. A window stays until it is closed, and outlives us if somebody does not want to wait for that. Return: its status
 */
static int await_end(const struct viewer *viewer)
{
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(viewer->pid, &status, WNOHANG)) <= 0) {
		if (pid < 0 && errno != EINTR)
			return 0;
		if (viewer->relay && tw_deadline__overdue(stop__deadline()) > LATE_NS)
			kill(viewer->pid, SIGKILL);
		if (!viewer->relay && stop__is_urgent())
			return 0;
		poll(NULL, 0, END_MS);
	}
	return status;
}

struct viewer_end viewer__finish(struct viewer *viewer)
{
	struct viewer_end end = { .status = 0 };
	int status;

	if (!viewer->pid)
		return end;
	close(viewer->fd);
	status = await_end(viewer);
	end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	end.output = relay__finish(viewer->relay);
	*viewer = (struct viewer){ .fd = -1 };
	return end;
}
