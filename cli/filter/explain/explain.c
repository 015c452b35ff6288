/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter explain`: where each part of an expression runs. */
#include <errno.h>

#include "cli/caret.h"
#include "cli/filter/explain/explanation.h"
#include "cli/filter/filter.h"

#define SECONDS_MAX (365u * 24 * 3600)

struct explain {
	struct cli_formats_source source; /* first: the options' config */
	const char *pipeline, *hook;
	bool json, live;
	uint64_t seconds;
};

static int explain_expression(const struct explain *config, const struct filter_pipeline *pipeline,
			      const struct filter_expression *expression, struct tw_error *err)
{
	struct filter_live live = { 0 };
	struct filter_explanation explanation = {
		.expression = expression,
		.source = &config->source,
		.pipeline = pipeline,
		.live = config->live ? &live : NULL,
	};
	int error = filter_explanation__find(&explanation, err);

	if (!error && config->live)
		error = filter_live__run(expression, &config->source.selection, config->seconds, &live, err);
	if (!error && config->json)
		filter_explanation__print_json(&explanation, stdout);
	else if (!error)
		filter_explanation__print(&explanation, stdout);
	filter_live__fini(&live);
	filter_explanation__fini(&explanation);
	return error;
}

static int apply_live(void *data, const char *value, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .max = SECONDS_MAX };
	struct explain *config = data;

	config->live = true;
	if (tw_number__parse(value, &rule, &config->seconds, NULL))
		return tw_error__set(err, -EINVAL, "--live '%s' is no time: give seconds, or 0 to count until Ctrl-C",
				     value);
	return 0;
}

static int check(const struct explain *config, struct tw_error *err)
{
	if (config->live && config->source.file)
		return tw_error__set(err, -EINVAL,
				     "--live counts events of this kernel, and --from is about a capture");
	if (config->live && !config->source.selection.n)
		return tw_error__set(err, -EINVAL, "--live needs to know which events to record: give --event");
	return 0;
}

static int explain_text(const struct explain *config, const char *text, struct tw_error *err)
{
	const char *name = config->pipeline ? config->pipeline : config->source.file ? "report" : "live";
	struct filter_expression expression = { 0 };
	struct filter_pipeline pipeline;
	int error = check(config, err);

	if (!error)
		error = filter_pipeline__find(name, config->hook, &pipeline, err);
	if (!error)
		error = filter_expression__load(text, &config->source, &expression, err);
	if (!error)
		error = explain_expression(config, &pipeline, &expression, err);
	if (error && text)
		caret__show(text, err);
	filter_expression__fini(&expression);
	return error;
}

static int explain(void *data, int n_args, char **args, struct tw_error *err)
{
	struct explain *config = data;
	const int error = explain_text(config, n_args ? args[0] : NULL, err);

	cli_formats_source__fini(&config->source);
	return filter_expression__exit_of(error);
}

static const struct cli_option options[] = {
	{ 0, "for", "COMMAND", CLI_ARG_TEXT,
	  "Whose way of the events: live (default), record, stream, capture, report (default with --from), attach; or dumpcap, "
	  "tshark",
	  offsetof(struct explain, pipeline), NULL },
	{ 0, "hook", "HOOK", CLI_ARG_TEXT, "The same expression is attached to the wire, too: xdp, tc or u32",
	  offsetof(struct explain, hook), NULL },
	{ 0, "live", "SECONDS", CLI_ARG_NUMBER,
	  "Put it to work for so long (0: until Ctrl-C) and count what each comparison matches and each stage lets through",
	  0, apply_live },
	{ 'j', "json", NULL, CLI_ARG_NONE, "One JSON object instead of text", offsetof(struct explain, json), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, &cli_formats_group, NULL };

static const struct cli_example examples[] = {
	{ "What the kernel does of it, and what is left for tracewire",
	  "sudo tracewire filter explain -e sched 'prev_pid == 0 and comm ~ \"k*\"'" },
	{ "Whether tc's u32 could do it on the wire",
	  "sudo tracewire filter explain -e sched --for attach --hook u32 'cpu == 1'" },
	{ "What each comparison matches, for ten seconds",
	  "sudo tracewire filter explain -e sched --live 10 'prev_pid == 0'" },
	{ "Of a recording", "tracewire filter explain --from x.pcapng 'prev_comm == \"bash\"'" },
	{ NULL, NULL },
};

const struct cli_command filter_command_explain = {
	.name = "explain",
	.summary = "Say where each part of an expression runs, and why not earlier",
	.arguments = "EXPRESSION",
	.arg_kind = CLI_ARG_TEXT,
	.args_max = 1,
	.description =
		"Writes a table of the expression's comparisons and the stages that can do them: `yes`, `no`, `part` where it "
		"depends on the event, `known` where the kind of event decides already; and why not. Below stands the way of the "
		"events through a command: which comparisons each stage does, with the kernel's own filter, and what is left for "
		"the next. Events that cannot match are not enabled.\n"
		"\n"
		"With --live, which needs root and -e, the events are recorded twice at the same time, with the filter and without, "
		"and both are counted. A few events may be on one side only: at the edges of the time that is counted, for each run takes an "
		"event's time itself; and while a task changes its name, for the kernel tells of that a moment before it does it.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct explain),
	.run = explain,
	.discard = cli_formats_source__fini,
};
