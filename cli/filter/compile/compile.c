/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter compile`: an expression in the words of one stage. */
#include <errno.h>
#include <stdio.h>

#include "cli/caret.h"
#include "cli/filter/compile/targets.h"
#include "cli/filter/filter.h"
#include "filter/rules.h"

struct compile {
	struct cli_formats_source source; /* first: the options' config */
	const char *to, *action, *otherwise, *interface;
	uint64_t udp_port;
	bool offload;
};

/* With an action it is what `filter attach` with these options makes; without one only what matches passes. */
static int read_actions(const struct compile *config, struct filter_classifier *ret, struct tw_error *err)
{
	int error = filter_action__parse(config->action ? config->action : "pass", &ret->action, err);

	ret->otherwise.action = config->action ? TW_ACTION_PASS : TW_ACTION_DROP;
	if (!error && config->otherwise)
		error = filter_action__parse(config->otherwise, &ret->otherwise, err);
	return error;
}

static int read_classifier(const struct compile *config, struct filter_classifier *ret, struct tw_error *err)
{
	if (config->udp_port > UINT16_MAX)
		return tw_error__set(err, -EINVAL, "there is no UDP port %llu", (unsigned long long)config->udp_port);
	*ret = (struct filter_classifier){
		.udp_port = (uint16_t)config->udp_port,
		.offload = config->offload,
		.interface = config->interface ? config->interface : "tw0",
	};
	return read_actions(config, ret, err);
}

static int compile_text(const struct compile *config, const char *text, struct tw_error *err)
{
	struct filter_classifier classifier;
	struct filter_expression expression = { 0 };
	const struct filter_target *target;
	int error;

	target = filter_target__find(config->to, err);
	if (!target)
		return -EINVAL;
	error = read_classifier(config, &classifier, err);
	if (!error)
		error = filter_expression__load(text, &config->source, &expression, err);
	if (!error)
		error = target->print(&expression, &classifier, stdout, err);
	if (error && text)
		caret__show(text, err);
	filter_expression__fini(&expression);
	return error;
}

static int compile(void *data, int n_args, char **args, struct tw_error *err)
{
	struct compile *config = data;
	const int error = compile_text(config, n_args ? args[0] : NULL, err);

	cli_formats_source__fini(&config->source);
	return filter_expression__exit_of(error);
}

static const struct cli_option options[] = {
	{ 0, "to", "TARGET", CLI_ARG_TEXT,
	  "For whom: tracefs, xdp, tc, u32, pcap, display; or tree, which shows what is asked of each event",
	  offsetof(struct compile, to), NULL },
	{ 0 },
};

static const struct cli_option classifier_options[] = {
	{ 0, "action", "ACTION", CLI_ARG_TEXT,
	  "What becomes of events that match: drop, mark:N, redirect:INTERFACE, pass (default)",
	  offsetof(struct compile, action), NULL },
	{ 0, "default", "ACTION", CLI_ARG_TEXT,
	  "What becomes of the others (default: pass with --action, as in filter attach, else drop)",
	  offsetof(struct compile, otherwise), NULL },
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "The interface in tc's commands (default tw0)",
	  offsetof(struct compile, interface), NULL },
	{ 0, "udp-port", "PORT", CLI_ARG_NUMBER, "Look into UDP datagrams to this port too",
	  offsetof(struct compile, udp_port), NULL },
	{ 0, "offload", NULL, CLI_ARG_NONE, "As network cards take it", offsetof(struct compile, offload), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Output", options };
static const struct cli_option_group classifier_group = { "For xdp, tc and u32", classifier_options };
static const struct cli_option_group *const groups[] = { &group, &cli_formats_group, &classifier_group, NULL };

static const struct cli_example examples[] = {
	{ "Filters for the kernel's own events",
	  "sudo tracewire filter compile --to tracefs -e sched 'prev_pid == 0'" },
	{ "What Wireshark has for it", "f=$(tracewire filter compile --to display --from x.pcapng 'prev_pid == 0')" },
	{ "Show those events", "tshark -r x.pcapng -Y \"$f\"" },
	{ "The program that drops them on the wire",
	  "sudo tracewire filter compile --to xdp --action drop 'prev_pid == 0'" },
	{ NULL, NULL },
};

const struct cli_command filter_command_compile = {
	.name = "compile",
	.summary = "Print an expression as one stage has it",
	.arguments = "EXPRESSION",
	.arg_kind = CLI_ARG_TEXT,
	.args_max = 1,
	.description =
		"Writes the filter strings of tracefs, instructions for XDP or tc, commands of tc for u32, a capture filter of "
		"libpcap or a display filter of Wireshark, for the same events each time. The formats come from this kernel, which "
		"needs root, or from a capture.\n"
		"\n"
		"Frames name the schema that their event ids belong to. With --from, or with -e where the stream has just these "
		"events, the result asks for that schema; else it takes any. A filter on the wire is about frames of one event; control "
		"frames pass, so that what passes can be decoded.\n"
		"\n"
		"The status is 2 where the target cannot express all of it; the sentence says which part, and why. `tracewire filter "
		"explain` shows which stage could do it.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct compile),
	.run = compile,
	.discard = cli_formats_source__fini,
};
