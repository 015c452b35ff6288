/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pkt_cls.h>

#include "filter/bpf/gen.h"
#include "filter/capability.h"

void tw_gen__make_key(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__load_be(a, 8, BPF_REG_1, TW_REG_FRAME, TW_HDR(stream_id));
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY, BPF_REG_1);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(channel));
	if (TW_HOST_BE)
		tw_asm__alu(a, BPF_LSH, BPF_REG_1, 48);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY + (int)offsetof(struct tw_counter_key, channel), BPF_REG_1);
}

void tw_gen__look_up(struct tw_gen *g, enum tw_bpf_map map, int key)
{
	struct tw_asm *a = &g->a;

	tw_asm__map(a, BPF_REG_1, (uint16_t)map);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, key);
	tw_asm__call(a, BPF_FUNC_map_lookup_elem);
}

void tw_gen__grow(struct tw_gen *g, uint8_t base, int offset, int by)
{
	struct tw_asm *a = &g->a;

	if (by == TW_BY_NOTHING)
		return;
	if (g->options->offload) {
		if (by == TW_BY_ONE)
			tw_asm__imm(a, BPF_REG_1, 1);
		tw_asm__atomic_add(a, base, offset, by == TW_BY_ONE ? BPF_REG_1 : (uint8_t)by);
		return;
	}
	tw_asm__load(a, 8, BPF_REG_1, base, offset);
	if (by == TW_BY_ONE)
		tw_asm__alu(a, BPF_ADD, BPF_REG_1, 1);
	else
		tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, (uint8_t)by);
	tw_asm__store(a, 8, base, offset, BPF_REG_1);
}

void tw_gen__count(struct tw_gen *g, unsigned int row, int events)
{
	const int at = (int)(row * sizeof(struct tw_counter));

	tw_gen__grow(g, TW_REG_ROWS, at + (int)offsetof(struct tw_counter, frames), TW_BY_ONE);
	tw_gen__grow(g, TW_REG_ROWS, at + (int)offsetof(struct tw_counter, events), events);
}

void tw_gen__count_what(struct tw_gen *g, enum tw_count what, int events)
{
	tw_gen__count(g, g->rules->n + 1 + (unsigned int)what, events);
}

/* In tc, a passed packet continues to the next classifier, which may belong to another program. */
void tw_gen__return(struct tw_gen *g, uint8_t action)
{
	const bool drops = action == TW_ACTION_DROP;

	if (tw_gen__is_xdp(g))
		tw_asm__imm(&g->a, BPF_REG_0, drops ? XDP_DROP : XDP_PASS);
	else
		tw_asm__imm(&g->a, BPF_REG_0, drops ? TC_ACT_SHOT : (uint64_t)TC_ACT_UNSPEC);
	tw_asm__exit(&g->a);
}

void tw_gen__act(struct tw_gen *g, uint8_t action, uint32_t arg)
{
	struct tw_asm *a = &g->a;

	if (action == TW_ACTION_REDIRECT) {
		tw_asm__imm(a, BPF_REG_1, arg);
		tw_asm__imm(a, BPF_REG_2, 0);
		tw_asm__call(a, BPF_FUNC_redirect);
		tw_asm__exit(a);
		return;
	}
	if (action == TW_ACTION_MARK) {
		tw_asm__imm(a, BPF_REG_1, arg);
		tw_asm__store(a, 4, TW_REG_CONTEXT, offsetof(struct __sk_buff, mark), BPF_REG_1);
	}
	tw_gen__return(g, action);
}

/* Whether one of the first @n rules redirects to @interface. */
static bool is_repeated(const struct tw_rules *rules, unsigned int n, uint32_t interface)
{
	for (unsigned int i = 0; i < n; i++)
		if (rules->rules[i].action == TW_ACTION_REDIRECT && rules->rules[i].arg == interface)
			return true;
	return false;
}

/* In tc, copy control frames to each interface that a rule or the default action redirects to. XDP cannot copy packets. */
static void clone_control(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	if (tw_gen__is_xdp(g))
		return;
	for (unsigned int i = 0; i <= g->rules->n; i++) {
		const struct tw_rule row = tw_rules__row(g->rules, i);

		if (row.action != TW_ACTION_REDIRECT || is_repeated(g->rules, i, row.arg))
			continue;
		tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
		tw_asm__imm(a, BPF_REG_2, row.arg);
		tw_asm__imm(a, BPF_REG_3, 0);
		tw_asm__call(a, BPF_FUNC_clone_redirect);
	}
}

