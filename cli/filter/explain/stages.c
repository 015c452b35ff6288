/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/strings.h"
#include "filter/bpf/program.h"
#include "filter/display.h"
#include "filter/pcap.h"
#include "filter/rules.h"
#include "filter/tracefs.h"
#include "filter/u32.h"
#include "producer/filtering/filtering.h"

static int try_bpf(const struct filter_expression *expression, enum tw_hook hook, struct tw_error *err)
{
	const struct tw_rule rule = { .bound = expression->bound, .action = TW_ACTION_DROP };
	const struct tw_rules rules = {
		.rules = &rule,
		.n = 1,
		.schema_id = expression->formats.schema_id,
		.big_endian = expression->formats.big_endian,
	};
	const struct tw_bpf_options options = { .hook = (uint8_t)hook };
	struct tw_bpf_program program;
	const int error = tw_bpf__generate(&rules, &options, &program, err);

	if (!error)
		tw_bpf_program__fini(&program);
	return error;
}

static int try_xdp(const struct filter_expression *expression, struct tw_error *err)
{
	return try_bpf(expression, TW_HOOK_XDP, err);
}

static int try_tc(const struct filter_expression *expression, struct tw_error *err)
{
	return try_bpf(expression, TW_HOOK_TC, err);
}

static int try_u32(const struct filter_expression *expression, struct tw_error *err)
{
	struct tw_u32 u32;
	const int error = tw_u32__compile(expression->bound, expression->formats.schema_id, &u32, err);

	if (!error)
		tw_u32__fini(&u32);
	return error;
}

static int try_string(const struct filter_expression *expression, filter_string *make, struct tw_error *err)
{
	char *string;
	const int error = make(expression, &string, err);

	if (!error)
		free(string);
	return error;
}

static int try_pcap(const struct filter_expression *expression, struct tw_error *err)
{
	return try_string(expression, filter_string__pcap, err);
}

static int try_display(const struct filter_expression *expression, struct tw_error *err)
{
	return try_string(expression, filter_string__display, err);
}

const struct filter_stage_info filter_stages[FILTER_STAGES] = {
	[FILTER_IN_TRACEFS] = { "tracefs", tw_tracefs__refuses, NULL },
	[FILTER_IN_PRODUCER] = { "producer", tw_producer__refuses, NULL },
	[FILTER_IN_XDP] = { "xdp", tw_bpf__refuses, try_xdp },
	[FILTER_IN_TC] = { "tc", tw_bpf__refuses, try_tc },
	[FILTER_IN_U32] = { "u32", tw_u32__refuses, try_u32 },
	[FILTER_IN_PCAP] = { "pcap", tw_pcap__refuses, try_pcap },
	[FILTER_IN_DISPLAY] = { "display", tw_display__refuses, try_display },
	[FILTER_IN_TOOLS] = { "tools", NULL, NULL },
};

static const struct filter_pipeline pipelines[] = {
	{ "live", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER, FILTER_IN_TOOLS }, 3, true, 2, NULL },
	{ "record", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER, FILTER_IN_TOOLS }, 3, false, 0, NULL },
	{ "stream", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER }, 2, true, 2, "so that stream refuses the filter" },
	{ "capture", { FILTER_IN_TOOLS }, 1, true, 0, NULL },
	{ "report", { FILTER_IN_TOOLS }, 1, false, 0, NULL },
	{ "attach", { 0 }, 0, true, 0, "to whoever receives" },
	{ "dumpcap", { FILTER_IN_PCAP }, 1, true, 0, "to whoever reads the capture" },
	{ "tshark", { FILTER_IN_DISPLAY }, 1, false, 0, "and nobody does it" },
	{ 0 },
};

static int find_hook(const char *name, enum filter_stage *ret, struct tw_error *err)
{
	for (enum filter_stage stage = FILTER_IN_XDP; stage <= FILTER_IN_U32; stage++) {
		if (!strcmp(filter_stages[stage].name, name)) {
			*ret = stage;
			return 0;
		}
	}
	return tw_error__set(err, -EINVAL, "there is no hook '%s'; there are xdp, tc and u32", name);
}

static int find_pipeline(const char *name, struct filter_pipeline *ret, struct tw_error *err)
{
	for (const struct filter_pipeline *pipeline = pipelines; pipeline->name; pipeline++) {
		if (!strcmp(pipeline->name, name)) {
			*ret = *pipeline;
			return 0;
		}
	}
	return tw_error__set(
		err, -EINVAL,
		"nothing is known of '%s'; there are live, record, stream, capture, report, attach, dumpcap and tshark",
		name);
}

static void insert(struct filter_pipeline *pipeline, enum filter_stage stage)
{
	for (unsigned int i = pipeline->n++; i > pipeline->wire_at; i--)
		pipeline->stages[i] = pipeline->stages[i - 1];
	pipeline->stages[pipeline->wire_at] = stage;
}

int filter_pipeline__find(const char *name, const char *hook, struct filter_pipeline *ret, struct tw_error *err)
{
	enum filter_stage stage = FILTER_IN_XDP;
	int error = find_pipeline(name, ret, err);

	if (!error && hook)
		error = find_hook(hook, &stage, err);
	if (error)
		return error;
	if (hook && !ret->has_wire)
		return tw_error__set(err, -EINVAL, "%s has no wire, and so no --hook", name);
	if (hook || !ret->n)
		insert(ret, stage);
	return 0;
}
