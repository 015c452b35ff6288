/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter show` and `tracewire filter detach`: classifiers that are on interfaces, whoever attached them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/filter/action.h"
#include "cli/filter/attach/counters.h"
#include "cli/filter/filter.h"
#include "cli/messages.h"
#include "xdp/interface.h"

struct select {
	const char *interface, *hook;
	bool json; /* of show, as is print */
	struct counters_print print;
	unsigned int detached;
};

static bool is_selected(const struct select *select, const struct tw_attached *attached)
{
	return (!select->interface || !strcmp(select->interface, attached->ifname)) &&
	       (!select->hook || !strcmp(select->hook, tw_place__name(attached->place)));
}

static int check(const struct select *select, struct tw_error *err)
{
	const int index = select->interface ? tw_interface__index(select->interface, err) : 0;
	uint8_t unused;

	if (index < 0)
		return index;
	return select->hook ? filter_hook__parse(select->hook, &unused, err) : 0;
}

static int show_one(const struct tw_attached *attached, void *ctx, struct tw_error *err)
{
	struct select *select = ctx;

	return is_selected(select, attached) ? counters__print(attached, &select->print, err) : 0;
}

static int show(void *data, int n_args, char **args, struct tw_error *err)
{
	struct select *select = data;
	struct tw_json json;
	int error = check(select, err);

	(void)n_args, (void)args;
	if (error)
		return cli_exit__of(error);
	if (select->json) {
		tw_json__to_file(&json, stdout, true);
		tw_json__open(&json, NULL, '[');
		tw_json__lines(&json);
		select->print.json = &json;
	}
	error = tw_attached__each(show_one, select, err);
	if (select->json && (select->print.n || !error)) /* what cannot be told is not nothing */
		tw_json__close(&json);
	else if (!select->json && !error && !select->print.n)
		say(stderr, "no classifier of Tracewire is attached%s%s\n", select->interface ? " to " : "",
		    select->interface ? select->interface : "");
	return error ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int detach_one(const struct tw_attached *attached, void *ctx, struct tw_error *err)
{
	struct select *select = ctx;
	int error;

	if (!is_selected(select, attached))
		return 0;
	error = tw_attached__detach(attached, err);
	if (error)
		return error;
	select->detached++;
	say(stderr, "detached from %s of %s\n", tw_place__name(attached->place), attached->ifname);
	return 0;
}

static int detach(void *data, int n_args, char **args, struct tw_error *err)
{
	struct select *select = data;
	int error;

	(void)n_args, (void)args;
	if (!select->interface) {
		tw_error__set(err, -EINVAL, "no interface is given: name one with --interface, for example -i tw0");
		return CLI_EXIT_USAGE;
	}
	error = check(select, err);
	if (error)
		return cli_exit__of(error);
	error = tw_attached__each(detach_one, select, err);
	if (!error && !select->detached)
		error = tw_error__set(err, -ENOENT, "%s has no classifier of Tracewire%s%s", select->interface,
				      select->hook ? " in " : "", select->hook ? select->hook : "");
	return error ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_option select_options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "Only on this interface", offsetof(struct select, interface),
	  NULL },
	{ 0, "hook", "HOOK", CLI_ARG_TEXT, "Only this kind: xdp, tc, u32", offsetof(struct select, hook), NULL },
	{ 0 },
};

static const struct cli_option show_options[] = {
	{ 'v', "verbose", NULL, CLI_ARG_NONE, "The counters of each stream and channel, too",
	  offsetof(struct select, print.streams), NULL },
	{ 0, "json", NULL, CLI_ARG_NONE, "Write it as JSON, for programs", offsetof(struct select, json), NULL },
	{ 0 },
};

static const struct cli_option_group select_group = { "Which", select_options };
static const struct cli_option_group show_group = { "Output", show_options };
static const struct cli_option_group *const show_groups[] = { &select_group, &show_group, NULL };
static const struct cli_option_group *const detach_groups[] = { &select_group, NULL };

static const struct cli_example show_examples[] = {
	{ "What is on the wire, and what it has matched", "sudo tracewire filter show -i tw0" },
	{ NULL, NULL },
};

const struct cli_command filter_command_show = {
	.name = "show",
	.summary = "Show attached classifiers and what they have counted",
	.description =
		"Lists the classifiers of this network namespace, those that a `filter attach` elsewhere holds too: the hook that is "
		"really in use as the kernel states it, the schema that the rules are for, and for each rule the frames and events "
		"that it matched. Below them, what passed for other reasons, and what was dropped.\n\n"
		"u32 counts frames only, and - stands where this kernel does not count them, or where somebody else took the program "
		"away and the counters with it.",
	.examples = show_examples,
	.groups = show_groups,
	.config_size = sizeof(struct select),
	.run = show,
};

static const struct cli_example detach_examples[] = {
	{ "Take away whatever Tracewire has on an interface", "sudo tracewire filter detach -i tw0" },
	{ NULL, NULL },
};

const struct cli_command filter_command_detach = {
	.name = "detach",
	.summary = "Take classifiers off an interface",
	.description =
		"Removes what `filter attach --persist` has left there, and ends a `filter attach` that holds one. XDP programs, tc "
		"filters and qdiscs of anybody else stay.",
	.examples = detach_examples,
	.groups = detach_groups,
	.config_size = sizeof(struct select),
	.run = detach,
};
