/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor/checks.h"
#include "cli/ordinary_user.h"

/*
 * Runs a shell command as the user that `live` runs viewers as, because Wireshark may load other plugins for root. Return: the command's
 * output, which is empty if the command cannot be run; NULL if no process could be started
 */
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

/* Finds the first line of a command's output that contains @word. Return: whether there is one. */
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

/* Reports a program's version from a line such as "TShark (Wireshark) 4.0.17 (Git v4.0.17 ...).", without the text from "(Git" on */
void look_program(struct doctor_finding *ret, const struct program *program)
{
	char line[128];
	char *details;

	if (!find_line(program->command, "ireshark", line, sizeof(line))) {
		doctor__bad(ret, program->without, program->fix, "not installed");
		return;
	}
	details = strstr(line, " (Git");
	if (details)
		*details = '\0';
	doctor__ok(ret, "%s", line);
}

void look_plugin(struct doctor_finding *ret)
{
	char line[512];
	const char *path;

	if (!find_line("tshark -G plugins 2>/dev/null", "tracewire.so", line, sizeof(line))) {
		doctor__bad(
			ret, DOCTOR_NO,
			"events are shown undecoded: build the plugin with the development files of this Wireshark, and "
			"install it with `cmake --install`",
			"tshark does not find the plugin tracewire.so");
		return;
	}
	path = strchr(line, '/');
	doctor__ok(ret, "%s", path ? path : line);
}

void look_order(struct doctor_finding *ret)
{
	doctor__bad(ret, DOCTOR_LIMITED, "to order events and packets by time, use `tracewire record --with-packets`",
		    "on a live interface, the packet time of an event is later than that of the packet that caused it");
}
