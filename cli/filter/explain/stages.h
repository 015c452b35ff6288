/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stages that events pass, what each can do of a filter, and which of them a command has. */
#ifndef CLI_FILTER_STAGES_H
#define CLI_FILTER_STAGES_H

#include "cli/filter/expression.h"
#include "filter/capability.h"

enum filter_stage {
	FILTER_IN_TRACEFS,
	FILTER_IN_PRODUCER,
	FILTER_IN_XDP,
	FILTER_IN_TC,
	FILTER_IN_U32,
	FILTER_IN_PCAP,
	FILTER_IN_DISPLAY,
	FILTER_IN_TOOLS,
	FILTER_STAGES,
};

struct filter_stage_info {
	const char *name;
	enum tw_back_end back_end;
	/* It takes an expression whole or not at all: what does so is tried here. Return: 0, or -errno with @err saying why not. */
	int (*try)(const struct filter_expression *expression, struct tw_error *err);
};

extern const struct filter_stage_info filter_stages[FILTER_STAGES];

#define FILTER_PIPELINE_MAX 4

struct filter_pipeline {
	const char *name;                              /* of the command; NULL ends the list */
	enum filter_stage stages[FILTER_PIPELINE_MAX]; /* in order */
	unsigned int n;
	bool has_wire; /* a classifier may stand before the stage of that number */
	unsigned int wire_at;
	const char *then; /* what comes of what is left behind them; NULL = nothing is */
};

/**
 * filter_pipeline__find() - the way of events through a command
 * @name: live, record, stream, capture, report, attach, dumpcap, tshark
 * @hook: xdp, tc or u32 stands on it too; NULL = none. attach has xdp then
 *
 * Return: 0; -EINVAL for names that are none, or a hook where no wire is.
 */
int filter_pipeline__find(const char *name, const char *hook, struct filter_pipeline *ret, struct tw_error *err);

#endif
