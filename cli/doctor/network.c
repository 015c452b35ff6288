/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/doctor/checks.h"
#include "vnet/tx.h"
#include "vnet/veth.h"

#define WIRE        "tw-doctor"
#define MEMLOCK_MIB 16 /* locked memory (RLIMIT_MEMLOCK) that AF_XDP needs */

/* Enters a new, empty network namespace. Return: descriptor of the previous namespace, or -errno. */
static int enter_namespace(void)
{
	const int old = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int err;

	if (old < 0)
		return -errno;
	if (!unshare(CLONE_NEWNET))
		return old;
	err = -errno;
	close(old);
	return err;
}

/* Returns to the namespace @old. The kernel then removes the new namespace with its veth pair, because no process is in it. */
static void leave_namespace(int old)
{
	if (setns(old, CLONE_NEWNET))
		_exit(1); /* later findings would be about the wrong network */
	close(old);
}

void look_in_namespace(struct doctor_finding *ret, void (*look)(struct doctor_finding *ret))
{
	const struct tw_veth_options opts = { .name = WIRE, .owner = TW_VETH_OWNER "doctor" };
	const int old = enter_namespace();
	struct tw_error error;

	if (old < 0) {
		doctor__bad(ret, DOCTOR_NO, DOCTOR_SUDO, "cannot make a network namespace for the test: %s",
			    strerror(-old));
		return;
	}
	if (tw_veth__create(&opts, &error))
		doctor__bad(ret, DOCTOR_NO, "", "%s", error.text);
	else
		look(ret);
	leave_namespace(old);
}

void look_veth(struct doctor_finding *ret)
{
	doctor__ok(ret, "veth pairs can be made");
}

/* Opens a sink that sends by AF_XDP. Return: the sink; NULL after a failure, with the finding filled. @fix: the fix in this finding */
static struct tw_sink *open_xdp(struct doctor_finding *ret, const char *fix)
{
	const struct tw_tx_options opts = { .ifname = WIRE TW_VETH_SUFFIX, .transport = TW_TRANSPORT_XDP };
	struct tw_sink *sink;
	struct tw_error error;

	if (!tw_tx__open(&opts, &sink, &error))
		return sink;
	doctor__bad(ret, DOCTOR_LIMITED, fix, "%s", error.text);
	return NULL;
}

void look_xdp(struct doctor_finding *ret)
{
	struct tw_sink *sink = open_xdp(ret, "AF_PACKET is used instead, which needs more CPU time");

	if (!sink)
		return;
	doctor__ok(ret, "%s", sink->how);
	tw_sink__close(sink);
}

void look_multi_buffer(struct doctor_finding *ret)
{
	struct tw_sink *sink = open_xdp(ret, "multi-buffer requires AF_XDP");

	if (!sink)
		return;
	if (sink->frame_max > 4096)
		doctor__ok(ret, "frames up to %zu bytes", sink->frame_max);
	else
		doctor__bad(ret, DOCTOR_LIMITED, "use Linux 6.6 or later", "frames up to %zu bytes only",
			    sink->frame_max);
	tw_sink__close(sink);
}

void look_memlock(struct doctor_finding *ret)
{
	struct rlimit limit;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		doctor__ok(ret, "unlimited");
	else if (limit.rlim_cur >= (rlim_t)MEMLOCK_MIB << 20 || limit.rlim_max == RLIM_INFINITY || geteuid() == 0)
		doctor__ok(ret, "%llu KiB, raised where needed", (unsigned long long)limit.rlim_cur >> 10);
	else
		doctor__bad(ret, DOCTOR_LIMITED, "raise it with `ulimit -l`", "%llu KiB may be too little for AF_XDP",
			    (unsigned long long)limit.rlim_cur >> 10);
}
