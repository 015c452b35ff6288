/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire vnet`: veth pairs that exist independently of a run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "vnet/veth.h"

#define LASTING_OWNER TW_VETH_OWNER "vnet"
#define DEFAULT_NAME  "tw0"

struct vnet_config {
	uint64_t mtu, queues;
};

static const char *name_of(int n_args, char **args)
{
	return n_args ? args[0] : DEFAULT_NAME;
}

static unsigned int clamp(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (unsigned int)value;
}

static int up(void *data, int n_args, char **args, struct tw_error *error)
{
	const struct vnet_config *config = data;
	const struct tw_veth_options opts = {
		.name = name_of(n_args, args),
		.owner = LASTING_OWNER,
		.mtu = clamp(config->mtu),
		.queues = clamp(config->queues),
	};
	const int err = tw_veth__create(&opts, error);

	if (!err)
		say(stderr, "%s is up: frames sent on %s%s arrive on it\n", opts.name, opts.name, TW_VETH_SUFFIX);
	return cli_exit__of(err);
}

static int down(void *data, int n_args, char **args, struct tw_error *error)
{
	const int err = tw_veth__remove(name_of(n_args, args), error);

	(void)data;
	if (!err)
		say(stderr, "%s is removed\n", name_of(n_args, args));
	return err ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* The veth pair that show() looks for, and the number of veth pairs found. */
struct veth_search {
	const char *name; /* NULL = all veth pairs */
	int found;
};

static void show_veth(const struct tw_veth *veth, void *ctx)
{
	struct veth_search *search = ctx;

	if (search->name && strcmp(veth->name, search->name) != 0 && strcmp(veth->tx_name, search->name) != 0)
		return;
	search->found++;
	say(stdout, "%-12s %-5s mtu %-6u queues %-3u %s -> %s  \"%s\"\n", veth->name[0] ? veth->name : veth->tx_name,
	    veth->up ? "up" : "down", veth->mtu, veth->queues, veth->tx_name[0] ? veth->tx_name : "(moved away)",
	    veth->name[0] ? veth->name : "(moved away)", veth->owner);
}

static int show(void *data, int n_args, char **args, struct tw_error *error)
{
	struct veth_search search = { n_args ? args[0] : NULL, 0 };

	(void)data;
	if (tw_veth__list(show_veth, &search, error))
		return CLI_EXIT_FAILURE;
	if (search.name && !search.found) {
		tw_error__set(error, -ENODEV, "Tracewire has no veth pair %s; `tracewire vnet show` lists all",
			      search.name);
		return CLI_EXIT_FAILURE;
	}
	return CLI_EXIT_OK;
}

static const struct cli_option up_options[] = {
	{ 0, "mtu", "BYTES", CLI_ARG_SIZE, "MTU: largest frame, without the Ethernet header (default 9216)",
	  .offset = offsetof(struct vnet_config, mtu) },
	{ 0, "queues", "N", CLI_ARG_NUMBER,
	  "Number of transmit queues, at most 64; one thread can send by AF_XDP through each queue (default 1)",
	  .offset = offsetof(struct vnet_config, queues) },
	{ 0 },
};

static const struct cli_option_group up_group = { "Options", up_options };
static const struct cli_option_group *const up_groups[] = { &up_group, NULL };

static const struct cli_command command_up = {
	.name = "up",
	.summary = "Make a veth pair and bring both ends up",
	.arguments = "[NAME]",
	.arg_kind = CLI_ARG_TEXT,
	.args_max = 1,
	.description = "The default NAME is tw0. The veth pair stays until `tracewire vnet down` or the next boot.",
	.groups = up_groups,
	.config_size = sizeof(struct vnet_config),
	.run = up,
};

static const struct cli_command command_down = {
	.name = "down",
	.summary = "Remove a veth pair",
	.arguments = "[NAME]",
	.arg_kind = CLI_ARG_INTERFACE,
	.args_max = 1,
	.description = "The default NAME is tw0. `vnet down` refuses interfaces that Tracewire did not make.",
	.run = down,
};

static const struct cli_command command_show = {
	.name = "show",
	.summary = "List the veth pairs of Tracewire",
	.arguments = "[NAME]",
	.arg_kind = CLI_ARG_INTERFACE,
	.args_max = 1,
	.description =
		"Prints one line for each veth pair of Tracewire, or for NAME only: name, state, MTU, queues, the two "
		"ends, and the owner in quotes. If the end NAME was moved to another network namespace, the name is that of the "
		"other end.",
	.run = show,
};

static const struct cli_command *const commands[] = { &command_up, &command_down, &command_show, NULL };

static const struct cli_example examples[] = {
	{ "Make a veth pair that stays, so that one capture can contain several runs", "sudo tracewire vnet up tw0" },
	{ "Send events to this veth pair", "sudo tracewire stream -e sched -i tw0" },
	{ NULL, NULL },
};

const struct cli_command cli_command_vnet = {
	.name = "vnet",
	.summary = "Make, show and remove veth pairs",
	.description =
		"A veth pair consists of two virtual interfaces: frames sent on NAME-tx arrive on NAME, where "
		"Wireshark, tc and XDP see them. `live` makes a veth pair for each run; `stream` makes one if the "
		"interface does not exist. A veth pair made by `vnet up` stays after a run. If NAME is moved to "
		"another network namespace, `stream` sends to it with -i NAME-tx.",
	.examples = examples,
	.commands = commands,
};
