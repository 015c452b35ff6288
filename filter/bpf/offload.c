/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program for a NIC: no helper but the look-up, no loop. It judges frames of nothing but one event behind plain Ethernet. What it
 * cannot look through passes and is counted as unreadable: packed frames, pieces of events, a WATERMARK behind an event.
 */
#include <linux/if_ether.h>

#include "filter/bpf/gen.h"

/* Packets that are not even a frame's header long, or something else, pass uncounted. */
static void look_again(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__place(a, g->long_way);
	tw_asm__load(a, 4, TW_REG_FRAME, TW_REG_CONTEXT,
		     tw_gen__is_xdp(g) ? (int)offsetof(struct xdp_md, data) : (int)offsetof(struct __sk_buff, data));
	tw_asm__mov(a, BPF_REG_1, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, ETH_HLEN + TW_TLV0);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, g->pass);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, ETH_HLEN - 2);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_ETHERTYPE, g->pass);
	tw_asm__alu(a, BPF_ADD, TW_REG_FRAME, ETH_HLEN);
	tw_asm__load_be(a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, (int32_t)TW_MAGIC, g->pass);
}

static void find_rows(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__store_imm(a, 8, BPF_REG_10, TW_STACK_ZERO, 0);
	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->pass);
	tw_asm__mov(a, TW_REG_ROWS, BPF_REG_0);
}

static void sort_out(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_VERSION, g->unreadable);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(channel));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_CHANNEL_CONTROL, g->control);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(flags));
	tw_asm__alu(a, BPF_AND, BPF_REG_1, TW_FLAG_BODY_BE);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, g->rules->big_endian ? TW_FLAG_BODY_BE : 0, g->other_schema);
	if (g->rules->schema_id) {
		tw_asm__load_be(a, 8, BPF_REG_1, TW_REG_FRAME, TW_HDR(schema_id));
		tw_asm__imm(a, BPF_REG_2, g->rules->schema_id);
		tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_2, g->other_schema);
	}
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(events));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, g->control);
	tw_asm__jump(a, g->unreadable);
}

void tw_gen__offload(struct tw_gen *g)
{
	tw_gen__short_way(g);
	look_again(g);
	find_rows(g);
	sort_out(g);
	tw_gen__frames_without_rule(g);
}
