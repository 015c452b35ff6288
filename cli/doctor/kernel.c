/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's tracing, and the privileges for it. */
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "producer/events.h"
#include "producer/instance.h"
#include "producer/tracing_dir.h"

#define SUDO "run it with sudo"

static void look_kernel(struct doctor_finding *ret)
{
	struct utsname name;

	uname(&name);
	doctor__ok(ret, "%s %s, %s", name.sysname, name.release, name.machine);
}

static void look_privileges(struct doctor_finding *ret)
{
	static const struct {
		unsigned int capability;
		const char *name;
	} wanted[] = {
		{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" }, { CAP_NET_ADMIN, "CAP_NET_ADMIN" },
		{ CAP_NET_RAW, "CAP_NET_RAW" },     { CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE" },
		{ CAP_SYS_NICE, "CAP_SYS_NICE" },   { CAP_IPC_LOCK, "CAP_IPC_LOCK" },
	};
	char missing[160] = "";

	capng_get_caps_process();
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!capng_have_capability(CAPNG_EFFECTIVE, wanted[i].capability))
			strcat(strcat(missing, missing[0] ? ", " : ""), wanted[i].name);
	if (missing[0])
		doctor__bad(ret, geteuid() ? DOCTOR_NO : DOCTOR_LIMITED,
			    geteuid() ? SUDO : "the container that this runs in must be given them", "missing: %s",
			    missing);
	else
		doctor__ok(ret, "all capabilities that are used");
}

static void look_tracefs(struct doctor_finding *ret)
{
	struct tw_error err;
	const char *dir;

	if (tw_tracing_dir__find(&dir, &err))
		doctor__bad(ret, DOCTOR_NO, "", "%s", err.text);
	else
		doctor__ok(ret, "mounted at %s", dir);
}

/* A text of the tracing directory; NULL with the finding filled if it can't be had. */
static char *read_tracing(const char *name, struct doctor_finding *ret)
{
	struct tw_error err;
	const char *dir;
	char *text;

	if (!tw_tracing_dir__find(&dir, &err) && !tw_tracing_file__read(dir, name, &text, &err))
		return text;
	doctor__bad(ret, DOCTOR_NO, "", "%s", err.text);
	return NULL;
}

static void look_events(struct doctor_finding *ret)
{
	char *text = read_tracing("available_events", ret);
	size_t n = 0;

	if (!text)
		return;
	for (const char *c = text; *c; c++)
		n += *c == '\n';
	free(text);
	if (n)
		doctor__ok(ret, "%zu events", n);
	else
		doctor__bad(ret, DOCTOR_NO, "use a kernel with CONFIG_EVENT_TRACING",
			    "this kernel has no trace events");
}

static void look_clocks(struct doctor_finding *ret)
{
	char *text = read_tracing("trace_clock", ret);

	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (strstr(text, "mono"))
		doctor__ok(ret, "%s", text);
	else
		doctor__bad(ret, DOCTOR_NO, "use Linux 4.0 or later", "no mono among %s", text);
	free(text);
}

static void look_function_tracer(struct doctor_finding *ret)
{
	char *text = read_tracing("available_tracers", ret);
	const bool has = text && strstr(text, "function"), graph = has && strstr(text, "function_graph");
	struct tw_instance *instance;
	struct tw_error err;
	int fd;

	free(text);
	if (!text)
		return;
	if (!has) {
		doctor__bad(ret, DOCTOR_LIMITED, "events work without; functions need CONFIG_FUNCTION_TRACER",
			    "not in this kernel");
		return;
	}
	if (tw_instance__new("-doctor", &instance, &err)) {
		doctor__bad(ret, DOCTOR_NO, "", "%s", err.text);
		return;
	}
	fd = tw_instance__open(instance, "set_ftrace_filter", O_WRONLY);
	if (fd >= 0)
		close(fd);
	tw_instance__free(instance);
	if (fd < 0)
		doctor__bad(ret, DOCTOR_LIMITED, "events work without",
			    "the kernel has it and refuses it: set_ftrace_filter: %s", strerror(-fd));
	else
		doctor__ok(ret, "%s", graph ? "function, function_graph" : "function");
}

/* Whether kallsyms tells an address; the first few symbols may be zero for another reason. */
static void look_symbols(struct doctor_finding *ret)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char line[1024];

	for (int i = 0; file && !address && i < 10000 && fgets(line, sizeof(line), file); i++)
		address = strtoull(line, NULL, 16);
	if (file)
		fclose(file);
	if (address)
		doctor__ok(ret, "the kernel tells the addresses of its functions");
	else if (file)
		doctor__bad(ret, DOCTOR_LIMITED, "run it with sudo, and `sysctl kernel.kptr_restrict=1` or 0",
			    "the kernel hides the addresses of its functions: they will be shown as numbers");
	else
		doctor__bad(ret, DOCTOR_LIMITED, "use a kernel with CONFIG_KALLSYMS",
			    "there is no /proc/kallsyms: functions will be shown as numbers");
}

