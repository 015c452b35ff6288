/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's programs, and our plugin in them. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/ordinary_user.h"

/* A shell command's output, run as a viewer would be: root sees other plugins. NULL if it can't be run. */
static FILE *open_output(const char *command, pid_t *ret)
{
	struct ordinary_user user;
	int fds[2];

	if (ordinary_user__find(NULL, &user, NULL) || pipe2(fds, O_CLOEXEC)) {
		ordinary_user__fini(&user);
		return NULL;
	}
	*ret = fork();
	if (*ret == 0) {
		if (!ordinary_user__become(&user) && dup2(fds[1], STDOUT_FILENO) >= 0)
			execle("/bin/sh", "sh", "-c", command, (char *)NULL, user.environment);
		_exit(127);
	}
	ordinary_user__fini(&user);
	close(fds[1]);
	if (*ret > 0)
		return fdopen(fds[0], "r");
	close(fds[0]);
	return NULL;
}

/* The first line of a command's output that has @word in it. Return: whether there is one. */
static bool find_line(const char *command, const char *word, char *ret, size_t size)
{
	pid_t pid;
	FILE *output = open_output(command, &pid);
	char line[512];
	bool found = false;

	if (!output)
		return false;
	while (fgets(line, sizeof(line), output)) {
		if (found || !strstr(line, word))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(ret, size, "%s", line);
		found = true;
	}
	fclose(output);
	waitpid(pid, NULL, 0);
	return found;
}

/* "TShark (Wireshark) 4.0.17 (Git v4.0.17 ...)." without what is in the last parentheses */
static void look_program(struct doctor_finding *ret, const char *command, enum doctor_status without, const char *fix)
{
	char line[128];
	char *details;

	if (!find_line(command, "ireshark", line, sizeof(line))) {
		doctor__bad(ret, without, fix, "not installed");
		return;
	}
	details = strstr(line, " (Git");
	if (details)
		*details = '\0';
	doctor__ok(ret, "%s", line);
}

static void look_tshark(struct doctor_finding *ret)
{
	look_program(ret, "tshark --version 2>/dev/null", DOCTOR_NO, "`sudo apt install tshark`");
}

static void look_wireshark(struct doctor_finding *ret)
{
	look_program(ret, "wireshark --version 2>/dev/null", DOCTOR_LIMITED,
		     "`live --gui` needs it: `sudo apt install wireshark`");
}

static void look_dumpcap(struct doctor_finding *ret)
{
	look_program(ret, "dumpcap --version 2>/dev/null", DOCTOR_LIMITED,
		     "capturing with Wireshark needs it: `sudo apt install wireshark-common`");
}

static void look_plugin(struct doctor_finding *ret)
{
	char line[512];
	const char *path;

	if (!find_line("tshark -G plugins 2>/dev/null", "tracewire.so", line, sizeof(line))) {
		doctor__bad(
			ret, DOCTOR_NO,
			"events would be shown undecoded: `cmake --install` of a build against this Wireshark's development "
			"files puts it where it belongs",
			"tshark does not find the plugin tracewire.so");
		return;
	}
	path = strchr(line, '/');
	doctor__ok(ret, "%s", path ? path : line);
}

const struct doctor_check doctor_program_checks[] = {
	{ "tshark", true, look_tshark },
	{ "wireshark", false, look_wireshark },
	{ "dumpcap", false, look_dumpcap },
	{ "plugin", true, look_plugin },
	{ NULL, false, NULL },
};
