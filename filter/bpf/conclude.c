/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"
#include "filter/bpf/gen.h"

/* In this file r2 is the number of events dropped and TW_REG_AT the TW_FOUND_* of the frame. */
#define DROPPED BPF_REG_2
#define FOUND   TW_REG_AT

static void load_state(struct tw_asm *a, uint8_t reg, int offset)
{
	tw_asm__load(a, 8, reg, TW_REG_FRAME, offset);
}

/* No event is left, nor anything that has to arrive: the frame ends here. */
static void drop_frame(struct tw_gen *g, tw_label otherwise)
{
	struct tw_asm *a = &g->a;

	load_state(a, BPF_REG_1, TW_STATE(left));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, otherwise);
	tw_asm__jump_if(a, BPF_JSET, FOUND, TW_FOUND_MUST | TW_FOUND_BROKEN, otherwise);
	tw_gen__count_what(g, TW_COUNT_DROPPED, DROPPED);
	tw_gen__return(g, TW_ACTION_DROP);
}

/* XDP: the sum is left out, as IPv4 allows. tc: it follows, as ones' complement sums go; each event's type grew by 1. */
static void mend_checksum(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a);

	load_state(a, BPF_REG_1, TW_STATE(checksum));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, done);
	if (tw_gen__is_xdp(g)) {
		tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
		tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
		tw_asm__mov(a, BPF_REG_3, BPF_REG_10);
		tw_asm__alu(a, BPF_ADD, BPF_REG_3, TW_STACK_ZERO);
		tw_gen__store_bytes(g, 2, g->unreadable);
	} else {
		tw_asm__mov(a, BPF_REG_4, DROPPED);
		tw_asm__to_host(a, BPF_REG_4, 2, true);
		tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
		tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
		tw_asm__imm(a, BPF_REG_3, 0);
		tw_asm__imm(a, BPF_REG_5, BPF_F_MARK_MANGLED_0 | 2);
		tw_asm__call(a, BPF_FUNC_l4_csum_replace);
	}
	tw_asm__place(a, done);
}

/* Events of a frame that goes on became FILTERED; or should have, where the checksum could not follow. */
static void count_filtered(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label changed = tw_asm__label(a);

	if (tw_gen__is_xdp(g)) {
		load_state(a, BPF_REG_1, TW_STATE(fixed));
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, changed);
		tw_gen__count_what(g, TW_COUNT_UNREADABLE, DROPPED);
		tw_asm__jump(a, g->pass);
		tw_asm__place(a, changed);
	}
	tw_gen__count_what(g, TW_COUNT_FILTERED, DROPPED);
	mend_checksum(g);
}

static void count_part(struct tw_gen *g)
{
	const tw_label none = tw_asm__label(&g->a), some = tw_asm__label(&g->a);

	tw_asm__jump_if(&g->a, BPF_JSET, FOUND, TW_FOUND_PART, some);
	tw_asm__jump(&g->a, none);
	tw_asm__place(&g->a, some);
	tw_gen__count_what(g, TW_COUNT_PART, TW_BY_NOTHING);
	tw_asm__place(&g->a, none);
}

/* The first event that is left decides. Only marks and redirections need to be told apart. */
static void act_by_first(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	load_state(a, BPF_REG_1, TW_STATE(first));
	for (unsigned int i = 0; i <= g->rules->n; i++) {
		const bool is_default = i == g->rules->n;
		const uint8_t action = is_default ? g->rules->default_action : g->rules->rules[i].action;
		const tw_label next = tw_asm__label(a);

		if (action != TW_ACTION_MARK && action != TW_ACTION_REDIRECT)
			continue;
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, (int32_t)i, next);
		tw_gen__act(g, action, is_default ? g->rules->default_arg : g->rules->rules[i].arg);
		tw_asm__place(a, next);
	}
	tw_asm__jump(a, g->pass);
}

void tw_gen__conclude(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label keep = tw_asm__label(a), nothing = tw_asm__label(a), counted = tw_asm__label(a);
	const tw_label no_event = tw_asm__label(a);

	load_state(a, FOUND, TW_STATE(found));
	load_state(a, DROPPED, TW_STATE(dropped));
	tw_asm__jump_if(a, BPF_JEQ, DROPPED, 0, nothing);
	drop_frame(g, keep);
	tw_asm__place(a, keep);
	count_part(g);
	count_filtered(g);
	tw_asm__jump(a, counted);

	tw_asm__place(a, nothing);
	count_part(g);
	tw_asm__place(a, counted);
	tw_asm__jump_if(a, BPF_JSET, FOUND, TW_FOUND_BROKEN, g->unreadable);
	load_state(a, BPF_REG_1, TW_STATE(left));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, no_event);
	act_by_first(g);

	tw_asm__place(a, no_event);
	load_state(a, BPF_REG_1, TW_STATE(dropped));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, g->pass);
	tw_asm__jump_if(a, BPF_JSET, FOUND, TW_FOUND_PART, g->pass);
	tw_gen__count_what(g, TW_COUNT_CONTROL, TW_BY_NOTHING);
	tw_asm__jump(a, g->pass);
}