/* Files of a trace instance, each standing for something the kernel can do. */
static void look_instance_file(struct doctor_finding *ret, const char *file, const char *has, const char *has_not,
			       const char *fix)
{
	struct tw_instance *instance;
	struct tw_error err;

	if (tw_instance__new("-doctor", &instance, &err)) {
		doctor__bad(ret, DOCTOR_NO, "", "%s", err.text);
		return;
	}
	if (tw_instance__has(instance, file))
		doctor__ok(ret, "%s", has);
	else
		doctor__bad(ret, DOCTOR_LIMITED, fix, "%s", has_not);
	tw_instance__free(instance);
}

static void look_instances(struct doctor_finding *ret)
{
	look_instance_file(ret, "trace_pipe", "trace instances of our own", "an instance without rings",
			   "use a kernel with CONFIG_TRACING");
}

static void look_disable_on_free(struct doctor_finding *ret)
{
	look_instance_file(ret, "options/disable_on_free", "the kernel ends the trace of a killed run",
			   "the kernel lets the trace of a killed run go on",
			   "run `tracewire cleanup` when one was killed, or use Linux 3.16 or later");
}

static void look_subbuf_size(struct doctor_finding *ret)
{
	look_instance_file(ret, "buffer_subbuf_size_kb", "sub-buffers of any size", "sub-buffers of one page only",
			   "high rates cost more; Linux 6.8 has larger ones");
}

static void look_notrace(struct doctor_finding *ret)
{
	look_instance_file(ret, "set_event_notrace_pid", "our own threads can be kept out of the trace",
			   "our own threads show up in the trace", "use Linux 5.7 or later");
}

static void look_follow(struct doctor_finding *ret)
{
	look_instance_file(ret, "options/event-fork", "--follow takes in the children of a command",
			   "--follow sees the command only, not its children", "use Linux 4.7 or later");
}

static void look_realtime(struct doctor_finding *ret)
{
	const struct sched_param fifo = { .sched_priority = 1 }, other = { .sched_priority = 0 };

	if (sched_setscheduler(0, SCHED_FIFO, &fifo)) {
		doctor__bad(ret, DOCTOR_LIMITED, "give CAP_SYS_NICE, or RLIMIT_RTPRIO of 1 or more",
			    "SCHED_FIFO is refused (%s): a busy machine may lose events", strerror(errno));
		return;
	}
	sched_setscheduler(0, SCHED_OTHER, &other);
	doctor__ok(ret, "SCHED_FIFO for the threads that read");
}

const struct doctor_check doctor_kernel_checks[] = {
	{ "kernel", false, look_kernel },
	{ "privileges", true, look_privileges },
	{ "tracefs", true, look_tracefs },
	{ "events", true, look_events },
	{ "clocks", true, look_clocks },
	{ "instances", true, look_instances },
	{ "disable_on_free", false, look_disable_on_free },
	{ "sub-buffers", false, look_subbuf_size },
	{ "notrace_pid", false, look_notrace },
	{ "follow", false, look_follow },
	{ "function tracer", false, look_function_tracer },
	{ "symbols", false, look_symbols },
	{ "realtime", false, look_realtime },
	{ NULL, false, NULL },
};
