/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire doctor`: checks what this kernel, the caller's privileges and the installed Wireshark support, and suggests repairs. */
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/ordinary_user.h"
#include "producer/events.h"
#include "producer/instance.h"
#include "producer/tracing_dir.h"
#include "vnet/tx.h"
#include "vnet/veth.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* works with restrictions */
	DOCTOR_NO,
};

struct doctor_finding {
	enum doctor_status status;
	char text[256]; /* the fact found */
	char fix[384];  /* what to do; "" if the status is DOCTOR_OK, or if @text already says what to do */
};

/* doctor__ok(), doctor__bad() - fill a finding */
__attribute__((format(printf, 2, 3))) static void doctor__ok(struct doctor_finding *ret, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	vsnprintf(ret->text, sizeof(ret->text), text, ap);
	va_end(ap);
	ret->status = DOCTOR_OK;
	ret->fix[0] = '\0';
}

__attribute__((format(printf, 4, 5))) static void doctor__bad(struct doctor_finding *ret, enum doctor_status status,
							      const char *fix, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	vsnprintf(ret->text, sizeof(ret->text), text, ap);
	va_end(ap);
	snprintf(ret->fix, sizeof(ret->fix), "%s", fix);
	ret->status = status;
}

/* Checks of the kernel's tracing, and of the privileges for it. */

#define SUDO "run tracewire with sudo"

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
			    geteuid() ? SUDO : "grant them to the container in which Tracewire runs", "missing: %s",
			    missing);
	else
		doctor__ok(ret, "all capabilities that Tracewire uses");
}

static void look_tracefs(struct doctor_finding *ret)
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
		doctor__bad(ret, DOCTOR_NO, "use Linux 4.0 or later", "the clock mono is not among %s", text);
	free(text);
}

static void look_function_tracer(struct doctor_finding *ret)
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
		doctor__ok(ret, "the kernel shows the addresses of its functions");
	else if (file)
		doctor__bad(ret, DOCTOR_LIMITED, "run `sysctl kernel.kptr_restrict=1`, then tracewire, both with sudo",
			    "the kernel hides the addresses of its functions: functions are shown as numbers");
	else
		doctor__bad(ret, DOCTOR_LIMITED, "use a kernel with CONFIG_KALLSYMS",
			    "there is no /proc/kallsyms: functions are shown as numbers");
}

/* A feature of the kernel, which is present if a new trace instance has the file @file. */
struct instance_file {
	const char *file;
	const char *has, *has_not; /* texts of the finding */
	const char *fix;
};

static void look_instance_file(struct doctor_finding *ret, const struct instance_file *feature)
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

static void look_realtime(struct doctor_finding *ret)
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

/* Tests veth pairs and AF_XDP with a veth pair in a new network namespace. */

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

/* Makes a veth pair in a new network namespace, and calls @look there. */
static void look_in_namespace(struct doctor_finding *ret, void (*look)(struct doctor_finding *ret))
{
	const struct tw_veth_options opts = { .name = WIRE, .owner = TW_VETH_OWNER "doctor" };
	const int old = enter_namespace();
	struct tw_error error;

	if (old < 0) {
		doctor__bad(ret, DOCTOR_NO, SUDO, "cannot make a network namespace for the test: %s", strerror(-old));
		return;
	}
	if (tw_veth__create(&opts, &error))
		doctor__bad(ret, DOCTOR_NO, "", "%s", error.text);
	else
		look(ret);
	leave_namespace(old);
}

static void look_veth(struct doctor_finding *ret)
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

static void look_xdp(struct doctor_finding *ret)
{
	struct tw_sink *sink = open_xdp(ret, "AF_PACKET is used instead, which needs more CPU time");

	if (!sink)
		return;
	doctor__ok(ret, "%s", sink->how);
	tw_sink__close(sink);
}

static void look_multi_buffer(struct doctor_finding *ret)
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

/* A program of Wireshark. */
struct program {
	const char *command; /* prints the program's version */
	enum doctor_status without;
	const char *fix;
};

/* Reports a program's version from a line such as "TShark (Wireshark) 4.0.17 (Git v4.0.17 ...).", without the text from "(Git" on */
static void look_program(struct doctor_finding *ret, const struct program *program)
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

static void look_plugin(struct doctor_finding *ret)
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

/* Reports a limit that exists on every machine. */
static void look_order(struct doctor_finding *ret)
{
	doctor__bad(
		ret, DOCTOR_LIMITED,
		"to order events and packets by time, run `tracewire record` at the same time as dumpcap, and join the "
		"files with mergecap",
		"on a live interface, the packet time of an event is later than that of the packet that caused it");
}

/* A check. Exactly one of the members @look, @feature and @program is set; it determines how the check is done. */
static const struct doctor_check {
	const char *name;
	bool needed;       /* `live` cannot work if this check fails */
	bool in_namespace; /* look() is called in a new network namespace that has the veth pair WIRE */
	void (*look)(struct doctor_finding *ret);
	struct instance_file feature;
	struct program program;
} checks[] = {
	{ "kernel", .look = look_kernel },
	{ "privileges", .needed = true, .look = look_privileges },
	{ "tracefs", .needed = true, .look = look_tracefs },
	{ "events", .needed = true, .look = look_events },
	{ "clocks", .needed = true, .look = look_clocks },
	{ "instances", .needed = true,
	  .feature = { "trace_pipe", "trace instances can be made", "a new instance has no rings",
		       "use a kernel with CONFIG_TRACING" } },
	{ "disable_on_free",
	  .feature = { "options/disable_on_free", "the kernel stops the trace of a killed run",
		       "the kernel continues the trace of a killed run",
		       "run `tracewire cleanup` after a run was killed, or use Linux 4.4 or later" } },
	{ "sub-buffers",
	  .feature = { "buffer_subbuf_size_kb", "sub-buffers of any size", "sub-buffers of one page only",
		       "use Linux 6.8 or later: larger sub-buffers need less CPU time at high rates" } },
	{ "notrace_pid", .feature = { "set_event_notrace_pid", "Tracewire's threads can be excluded",
				      "Tracewire's threads are in the trace", "use Linux 5.7 or later" } },
	{ "follow", .feature = { "options/event-fork", "--follow includes the children of a command",
				 "--follow traces the command only, not its children", "use Linux 4.7 or later" } },
	{ "function tracer", .look = look_function_tracer },
	{ "symbols", .look = look_symbols },
	{ "realtime", .look = look_realtime },
	{ "veth pair", .needed = true, .in_namespace = true, .look = look_veth },
	{ "AF_XDP", .in_namespace = true, .look = look_xdp },
	{ "multi-buffer", .in_namespace = true, .look = look_multi_buffer },
	{ "locked memory", .look = look_memlock },
	{ "tshark", .needed = true,
	  .program = { "tshark --version 2>/dev/null", DOCTOR_NO, "`sudo apt install tshark`" } },
	{ "wireshark", .program = { "wireshark --version 2>/dev/null", DOCTOR_LIMITED,
				    "`live --gui` needs Wireshark: `sudo apt install wireshark`" } },
	{ "dumpcap", .program = { "dumpcap --version 2>/dev/null", DOCTOR_LIMITED,
				  "Wireshark needs dumpcap to capture: `sudo apt install wireshark-common`" } },
	{ "plugin", .needed = true, .look = look_plugin },
	{ "event order", .look = look_order },
};

static void examine(const struct doctor_check *check, struct doctor_finding *ret)
{
	if (check->feature.file)
		look_instance_file(ret, &check->feature);
	else if (check->program.command)
		look_program(ret, &check->program);
	else if (check->in_namespace)
		look_in_namespace(ret, check->look);
	else
		check->look(ret);
}

static const char *const status_names[] = { [DOCTOR_OK] = "ok", [DOCTOR_LIMITED] = "limited", [DOCTOR_NO] = "no" };

static void put_json(struct tw_json *json, const struct doctor_check *check, const struct doctor_finding *finding)
{
	tw_json__open(json, NULL, '{');
	tw_json__str(json, "check", check->name);
	tw_json__str(json, "status", status_names[finding->status]);
	tw_json__bool(json, "needed", check->needed);
	tw_json__str(json, "text", finding->text);
	tw_json__str(json, "fix", finding->fix);
	tw_json__close(json);
}

/* Does all checks. @json: NULL = print as text. Return: whether `live` can work */
static bool examine_all(struct tw_json *json)
{
	struct doctor_finding finding;
	bool live_works = true;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		examine(&checks[i], &finding);
		if (checks[i].needed && finding.status == DOCTOR_NO)
			live_works = false;
		if (json)
			put_json(json, &checks[i], &finding);
		else
			say(stdout, "%-8s %-16s %s%s%s\n", status_names[finding.status], checks[i].name, finding.text,
			    finding.fix[0] ? "; " : "", finding.fix);
	}
	return live_works;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	const bool *as_json = data;
	struct tw_json json;
	bool live_works;

	(void)n_args, (void)args, (void)error;
	if (*as_json) {
		tw_json__to_file(&json, stdout, true);
		tw_json__open(&json, NULL, '{');
		tw_json__lines(&json);
		tw_json__str(&json, "version", TRACEWIRE_VERSION);
		tw_json__open(&json, "checks", '[');
		tw_json__lines(&json);
	}
	live_works = examine_all(*as_json ? &json : NULL);
	if (*as_json) {
		tw_json__close(&json);
		tw_json__bool(&json, "live", live_works);
		tw_json__close(&json);
	} else {
		printf("%s\n", live_works ? "`tracewire live` can work here."
					  : "`tracewire live` cannot work here: see the lines that begin with 'no'.");
	}
	return live_works ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

static const struct cli_option options[] = {
	{ 0, "json", NULL, CLI_ARG_NONE, "Write one JSON object instead of text", .offset = 0 },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

const struct cli_command cli_command_doctor = {
	.name = "doctor",
	.summary = "Check what works on this machine, and how to repair the rest",
	.description =
		"Checks whether the kernel, the caller's privileges and the installed Wireshark meet the requirements "
		"of Tracewire. The line of each check begins with 'ok', 'limited' (works, but not as well as possible) "
		"or 'no'. A line with 'limited' or 'no' usually also gives a remedy, the substitute that Tracewire "
		"uses, or the features that still work. The checks make trace instances, and veth pairs in separate "
		"network namespaces, and remove them.\n\n"
		"The exit status is 0 if `tracewire live` can work, otherwise 1.",
	.groups = groups,
	.config_size = sizeof(bool),
	.run = run,
};
