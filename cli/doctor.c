/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire doctor`: what this kernel, these privileges and this Wireshark allow, and what to do about each no. */
#include "cli/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/say.h"

struct doctor_config {
	bool json;
};

struct diagnosis {
	struct tw_json *json; /* NULL = as text */
	bool live_works;
};

static const char *const words[] = { [DOCTOR_OK] = "ok", [DOCTOR_LIMITED] = "limited", [DOCTOR_NO] = "no" };

void doctor__ok(struct doctor_finding *ret, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	vsnprintf(ret->text, sizeof(ret->text), text, ap);
	va_end(ap);
	ret->status = DOCTOR_OK;
	ret->fix[0] = '\0';
}

void doctor__bad(struct doctor_finding *ret, enum doctor_status status, const char *fix, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	vsnprintf(ret->text, sizeof(ret->text), text, ap);
	va_end(ap);
	snprintf(ret->fix, sizeof(ret->fix), "%s", fix);
	ret->status = status;
}

static void put_json(struct tw_json *json, const struct doctor_check *check, const struct doctor_finding *finding)
{
	tw_json__open(json, NULL, '{');
	tw_json__str(json, "check", check->name);
	tw_json__str(json, "status", words[finding->status]);
	tw_json__bool(json, "needed", check->needed);
	tw_json__str(json, "text", finding->text);
	tw_json__str(json, "fix", finding->fix);
	tw_json__close(json);
}

static void put_line(const struct doctor_check *check, const struct doctor_finding *finding)
{
	say(stdout, "%-8s %-16s %s%s%s\n", words[finding->status], check->name, finding->text,
	    finding->fix[0] ? "; " : "", finding->fix);
}

static void examine(struct diagnosis *diagnosis, const struct doctor_check *check)
{
	struct doctor_finding finding;

	for (; check->name; check++) {
		check->look(&finding);
		if (check->needed && finding.status == DOCTOR_NO)
			diagnosis->live_works = false;
		if (diagnosis->json)
			put_json(diagnosis->json, check, &finding);
		else
			put_line(check, &finding);
	}
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	const struct doctor_config *config = data;
	struct tw_json json;
	struct diagnosis diagnosis = { .json = config->json ? &json : NULL, .live_works = true };

	(void)n_args, (void)args, (void)err;
	if (config->json) {
		tw_json__to_file(&json, stdout, true);
		tw_json__open(&json, NULL, '{');
		tw_json__lines(&json);
		tw_json__str(&json, "version", TRACEWIRE_VERSION);
		tw_json__open(&json, "checks", '[');
		tw_json__lines(&json);
	}
	examine(&diagnosis, doctor_kernel_checks);
	examine(&diagnosis, doctor_network_checks);
	examine(&diagnosis, doctor_program_checks);
	if (config->json) {
		tw_json__close(&json);
		tw_json__bool(&json, "live", diagnosis.live_works);
		tw_json__close(&json);
	} else {
		printf("%s\n", diagnosis.live_works ? "`tracewire live` can work here."
						    : "`tracewire live` cannot work here as it is.");
	}
	return diagnosis.live_works ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

static const struct cli_option options[] = {
	{ 0, "json", NULL, CLI_ARG_NONE, "Write it as JSON, for programs", offsetof(struct doctor_config, json), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

const struct cli_command cli_command_doctor = {
	.name = "doctor",
	.summary = "Say what works on this machine and what to do about the rest",
	.description =
		"Tries what Tracewire needs of the kernel, of its caller's privileges and of Wireshark: one line for each, with ok, "
		"limited (it works, but not as well as it could) or no, and what to do about it. What it makes for that, a trace "
		"instance and a virtual wire in a network namespace of its own, is gone afterwards.\n\nThe exit status is 0 if "
		"`tracewire live` can work, else 1.",
	.groups = groups,
	.config_size = sizeof(struct doctor_config),
	.run = run,
};
