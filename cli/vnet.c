/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire vnet`: virtual wires that outlast a run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "vnet/veth.h"

#define LASTING_OWNER TW_WIRE_OWNER "wire"
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
	const struct tw_wire_options opts = {
		.name = name_of(n_args, args),
		.owner = LASTING_OWNER,
		.mtu = clamp(config->mtu),
		.queues = clamp(config->queues),
	};
	const int err = tw_wire__create(&opts, error);

	if (!err)
		say(stderr, "wire %s is up: frames sent on %s%s arrive there\n", opts.name, opts.name, TW_WIRE_SUFFIX);
	return cli_exit__of(err);
}

static int down(void *data, int n_args, char **args, struct tw_error *error)
{
	const int err = tw_wire__remove(name_of(n_args, args), error);

	(void)data;
	if (!err)
		say(stderr, "wire %s is gone\n", name_of(n_args, args));
	return err ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

/* What show looks for. */
struct search {
	const char *name; /* NULL = all */
	int found;
};

static void show_wire(const struct tw_wire *wire, void *ctx)
{
	struct search *search = ctx;

	if (search->name && strcmp(wire->name, search->name) != 0)
		return;
	search->found++;
	say(stdout, "%-12s %-5s mtu %-6u queues %-3u %s -> %s  \"%s\"\n", wire->name[0] ? wire->name : "-",
	    wire->up ? "up" : "down", wire->mtu, wire->queues, wire->tx_name[0] ? wire->tx_name : "(moved away)",
	    wire->name[0] ? wire->name : "(moved away)", wire->owner);
}

static int show(void *data, int n_args, char **args, struct tw_error *error)
{
	struct search search = { n_args ? args[0] : NULL, 0 };

	(void)data;
	if (tw_wire__list(show_wire, &search, error))
		return CLI_EXIT_FAILURE;
	if (search.name && !search.found) {
		tw_error__set(error, -ENODEV, "no wire %s; `tracewire vnet show` lists those there are", search.name);
		return CLI_EXIT_FAILURE;
	}
	return CLI_EXIT_OK;
}

static const struct cli_option up_options[] = {
	{ 0, "mtu", "BYTES", CLI_ARG_SIZE, "Largest frame of the wire, Ethernet header excluded (default 9216)",
	  offsetof(struct vnet_config, mtu), NULL },
	{ 0, "queues", "N", CLI_ARG_NUMBER, "Transmit queues: so many threads can send by AF_XDP at once (default 1)",
	  offsetof(struct vnet_config, queues), NULL },
	{ 0 },
};

static const struct cli_option_group up_group = { "Options", up_options };
static const struct cli_option_group *const up_groups[] = { &up_group, NULL };

static const struct cli_command command_up = {
	.name = "up",
	.summary = "Make a wire and bring both ends up",
	.arguments = "[NAME]",
	.arg_kind = CLI_ARG_TEXT,
	.args_max = 1,
	.description = "NAME is tw0 if it is not given. The wire stays until `tracewire vnet down` or the next boot.",
	.groups = up_groups,
	.config_size = sizeof(struct vnet_config),
	.run = up,
};

static const struct cli_command command_down = {
	.name = "down",
	.summary = "Remove a wire",
	.arguments = "[NAME]",
	.arg_kind = CLI_ARG_INTERFACE,
	.args_max = 1,
	.description = "NAME is tw0 if it is not given. Interfaces that Tracewire has not made are refused.",
	.run = down,
};

static const struct cli_command command_show = {
	.name = "show",
	.summary = "List the wires, or one of them",
	.arguments = "[NAME]",
	.arg_kind = CLI_ARG_INTERFACE,
	.args_max = 1,
	.description = "One line a wire: name, state, MTU, queues, the two ends, and in quotes who owns it.",
	.run = show,
};

static const struct cli_command *const commands[] = { &command_up, &command_down, &command_show, NULL };

static const struct cli_example examples[] = {
	{ "A wire that lasts, for Wireshark to capture from while events come and go", "sudo tracewire vnet up tw0" },
	{ "Send events on it", "sudo tracewire stream -e sched -i tw0" },
	{ NULL, NULL },
};

const struct cli_command cli_command_vnet = {
	.name = "vnet",
	.summary = "Make, show and remove virtual wires",
	.description =
		"A virtual wire is a pair of virtual Ethernet interfaces: frames sent on NAME-tx arrive on NAME, where "
		"Wireshark, tc and XDP see them. `live` and `stream` make one for themselves if there is none; a wire "
		"made here is there before them and stays after them.",
	.examples = examples,
	.commands = commands,
};
