/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/doctor/checks.h"
#include "producer/events.h"
#include "producer/instance.h"
#include "producer/tracing_dir.h"

void look_kernel(struct doctor_finding *ret)
{
	struct utsname name;

	uname(&name);
	doctor__ok(ret, "%s %s, %s", name.sysname, name.release, name.machine);
}

void look_privileges(struct doctor_finding *ret)
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
			    geteuid() ? DOCTOR_SUDO : "grant them to the container in which Tracewire runs",
			    "missing: %s", missing);
	else
		doctor__ok(ret, "all capabilities that Tracewire uses");
}

void look_tracefs(struct doctor_finding *ret)
{
	struct tw_error error;
	const char *dir;

	if (tw_tracing_dir__find(&dir, &error))
		doctor__bad(ret, DOCTOR_NO, "", "%s", error.text);
	else
		doctor__ok(ret, "mounted at %s", dir);
}

/* Return: content of a file of the tracing directory; NULL with the finding filled if it cannot be read. */
static char *read_tracing(const char *name, struct doctor_finding *ret)
{
	struct tw_error error;
	const char *dir;
	char *text;

	if (!tw_tracing_dir__find(&dir, &error) && !tw_tracing_file__read(dir, name, &text, &error))
		return text;
	doctor__bad(ret, DOCTOR_NO, "", "%s", error.text);
	return NULL;
}

void look_events(struct doctor_finding *ret)
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

void look_clocks(struct doctor_finding *ret)
{
	char *text = read_tracing("trace_clock", ret);

	if (!text)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (strstr(text, "mono"))
		doctor__ok(ret, "%s", text);
	else
		doctor__bad(ret, DOCTOR_NO, "use Linux 4.0 or later", "the clock mono is not among %s", text);
	free(text);
}

void look_function_tracer(struct doctor_finding *ret)
{
	char *text = read_tracing("available_tracers", ret);
	const bool has = text && strstr(text, "function"), graph = has && strstr(text, "function_graph");
	struct tw_instance *instance;
	struct tw_error error;
	int fd;

	free(text);
	if (!text)
		return;
	if (!has) {
		doctor__bad(ret, DOCTOR_LIMITED,
			    "to trace functions, use a kernel with CONFIG_FUNCTION_TRACER; events work without it",
			    "not in this kernel");
		return;
	}
	if (tw_instance__new("-doctor", &instance, &error)) {
		doctor__bad(ret, DOCTOR_NO, "", "%s", error.text);
		return;
	}
	fd = tw_instance__open(instance, "set_ftrace_filter", O_WRONLY);
	if (fd >= 0)
		close(fd);
	tw_instance__free(instance);
	if (fd < 0)
		doctor__bad(ret, DOCTOR_LIMITED, "events work without it",
			    "the kernel refuses access: set_ftrace_filter: %s", strerror(-fd));
	else
		doctor__ok(ret, "%s", graph ? "function, function_graph" : "function");
}

/* Checks whether kallsyms shows addresses. Hidden addresses are all shown as 0. Otherwise, only some of the first symbols may be at 0. */
void look_symbols(struct doctor_finding *ret)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t address = 0;
	char line[1024];

	for (int i = 0; file && !address && i < 10000 && fgets(line, sizeof(line), file); i++)
		address = strtoull(line, NULL, 16);
	if (file)
		fclose(file);
	if (address)
		doctor__ok(ret, "the kernel shows the addresses of its functions");
	else if (file)
		doctor__bad(ret, DOCTOR_LIMITED, "run `sysctl kernel.kptr_restrict=1`, then tracewire, both with sudo",
			    "the kernel hides the addresses of its functions: functions are shown as numbers");
	else
		doctor__bad(ret, DOCTOR_LIMITED, "use a kernel with CONFIG_KALLSYMS",
			    "there is no /proc/kallsyms: functions are shown as numbers");
}

void look_instance_file(struct doctor_finding *ret, const struct instance_file *feature)
{
	struct tw_instance *instance;
	struct tw_error error;

	if (tw_instance__new("-doctor", &instance, &error)) {
		doctor__bad(ret, DOCTOR_NO, "", "%s", error.text);
		return;
	}
	if (tw_instance__has(instance, feature->file))
		doctor__ok(ret, "%s", feature->has);
	else
		doctor__bad(ret, DOCTOR_LIMITED, feature->fix, "%s", feature->has_not);
	tw_instance__free(instance);
}

void look_realtime(struct doctor_finding *ret)
{
	const struct sched_param fifo = { .sched_priority = 1 }, other = { .sched_priority = 0 };

	if (sched_setscheduler(0, SCHED_FIFO, &fifo)) {
		doctor__bad(ret, DOCTOR_LIMITED, "grant CAP_SYS_NICE, or set RLIMIT_RTPRIO to 1 or more",
			    "SCHED_FIFO is refused (%s): a busy machine may lose events", strerror(errno));
		return;
	}
	sched_setscheduler(0, SCHED_OTHER, &other);
	doctor__ok(ret, "the reader threads can use SCHED_FIFO");
}
