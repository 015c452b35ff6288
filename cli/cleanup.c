/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire cleanup`: what runs that were killed have left behind, and nothing of anybody else. */
#include <stdio.h>

#include "cli/cleanup.h"
#include "cli/command.h"
#include "cli/say.h"

struct cleanup_config {
	bool dry_run;
};

struct cleanup {
	bool dry_run;
	unsigned int told;
};

static void tell(void *ctx, const struct leftover *left)
{
	static const char *const done[2][2] = { { "removed", "would remove" }, { "repaired", "would repair" } };
	struct cleanup *cleanup = ctx;

	say(stdout, "%s %s %s\n", done[left->repaired][cleanup->dry_run], left->what, left->name);
	if (left->left)
		say(stdout, "%s: %s\n", left->name, left->left);
	cleanup->told++;
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	const struct cleanup_config *config = data;
	struct cleanup cleanup = { .dry_run = config->dry_run };

	(void)n_args, (void)args;
	if (leftovers__remove(config->dry_run, tell, &cleanup, err))
		return CLI_EXIT_FAILURE;
	if (!cleanup.told)
		fputs("nothing was left behind\n", stderr);
	return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
	{ 0, "dry-run", NULL, CLI_ARG_NONE, "Only say what would be done", offsetof(struct cleanup_config, dry_run),
	  NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

const struct cli_command cli_command_cleanup = {
	.name = "cleanup",
	.summary = "Remove or repair what killed runs have left behind",
	.description =
		"Removes trace instances, virtual wires and classifiers of runs that no longer live, cuts half a block off the end of "
		"their captures, and says which. Those of living "
		"runs, wires made by `tracewire vnet up`, classifiers attached with --persist, and whatever Tracewire has not made are "
		"left alone. What a run had set at the kernel's top level is put back, but for what somebody has changed since, which is "
		"named.\n\n"
		"Even without it a killed run costs nothing: the kernel switches its instance off and frees the rings.",
	.groups = groups,
	.config_size = sizeof(struct cleanup_config),
	.run = run,
};
