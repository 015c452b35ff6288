/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual wires and AF_XDP, tried out on a wire in a network namespace of our own. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "vnet/tx.h"
#include "vnet/veth.h"

#define WIRE        "tw-doctor"
#define MEMLOCK_MIB 16 /* what the memory shared with AF_XDP may take */

/* Enter a namespace where nothing is. Return: descriptor of the old one, or -errno. */
static int enter_namespace(void)
{
	const int old = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int error;

	if (old < 0)
		return -errno;
	if (!unshare(CLONE_NEWNET))
		return old;
	error = -errno;
	close(old);
	return error;
}

/* With the namespace's last process goes all that is in it. */
static void leave_namespace(int old)
{
	if (setns(old, CLONE_NEWNET))
		_exit(1); /* what follows would speak of the wrong network */
	close(old);
}

static int make_wire(struct tw_error *err)
{
	const struct tw_wire_options opts = { .name = WIRE, .owner = TW_WIRE_OWNER "doctor" };

	return tw_wire__create(&opts, err);
}

/* Make a wire in a namespace of its own and, if @look, look at it there. */
static void on_wire(struct doctor_finding *ret, void (*look)(struct doctor_finding *ret))
{
	const int old = enter_namespace();
	struct tw_error err;

	if (old < 0) {
		doctor__bad(ret, DOCTOR_NO, "run it with sudo", "no network namespace to try it in: %s",
			    strerror(-old));
		return;
	}
	if (make_wire(&err))
		doctor__bad(ret, DOCTOR_NO, "", "%s", err.text);
	else
		look(ret);
	leave_namespace(old);
}

static void wire_is_there(struct doctor_finding *ret)
{
	doctor__ok(ret, "virtual Ethernet pairs can be made");
}

static void try_xdp(struct doctor_finding *ret)
{
	const struct tw_tx_options opts = { .ifname = WIRE TW_WIRE_SUFFIX, .transport = TW_TRANSPORT_XDP };
	struct tw_sink *sink;
	struct tw_error err;

	if (tw_tx__open(&opts, &sink, &err)) {
		doctor__bad(ret, DOCTOR_LIMITED, "frames go by AF_PACKET instead, at more cost", "%s", err.text);
		return;
	}
	doctor__ok(ret, "%s", sink->how);
	tw_sink__close(sink);
}

static void try_multi_buffer(struct doctor_finding *ret)
{
	const struct tw_tx_options opts = { .ifname = WIRE TW_WIRE_SUFFIX, .transport = TW_TRANSPORT_XDP };
	struct tw_sink *sink;
	struct tw_error err;

	if (tw_tx__open(&opts, &sink, &err)) {
		doctor__bad(ret, DOCTOR_LIMITED, "it is a part of AF_XDP", "%s", err.text);
		return;
	}
	if (sink->frame_max > 4096)
		doctor__ok(ret, "frames up to %zu bytes", sink->frame_max);
	else
		doctor__bad(ret, DOCTOR_LIMITED, "Linux 6.6 has multi-buffer AF_XDP", "frames up to %zu bytes only",
			    sink->frame_max);
	tw_sink__close(sink);
}

static void look_wire(struct doctor_finding *ret)
{
	on_wire(ret, wire_is_there);
}

static void look_xdp(struct doctor_finding *ret)
{
	on_wire(ret, try_xdp);
}

static void look_multi_buffer(struct doctor_finding *ret)
{
	on_wire(ret, try_multi_buffer);
}

static void look_memlock(struct doctor_finding *ret)
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

const struct doctor_check doctor_network_checks[] = {
	{ "virtual wire", true, look_wire },
	{ "AF_XDP", false, look_xdp },
	{ "multi-buffer", false, look_multi_buffer },
	{ "locked memory", false, look_memlock },
	{ NULL, false, NULL },
};
