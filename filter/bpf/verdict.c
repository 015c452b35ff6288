/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/pkt_cls.h>

#include "filter/bpf/gen.h"
#include "filter/bpf/match.h"

void tw_gen__judge(struct tw_gen *g, tw_label too_short)
{
	const struct tw_match match = {
		.chains = &g->chains,
		.rows = g->rows,
		.sight = { too_short, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_load_bytes : BPF_FUNC_skb_load_bytes,
			   g->options->offload },
	};

	for (unsigned int i = 0; i <= g->rules->n; i++)
		g->rows[i] = tw_asm__label(&g->a);
	tw_match__emit(&g->a, &match);
}

/* tc: what passes goes on to the next classifier, somebody else's maybe. */
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

static void one_event_row(struct tw_gen *g, unsigned int row, uint8_t action, uint32_t arg)
{
	tw_asm__place(&g->a, g->rows[row]);
	tw_gen__count(g, row, TW_BY_ONE);
	if (action == TW_ACTION_DROP)
		tw_gen__count_what(g, TW_COUNT_DROPPED, TW_BY_ONE);
	tw_gen__act(g, action, arg);
}

void tw_gen__one_event_rows(struct tw_gen *g)
{
	for (unsigned int i = 0; i < g->rules->n; i++)
		one_event_row(g, i, g->rules->rules[i].action, g->rules->rules[i].arg);
	one_event_row(g, g->rules->n, g->rules->default_action, g->rules->default_arg);
}

/* Return: whether an earlier rule redirects to the same interface. */
static bool is_repeated(const struct tw_rules *rules, unsigned int n, uint32_t interface)
{
	for (unsigned int i = 0; i < n; i++)
		if (rules->rules[i].action == TW_ACTION_REDIRECT && rules->rules[i].arg == interface)
			return true;
	return false;
}

static void clone_to(struct tw_gen *g, uint32_t interface)
{
	struct tw_asm *a = &g->a;

	tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
	tw_asm__imm(a, BPF_REG_2, interface);
	tw_asm__imm(a, BPF_REG_3, 0);
	tw_asm__call(a, BPF_FUNC_clone_redirect);
}

/* Control frames go wherever events go. XDP has one packet and can send it one way only. */
static void clone_control(struct tw_gen *g)
{
	const struct tw_rules *rules = g->rules;

	if (tw_gen__is_xdp(g))
		return;
	for (unsigned int i = 0; i < rules->n; i++)
		if (rules->rules[i].action == TW_ACTION_REDIRECT && !is_repeated(rules, i, rules->rules[i].arg))
			clone_to(g, rules->rules[i].arg);
	if (rules->default_action == TW_ACTION_REDIRECT && !is_repeated(rules, rules->n, rules->default_arg))
		clone_to(g, rules->default_arg);
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
