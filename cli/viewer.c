/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/ordinary_user.h"

/* What a viewer is to be run with. */
struct launch {
	bool gui;
	const char *display_filter;
	int input, output;
};

int viewer__drop_privileges(void)
{
	const struct passwd *user;
	const int error = ordinary_user__find(NULL, &user, NULL);

	return error ? error : ordinary_user__become(user, NULL);
}

static void exec_viewer(bool gui, const char *display_filter)
{
	const char *tshark[] = { "tshark", "-l", "-r", "-", display_filter ? "-Y" : NULL, display_filter, NULL };
	const char *wireshark[] = { "wireshark", "-k", "-i", "-", display_filter ? "-Y" : NULL, display_filter, NULL };
	const char **argv = gui ? wireshark : tshark;

	execvp(argv[0], (char *const *)argv);
}

/* In the child. What fails is told through @report, which exec closes. */
static _Noreturn void become_viewer(const struct launch *launch, int report)
{
	int error;

	setpgid(0, 0);
	error = viewer__drop_privileges();
	if (!error && dup2(launch->input, STDIN_FILENO) >= 0 && dup2(launch->output, STDOUT_FILENO) >= 0)
		exec_viewer(launch->gui, launch->display_filter);
	if (!error)
		error = -errno;
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

int viewer__start(bool gui, const char *display_filter, struct viewer *ret, struct tw_error *err)
{
	struct launch launch = { .gui = gui, .display_filter = display_filter, .output = STDOUT_FILENO };
	struct viewer viewer = { .fd = -1 };
	int data[2], error = 0;

	if (pipe2(data, O_CLOEXEC))
		return tw_error__set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	launch.input = data[0];
	if (!gui)
		error = relay__start(&viewer.relay, &launch.output, err);
	if (!error)
		error = spawn(&launch, &viewer.pid, err);
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

struct viewer_end viewer__finish(struct viewer *viewer)
{
	struct viewer_end end = { .status = 0 };
	int status = 0;

	if (!viewer->pid)
		return end;
	close(viewer->fd);
	while (waitpid(viewer->pid, &status, 0) < 0 && errno == EINTR)
		;
	end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	end.output = relay__finish(viewer->relay);
	*viewer = (struct viewer){ .fd = -1 };
	return end;
}
