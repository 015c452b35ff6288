/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/gen.h"

static void copy(struct tw_gen *g, int size)
{
	struct tw_asm *a = &g->a;

	tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	tw_asm__mov(a, BPF_REG_3, TW_REG_FRAME);
	tw_gen__load_bytes(g, size, g->pass);
}

static void expect_magic(struct tw_gen *g)
{
	tw_asm__load_be(&g->a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(&g->a, BPF_JNE, BPF_REG_1, (int32_t)TW_MAGIC, g->pass);
}

/* A length that can be gives the state its offsets; else its end stays 0. */
static void check_length(struct tw_gen *g, tw_label invalid)
{
	struct tw_asm *a = &g->a;

	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(length));
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, TW_TLV0, invalid);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
	tw_asm__alu(a, BPF_AND, BPF_REG_2, 3);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_2, 0, invalid);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, TW_REG_AT);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_LIMIT, invalid);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(end), BPF_REG_1);
	tw_asm__alu(a, BPF_ADD, TW_REG_AT, TW_TLV0);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(at), TW_REG_AT);
	tw_asm__place(a, invalid);
}

/* Copies the header and makes the key. A header that is cut, or of another version, has the key of zeros. */
static void read_header(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label cut = tw_asm__label(a), strange = tw_asm__label(a), done = tw_asm__label(a);

	tw_asm__mov(a, BPF_REG_1, TW_REG_LIMIT);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_AT);
	tw_asm__jump_if(a, BPF_JSLT, BPF_REG_1, TW_TLV0, cut);
	copy(g, TW_TLV0);
	expect_magic(g);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_VERSION, strange);
	tw_gen__make_key(g);
	check_length(g, done);
	tw_asm__jump(a, done);

	tw_asm__place(a, cut);
	tw_asm__jump_if(a, BPF_JSLT, BPF_REG_1, sizeof(uint32_t), g->pass);
	copy(g, sizeof(uint32_t));
	expect_magic(g);
	tw_asm__place(a, strange);
	tw_asm__imm(a, BPF_REG_1, 0);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY, BPF_REG_1);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY + 8, BPF_REG_1);
	tw_asm__place(a, done);
}

static void sort_out(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(end));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, g->unreadable);
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

void tw_gen__header(struct tw_gen *g)
{
	read_header(g);
	tw_gen__find_rows(g);
	sort_out(g);
}