void tw_gen__sort_out(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(channel));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_CHANNEL_CONTROL, g->control);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(flags));
	tw_asm__alu(a, BPF_AND, BPF_REG_1, TW_FLAG_BODY_BE);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, g->rules->big_endian ? TW_FLAG_BODY_BE : 0, g->other_schema);
	if (!g->rules->schema_id)
		return;
	tw_asm__load_be(a, 8, BPF_REG_1, TW_REG_FRAME, TW_HDR(schema_id));
	tw_asm__imm(a, BPF_REG_2, g->rules->schema_id);
	tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_2, g->other_schema);
}

void tw_gen__frames_without_rule(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__place(a, g->control);
	tw_gen__count_what(g, TW_COUNT_CONTROL, TW_BY_NOTHING);
	clone_control(g);
	tw_asm__jump(a, g->pass);

	tw_asm__place(a, g->other_schema);
	tw_asm__load_be(a, 2, BPF_REG_2, TW_REG_FRAME, TW_HDR(events));
	tw_gen__count_what(g, TW_COUNT_OTHER_SCHEMA, BPF_REG_2);
	tw_asm__jump(a, g->pass);

	tw_asm__place(a, g->unreadable);
	tw_gen__count_what(g, TW_COUNT_UNREADABLE, TW_BY_NOTHING);
	tw_asm__jump(a, g->pass);

	tw_asm__place(a, g->pass);
	tw_gen__return(g, TW_ACTION_PASS);
}

static int check_action(const struct tw_bpf_options *options, uint8_t action, struct tw_error *error)
{
	static const char *const names[] = { "pass", "drop", "mark", "redirect" };
	const char *why;

	if (action == TW_ACTION_MARK && options->hook == TW_HOOK_XDP)
		why = "XDP cannot mark frames, because they have no mark yet; use tc";
	else if (options->offload && (action == TW_ACTION_MARK || action == TW_ACTION_REDIRECT))
		why = "with --offload, a network card can only pass and drop frames";
	else
		return 0;
	return tw_error__set(error, -EOPNOTSUPP, "the action %s is not possible: %s", names[action], why);
}

static int check_trees(const struct tw_bound *bound, struct tw_error *error)
{
	int err = tw_bound__check(bound, bound->unknown, TW_BACK_END_BPF, error);

	for (size_t i = 0; i < bound->n_events && !err; i++)
		err = tw_bound__check(bound, bound->events[i].root, TW_BACK_END_BPF, error);
	return err;
}

static int check(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_error *error)
{
	int err = check_action(options, rules->default_action, error);

	if (rules->n > TW_RULES_MAX)
		return tw_error__set(error, -E2BIG, "the classifier has %u rules; the limit is %d", rules->n,
				     TW_RULES_MAX);
	for (unsigned int i = 0; i < rules->n && !err; i++) {
		err = check_action(options, rules->rules[i].action, error);
		if (!err)
			err = check_trees(rules->rules[i].bound, error);
	}
	return err;
}

static void write_program(struct tw_gen *g)
{
	g->slow_path = tw_asm__label(&g->a);
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
	tw_gen__fast_path(g);
	tw_gen__slow_path(g);
	tw_gen__packed(g);
	tw_gen__frames_without_rule(g);
	tw_gen__record_function(g);
}

static int explain(int err, struct tw_error *error)
{
	if (err == -E2BIG)
		return tw_error__set(
			error, err,
			"the rules need more than %d instructions, the limit of a program; use fewer rules, or give "
			"the event of each field, as in EVENT.FIELD",
			TW_BPF_INSNS_MAX);
	if (err)
		return tw_error__set(error, err, "out of memory for the BPF program of the rules");
	return 0;
}

int tw_bpf__generate(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_bpf_program *ret,
		     struct tw_error *error)
{
	struct tw_gen g = { .rules = rules, .options = options };
	struct tw_bpf_program program;
	int err = check(rules, options, error);

	if (err)
		return err;
	err = tw_chains__make(rules, &g.chains);
	if (err)
		return explain(err, error);
	tw_asm__init(&g.a);
	write_program(&g);
	err = tw_asm__finish(&g.a, &program);
	tw_asm__fini(&g.a);
	tw_chains__fini(&g.chains);
	if (!err)
		*ret = program;
	return explain(err, error);
}

void tw_bpf_program__fini(struct tw_bpf_program *program)
{
	free(program->insns);
	free(program->map_uses);
	*program = (struct tw_bpf_program){ 0 };
}
