/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"
#include "filter/bpf/gen.h"

/* Version and byte order are looked at together. */
static void expect_header(struct tw_gen *g, tw_label otherwise)
{
	struct tw_asm *a = &g->a;
	const uint16_t order = g->rules->big_endian ? TW_FLAG_BODY_BE : 0;

	tw_asm__load(a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, tw_wire32(TW_MAGIC), otherwise);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__alu(a, BPF_AND, BPF_REG_1, tw_wire16(0xff00 | TW_FLAG_BODY_BE));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16((uint16_t)(TW_VERSION << 8 | order)), otherwise);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(channel));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_CHANNEL_CONTROL, otherwise);
	if (!g->rules->schema_id)
		return;
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_HDR(schema_id));
	tw_asm__imm(a, BPF_REG_2, TW_HOST_BE ? g->rules->schema_id : __builtin_bswap64(g->rules->schema_id));
	tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_2, otherwise);
}

/* The event's TLV, padded, reaches exactly to the frame's end, and that lies in the packet. */
static void expect_one_event(struct tw_gen *g, tw_label otherwise)
{
	struct tw_asm *a = &g->a;

	tw_asm__load_be(a, 2, BPF_REG_4, TW_REG_FRAME, TW_HDR(length));
	if (tw_gen__is_xdp(g) || g->options->offload) {
		tw_asm__mov(a, BPF_REG_1, TW_REG_END);
		tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_FRAME);
	} else {
		tw_asm__load(a, 4, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct __sk_buff, len));
		tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_OFFSET);
	}
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_4, BPF_REG_1, otherwise);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_TLV0);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(TW_TLV_EVENT), otherwise);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_TLV0 + (int)offsetof(struct tw_tlv, length));
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, sizeof(struct tw_event), otherwise);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, TW_TLV0 + 3);
	tw_asm__alu(a, BPF_AND, BPF_REG_1, ~3);
	tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_4, otherwise);
}

void tw_gen__short_way(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_gen__find_in_packet(g);
	expect_header(g, g->long_way);
	expect_one_event(g, g->long_way);
	if (g->options->offload)
		tw_asm__store_imm(a, 8, BPF_REG_10, TW_STACK_KEY, 0);
	else
		tw_gen__make_key(g);
	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_KEY);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->long_way);
	tw_asm__mov(a, TW_REG_ROWS, BPF_REG_0);
	tw_asm__load_be(a, 2, TW_REG_LENGTH, TW_REG_FRAME, TW_TLV0 + (int)offsetof(struct tw_tlv, length));
	tw_gen__judge(g, g->long_way);
	tw_gen__one_event_rows(g);
	if (!g->options->offload)
		tw_gen__small_packets(g);
}
