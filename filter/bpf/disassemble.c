/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/disassemble.h"

struct operator
{
	uint8_t op;
	const char *text;
};

static const char *find(const struct operator* operators, size_t n, uint8_t op)
{
	for (size_t i = 0; i < n; i++)
		if (operators[i].op == op)
			return operators[i].text;
	return NULL;
}

#define FIND(operators, op) find(operators, sizeof(operators) / sizeof((operators)[0]), op)

static void put_reg(struct tw_line *line, char width, unsigned int reg)
{
	tw_line__char(line, width);
	tw_line__u64(line, reg);
}

static void put_operand(struct tw_line *line, const struct bpf_insn *insn, char width)
{
	if (BPF_SRC(insn->code) == BPF_X)
		put_reg(line, width, insn->src_reg);
	else
		tw_line__i64(line, insn->imm);
}

static void put_alu(struct tw_line *line, const struct bpf_insn *insn, char width)
{
	static const struct operator operators[] = {
		{ BPF_ADD, " += " },  { BPF_SUB, " -= " },  { BPF_AND, " &= " },    { BPF_OR, " |= " },
		{ BPF_LSH, " <<= " }, { BPF_RSH, " >>= " }, { BPF_ARSH, " s>>= " }, { BPF_MOV, " = " },
	};
	const char *text = FIND(operators, BPF_OP(insn->code));

	if (BPF_OP(insn->code) == BPF_END) {
		put_reg(line, 'r', insn->dst_reg);
		tw_line__str(line, BPF_SRC(insn->code) == BPF_TO_BE ? " = be" : " = le");
		tw_line__i64(line, insn->imm);
		tw_line__char(line, ' ');
		put_reg(line, 'r', insn->dst_reg);
		return;
	}
	put_reg(line, width, insn->dst_reg);
	tw_line__str(line, text ? text : " ?= ");
	put_operand(line, insn, width);
}

static void put_helper(struct tw_line *line, int32_t helper)
{
	static const char *const names[] = {
#define NAME(name, ...) [BPF_FUNC_##name] = "bpf_" #name
		NAME(map_lookup_elem),
		NAME(map_update_elem),
		NAME(redirect),
		NAME(clone_redirect),
		NAME(skb_load_bytes),
		NAME(skb_store_bytes),
		NAME(l4_csum_replace),
		NAME(xdp_get_buff_len),
		NAME(xdp_load_bytes),
		NAME(xdp_store_bytes),
		NAME(loop),
#undef NAME
	};
	const bool is_known = helper >= 0 && (size_t)helper < sizeof(names) / sizeof(names[0]) && names[helper];

	tw_line__str(line, "call ");
	if (is_known)
		tw_line__str(line, names[helper]);
	else
		tw_line__i64(line, helper);
}

static void put_jump(struct tw_line *line, const struct bpf_insn *insn, uint32_t i, char width)
{
	static const struct operator operators[] = {
		{ BPF_JEQ, " == " },  { BPF_JNE, " != " },   { BPF_JGT, " > " },   { BPF_JGE, " >= " },
		{ BPF_JLT, " < " },   { BPF_JLE, " <= " },   { BPF_JSGT, " s> " }, { BPF_JSGE, " s>= " },
		{ BPF_JSLT, " s< " }, { BPF_JSLE, " s<= " }, { BPF_JSET, " & " },
	};
	const char *text = FIND(operators, BPF_OP(insn->code));

	if (BPF_OP(insn->code) == BPF_CALL) {
		put_helper(line, insn->imm);
		return;
	}
	if (BPF_OP(insn->code) == BPF_EXIT) {
		tw_line__str(line, "exit");
		return;
	}
	if (BPF_OP(insn->code) != BPF_JA) {
		tw_line__str(line, "if ");
		put_reg(line, width, insn->dst_reg);
		tw_line__str(line, text ? text : " ? ");
		put_operand(line, insn, width);
		tw_line__char(line, ' ');
	}
	tw_line__str(line, "goto ");
	tw_line__i64(line, (int64_t)i + 1 + insn->off);
}

/* Append a memory operand, such as "*(u32 *)(r6 +4)". */
static void put_memory(struct tw_line *line, const struct bpf_insn *insn, unsigned int base)
{
	static const struct operator sizes[] = {
		{ BPF_B, "*(u8 *)(" },
		{ BPF_H, "*(u16 *)(" },
		{ BPF_W, "*(u32 *)(" },
		{ BPF_DW, "*(u64 *)(" },
	};

	tw_line__str(line, FIND(sizes, BPF_SIZE(insn->code)));
	put_reg(line, 'r', base);
	tw_line__str(line, insn->off < 0 ? " " : " +");
	tw_line__i64(line, insn->off);
	tw_line__char(line, ')');
}

static void put_store(struct tw_line *line, const struct bpf_insn *insn)
{
	const bool is_atomic = BPF_MODE(insn->code) == BPF_ATOMIC;

	if (is_atomic)
		tw_line__str(line, "lock ");
	put_memory(line, insn, insn->dst_reg);
	tw_line__str(line, is_atomic ? " += " : " = ");
	if (BPF_CLASS(insn->code) == BPF_STX)
		put_reg(line, 'r', insn->src_reg);
	else
		tw_line__i64(line, insn->imm);
}

static void put_map(struct tw_line *line, const struct tw_bpf_program *program, uint32_t i)
{
	static const char *const names[] = {
		[TW_MAP_COUNTERS] = "counters",
		[TW_MAP_BLANK] = "blank",
		[TW_MAP_OVERFLOW] = "overflow",
		[TW_MAP_WINDOW] = "window",
	};

	for (uint32_t use = 0; use < program->n_map_uses; use++)
		if (program->map_uses[use].insn == i)
			tw_line__str(line, names[program->map_uses[use].map]);
}

static void put_wide(struct tw_line *line, const struct tw_bpf_program *program, uint32_t i)
{
	const struct bpf_insn *insn = &program->insns[i];

	put_reg(line, 'r', insn->dst_reg);
	tw_line__str(line, " = ");
	if (insn->src_reg == BPF_PSEUDO_MAP_FD) {
		tw_line__str(line, "map ");
		put_map(line, program, i);
	} else if (insn->src_reg == BPF_PSEUDO_FUNC) {
		tw_line__str(line, "function ");
		tw_line__i64(line, (int64_t)i + 1 + insn->imm);
	} else {
		tw_line__str(line, "0x");
		tw_line__hex(line, (uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn->imm);
		tw_line__str(line, " ll");
	}
}

void tw_bpf__disassemble(const struct tw_bpf_program *program, uint32_t i, struct tw_line *line)
{
	const struct bpf_insn *insn = &program->insns[i];

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU64:
		put_alu(line, insn, 'r');
		break;
	case BPF_ALU:
		put_alu(line, insn, 'w');
		break;
	case BPF_JMP:
		put_jump(line, insn, i, 'r');
		break;
	case BPF_JMP32:
		put_jump(line, insn, i, 'w');
		break;
	case BPF_LDX:
		put_reg(line, 'r', insn->dst_reg);
		tw_line__str(line, " = ");
		put_memory(line, insn, insn->src_reg);
		break;
	case BPF_LD:
		if (insn->code) /* 0 in the second half of an LD_IMM64 */
			put_wide(line, program, i);
		break;
	default:
		put_store(line, insn);
	}
}
