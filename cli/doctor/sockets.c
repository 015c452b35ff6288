/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/sockets.h"
#include "cli/doctor/checks.h"

static void show(const struct tw_socket_stage *stage, struct doctor_finding *ret)
{
	char text[256];

	tw_socket_stage__describe(stage, text, sizeof(text));
	if (stage->lack[0])
		doctor__bad(ret, DOCTOR_LIMITED, stage->fix, "%s", text);
	else
		doctor__ok(ret, "%s", text);
}

bool look_each_socket_stage(unsigned int i, struct doctor_finding *ret)
{
	static struct tw_socket_stage stages[TW_SOCKET_STAGES_MAX]; /* found once, because this takes a while */
	static int n;
	struct tw_error error;

	if (!i)
		n = tw_socket_stages__find(stages, TW_SOCKET_STAGES_MAX, &error);
	if (n < 0 && !i)
		doctor__bad(ret, DOCTOR_LIMITED,
			    "use a kernel with CONFIG_DEBUG_INFO_BTF; other events work without it", "%s", error.text);
	else if ((int)i < n)
		show(&stages[i], ret);
	else
		return false;
	return true;
}
