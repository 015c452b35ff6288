/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "namespace.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include <cmocka.h>

int namespace__guard(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		return 0;
	printf("skipped: cannot make a network namespace: %s; run as root\n", strerror(errno));
	return 77;
}

int namespace__setup(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNET) || mount("run", "/run", "tmpfs", 0, NULL))
		return -1;
	shell("ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up");
	return 0;
}

void shell(const char *command)
{
	const int status = system(command); /* NOLINT: the commands are constants of the tests */

	if (status)
		fail_msg("'%s' ends with %d", command, status);
}

const char *shell__word(const char *command)
{
	static char word[256];
	FILE *pipe = popen(command, "r"); /* NOLINT */

	word[0] = '\0';
	assert_non_null(pipe);
	if (fscanf(pipe, "%255s", word) != 1)
		word[0] = '\0';
	pclose(pipe);
	return word;
}
