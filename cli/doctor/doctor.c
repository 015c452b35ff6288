/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `tracewire doctor`: checks what this kernel, the caller's privileges and the installed Wireshark support, what socket events are attached
 * to, and what this machine's clocks rest on, and suggests repairs.
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/doctor/checks.h"
#include "cli/messages.h"

/*
 * A check. Exactly one of the members @look, @look_each, @feature and @program is set; it determines how the check is done. A check has one
 * finding, or one for each object at which look_each() looks: it is called with 0, 1 and so on until it returns false.
 */
static const struct doctor_check {
	const char *name;
	bool needed;       /* `live` cannot work if this check fails */
	bool in_namespace; /* look() is called in a new network namespace that has a veth pair */
	void (*look)(struct doctor_finding *ret);
	bool (*look_each)(unsigned int i, struct doctor_finding *ret);
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
	{ "socket events", .look_each = look_each_socket_stage },
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
	{ "clock source", .look = look_clock_source },
	{ "system clock", .look = look_time_source },
	{ "TAI offset", .look = look_tai_offset },
	{ "PTP clock", .look_each = look_each_phc },
	{ "packet stamps", .look_each = look_each_interface },
};

/* Get the @i-th finding of a check. Return: false if there are no more */
static bool examine(const struct doctor_check *check, unsigned int i, struct doctor_finding *ret)
{
	if (check->look_each)
		return check->look_each(i, ret);
	if (i)
		return false;
	if (check->feature.file)
		look_instance_file(ret, &check->feature);
	else if (check->program.command)
		look_program(ret, &check->program);
	else if (check->in_namespace)
		look_in_namespace(ret, check->look);
	else
		check->look(ret);
	return true;
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

static void put(struct tw_json *json, const struct doctor_check *check, const struct doctor_finding *finding)
{
	if (json)
		put_json(json, check, finding);
	else
		say(stdout, "%-8s %-16s %s%s%s\n", status_names[finding->status], check->name, finding->text,
		    finding->fix[0] ? "; " : "", finding->fix);
}

/* Does all checks. @json: NULL = print as text. Return: whether `live` can work */
static bool examine_all(struct tw_json *json)
{
	struct doctor_finding finding;
	bool live_works = true;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		for (unsigned int n = 0; examine(&checks[i], n, &finding); n++) {
			if (checks[i].needed && finding.status == DOCTOR_NO)
				live_works = false;
			put(json, &checks[i], &finding);
		}
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
		"of Tracewire, what each stage of socket events is attached to (docs/sockets-stages.md), and what the clocks of "
		"this machine rest on (docs/time.md). The line of each check "
		"begins with 'ok', 'limited' (works, but not as well as possible) or 'no'. A line with 'limited' or "
		"'no' usually also gives a remedy, the substitute that Tracewire uses, or the features that still "
		"work. The checks make trace instances, and veth pairs in separate network namespaces, and remove "
		"them.\n\n"
		"The exit status is 0 if `tracewire live` can work, otherwise 1.",
	.groups = groups,
	.config_size = sizeof(bool),
	.run = run,
};
