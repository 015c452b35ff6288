/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bpf/gen.h"

static const char *refused_action(const struct tw_bpf_options *options, uint8_t action)
{
	if (action == TW_ACTION_MARK && options->hook == TW_HOOK_XDP)
		return "XDP comes before there is anything to mark; use tc";
	if (options->offload && (action == TW_ACTION_MARK || action == TW_ACTION_REDIRECT))
		return "a NIC can only let pass and drop";
	return NULL;
}

static int check_action(const struct tw_bpf_options *options, uint8_t action, struct tw_error *err)
{
	static const char *const names[] = { "pass", "drop", "mark", "redirect" };
	const char *why = refused_action(options, action);

	if (!why)
		return 0;
	return tw_error__set(err, -EOPNOTSUPP, "the action %s cannot be had: %s", names[action], why);
}

static int check_trees(const struct tw_bound *bound, struct tw_error *err)
{
	int error = tw_bound__check(bound, bound->unknown, tw_bpf__refuses, "BPF", err);

	for (size_t i = 0; i < bound->n_events && !error; i++)
		error = tw_bound__check(bound, bound->events[i].root, tw_bpf__refuses, "BPF", err);
	return error;
}

static int check(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_error *err)
{
	int error = check_action(options, rules->default_action, err);

	if (rules->n > TW_RULES_MAX)
		return tw_error__set(err, -E2BIG, "%u rules; %d are the most", rules->n, TW_RULES_MAX);
	for (unsigned int i = 0; i < rules->n && !error; i++) {
		error = check_action(options, rules->rules[i].action, err);
		if (!error)
			error = check_trees(rules->rules[i].bound, err);
	}
	return error;
}

static void write_program(struct tw_gen *g)
{
	g->long_way = tw_asm__label(&g->a);
	g->small = tw_asm__label(&g->a);
	g->pass = tw_asm__label(&g->a);
	g->record = tw_asm__label(&g->a);
	g->control = tw_asm__label(&g->a);
	g->other_schema = tw_asm__label(&g->a);
	g->unreadable = tw_asm__label(&g->a);
	if (g->options->offload) {
		tw_gen__offload(g);
		return;
	}
	tw_gen__short_way(g);
	tw_gen__find_frame(g);
	tw_gen__header(g);
	tw_gen__loop(g);
	tw_gen__conclude(g);
	tw_gen__frames_without_rule(g);
	tw_gen__record_function(g);
}

static int explain(int error, struct tw_error *err)
{
	if (error == -E2BIG)
		return tw_error__set(err, error,
				     "the rules take more than the %d instructions a program may have; "
				     "fewer rules, or names of events before fields, make it smaller",
				     TW_BPF_INSNS_MAX);
	if (error)
		return tw_error__set(err, error, "no memory for a BPF program");
	return 0;
}

int tw_bpf__generate(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_bpf_program *ret,
		     struct tw_error *err)
{
	struct tw_gen g = { .rules = rules, .options = options };
	struct tw_bpf_program program;
	int error = check(rules, options, err);

	if (error)
		return error;
	error = tw_chains__make(rules, &g.chains);
	if (error)
		return explain(error, err);
	tw_asm__init(&g.a);
	write_program(&g);
	error = tw_asm__finish(&g.a, &program);
	tw_asm__fini(&g.a);
	tw_chains__fini(&g.chains);
	if (!error)
		*ret = program;
	return explain(error, err);
}

void tw_bpf_program__fini(struct tw_bpf_program *program)
{
	free(program->insns);
	free(program->map_uses);
	*program = (struct tw_bpf_program){ 0 };
}
