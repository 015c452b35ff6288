/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"
#include "filter/bpf/gen.h"

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

	tw_asm__map(a, BPF_REG_1, map);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, key);
	tw_asm__call(a, BPF_FUNC_map_lookup_elem);
}

/* A new stream or channel: its rows begin as zeros. Where the map is full the rows of all that it has no room for are taken. */
static void make_rows(struct tw_gen *g, tw_label found)
{
	struct tw_asm *a = &g->a;
	const tw_label overflow = tw_asm__label(a);

	tw_gen__look_up(g, TW_MAP_BLANK, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, overflow);
	tw_asm__mov(a, BPF_REG_3, BPF_REG_0);
	tw_asm__map(a, BPF_REG_1, TW_MAP_COUNTERS);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, TW_STACK_KEY);
	tw_asm__imm(a, BPF_REG_4, BPF_NOEXIST);
	tw_asm__call(a, BPF_FUNC_map_update_elem);
	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_KEY);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, found);
	tw_asm__place(a, overflow);
	tw_gen__look_up(g, TW_MAP_OVERFLOW, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->pass);
}

void tw_gen__find_rows(struct tw_gen *g)
{
	const tw_label found = tw_asm__label(&g->a);

	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_KEY);
	tw_asm__jump_if(&g->a, BPF_JNE, BPF_REG_0, 0, found);
	make_rows(g, found);
	tw_asm__place(&g->a, found);
	tw_asm__mov(&g->a, TW_REG_ROWS, BPF_REG_0);
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
