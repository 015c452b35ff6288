/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

void tw_asm__init(struct tw_asm *a)
{
	*a = (struct tw_asm){ .last_place = UINT32_MAX };
}

void tw_asm__fini(struct tw_asm *a)
{
	free(a->insns);
	free(a->labels);
	free(a->jumps);
	free(a->map_uses);
	*a = (struct tw_asm){ 0 };
}

/* Make room for one more element of an array. @array: address of the pointer to it. Return: false if out of memory, with a->err set */
static bool one_more(struct tw_asm *a, void *array, uint32_t n, uint32_t *room, size_t size)
{
	const uint32_t larger = *room ? *room * 2 : 256;
	void *old, *moved;

	if (n < *room)
		return true;
	memcpy(&old, array, sizeof(old));
	moved = reallocarray(old, larger, size);
	if (!moved) {
		a->err = -ENOMEM;
		return false;
	}
	memcpy(array, &moved, sizeof(moved));
	*room = larger;
	return true;
}

/* Append an instruction, unless it is unreachable. Return: whether it was appended. */
static bool add(struct tw_asm *a, struct bpf_insn insn)
{
	if (a->unreachable || a->err)
		return false;
	if (a->n == TW_BPF_INSNS_MAX) {
		a->err = -E2BIG;
		return false;
	}
	if (!one_more(a, &a->insns, a->n, &a->insns_room, sizeof(*a->insns)))
		return false;
	a->insns[a->n++] = insn;
	return true;
}

static struct bpf_insn insn_of(unsigned int code, unsigned int dst, unsigned int src, int off, int32_t imm)
{
	return (struct bpf_insn){
		.code = (uint8_t)code,
		.dst_reg = dst & 0xf,
		.src_reg = src & 0xf,
		.off = (int16_t)off,
		.imm = imm,
	};
}

tw_label tw_asm__label(struct tw_asm *a)
{
	if (a->err || !one_more(a, &a->labels, a->n_labels, &a->labels_room, sizeof(*a->labels)))
		return 0;
	a->labels[a->n_labels] = (struct tw_asm_label){ .at = UINT32_MAX, .known = UINT32_MAX };
	return a->n_labels++;
}

tw_label tw_asm__labels(struct tw_asm *a, uint32_t n)
{
	const tw_label first = a->n_labels;

	for (uint32_t i = 0; i < n; i++)
		tw_asm__label(a);
	return first;
}

/* Append an instruction that jumps to a label. */
static void add_jump(struct tw_asm *a, struct bpf_insn insn, tw_label to)
{
	struct tw_asm_label *label;

	if (!add(a, insn) || !one_more(a, &a->jumps, a->n_jumps, &a->jumps_room, sizeof(*a->jumps)))
		return;
	a->jumps[a->n_jumps++] = (struct tw_asm_jump){ a->n - 1, to };
	label = &a->labels[to];
	label->used = true;
	if (a->known < label->known)
		label->known = a->known;
}

void tw_asm__jump(struct tw_asm *a, tw_label to)
{
	add_jump(a, insn_of(BPF_JMP | BPF_JA, 0, 0, 0, 0), to);
	a->unreachable = true;
}

void tw_asm__jump_if(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm, tw_label to)
{
	add_jump(a, insn_of(BPF_JMP | op | BPF_K, reg, 0, 0, imm), to);
}

void tw_asm__jump32_if(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm, tw_label to)
{
	add_jump(a, insn_of(BPF_JMP32 | op | BPF_K, reg, 0, 0, imm), to);
}

void tw_asm__jump_if_reg(struct tw_asm *a, uint8_t op, uint8_t reg, uint8_t other, tw_label to)
{
	add_jump(a, insn_of(BPF_JMP | op | BPF_X, reg, other, 0, 0), to);
}

/* Return: the inverse condition of @op, such as BPF_JNE for BPF_JEQ; 0 if @op has none. */
static uint8_t inverse(uint8_t op)
{
	static const uint8_t pairs[][2] = {
		{ BPF_JEQ, BPF_JNE },   { BPF_JGT, BPF_JLE },   { BPF_JGE, BPF_JLT },
		{ BPF_JSGT, BPF_JSLE }, { BPF_JSGE, BPF_JSLT },
	};

	for (unsigned int i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (op == pairs[i][0])
			return pairs[i][1];
		if (op == pairs[i][1])
			return pairs[i][0];
	}
	return 0;
}

/* Whether the instruction at the index a->n - @back jumps to @to (TW_NO_LABEL: to any label). */
static bool is_jump_to(const struct tw_asm *a, uint32_t back, tw_label to)
{
	const struct tw_asm_jump *jump = &a->jumps[a->n_jumps - back];

	return a->n_jumps >= back && a->n >= back && jump->insn == a->n - back && (to == TW_NO_LABEL || jump->to == to);
}

/*
 * Shorten the code before a label that is about to be placed. An unconditional jump to the label, as the last instruction, is removed. If a
 * conditional jump to the label skips an unconditional jump to X, one jump to X with the inverse condition replaces both.
 */
static void shorten(struct tw_asm *a, tw_label label)
{
	struct bpf_insn *insn;
	uint8_t op;

	if (!a->n || a->last_place == a->n || !is_jump_to(a, 1, TW_NO_LABEL) ||
	    a->insns[a->n - 1].code != (BPF_JMP | BPF_JA))
		return;
	if (!is_jump_to(a, 1, label)) {
		if (a->last_place == a->n - 1 || !is_jump_to(a, 2, label))
			return;
		insn = &a->insns[a->n - 2];
		op = inverse(BPF_OP(insn->code));
		if (!op)
			return;
		insn->code = (uint8_t)((insn->code & ~0xf0) | op);
		a->jumps[a->n_jumps - 2].to = a->jumps[a->n_jumps - 1].to;
	}
	a->n--;
	a->n_jumps--;
	a->unreachable = false;
}

void tw_asm__place(struct tw_asm *a, tw_label label)
{
	struct tw_asm_label *l = &a->labels[label];

	if (a->err)
		return;
	if (l->used) {
		const bool jumped = a->unreachable;

		shorten(a, label);
		a->known = jumped || l->known < a->known ? l->known : a->known;
		a->unreachable = false;
	}
	l->at = a->n;
	if (!a->unreachable)
		a->last_place = a->n;
}

void tw_asm__function(struct tw_asm *a, tw_label label)
{
	if (a->err)
		return;
	a->unreachable = false;
	a->known = 0;
	a->labels[label].at = a->last_place = a->n;
}

void tw_asm__alu(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm)
{
	add(a, insn_of(BPF_ALU64 | op | BPF_K, reg, 0, 0, imm));
}

void tw_asm__alu32(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm)
{
	add(a, insn_of(BPF_ALU | op | BPF_K, reg, 0, 0, imm));
}

void tw_asm__alu_reg(struct tw_asm *a, uint8_t op, uint8_t reg, uint8_t other)
{
	add(a, insn_of(BPF_ALU64 | op | BPF_X, reg, other, 0, 0));
}

static void add_wide(struct tw_asm *a, uint8_t reg, uint8_t src, uint64_t value)
{
	if (add(a, insn_of(BPF_LD | BPF_DW | BPF_IMM, reg, src, 0, (int32_t)(uint32_t)value)))
		add(a, insn_of(0, 0, 0, 0, (int32_t)(uint32_t)(value >> 32)));
}

void tw_asm__imm(struct tw_asm *a, uint8_t reg, uint64_t value)
{
	if ((uint64_t)(int64_t)(int32_t)(uint32_t)value == value)
		tw_asm__alu(a, BPF_MOV, reg, (int32_t)(uint32_t)value);
	else if (value >> 32 == 0)
		tw_asm__alu32(a, BPF_MOV, reg, (int32_t)(uint32_t)value);
	else
		add_wide(a, reg, 0, value);
}

void tw_asm__to_host(struct tw_asm *a, uint8_t reg, unsigned int size, bool big_endian)
{
	if (size > 1 && big_endian != TW_HOST_BE)
		add(a, insn_of(BPF_ALU | BPF_END | (big_endian ? BPF_TO_BE : BPF_TO_LE), reg, 0, 0, (int32_t)size * 8));
}

static uint8_t size_code(unsigned int size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

void tw_asm__load(struct tw_asm *a, unsigned int size, uint8_t reg, uint8_t base, int offset)
{
	add(a, insn_of(BPF_LDX | BPF_MEM | size_code(size), reg, base, offset, 0));
}

void tw_asm__load_be(struct tw_asm *a, unsigned int size, uint8_t reg, uint8_t base, int offset)
{
	tw_asm__load(a, size, reg, base, offset);
	tw_asm__to_host(a, reg, size, true);
}

void tw_asm__store(struct tw_asm *a, unsigned int size, uint8_t base, int offset, uint8_t reg)
{
	add(a, insn_of(BPF_STX | BPF_MEM | size_code(size), base, reg, offset, 0));
}

void tw_asm__store_imm(struct tw_asm *a, unsigned int size, uint8_t base, int offset, int32_t imm)
{
	add(a, insn_of(BPF_ST | BPF_MEM | size_code(size), base, 0, offset, imm));
}

void tw_asm__atomic_add(struct tw_asm *a, uint8_t base, int offset, uint8_t reg)
{
	add(a, insn_of(BPF_STX | BPF_ATOMIC | BPF_DW, base, reg, offset, BPF_ADD));
}

static void add_map(struct tw_asm *a, uint8_t reg, uint8_t src, uint16_t map)
{
	if (a->unreachable || a->err ||
	    !one_more(a, &a->map_uses, a->n_map_uses, &a->map_uses_room, sizeof(*a->map_uses)))
		return;
	a->map_uses[a->n_map_uses++] = (struct tw_bpf_map_use){ .insn = a->n, .map = map };
	add_wide(a, reg, src, 0);
}

void tw_asm__map(struct tw_asm *a, uint8_t reg, uint16_t map)
{
	add_map(a, reg, BPF_PSEUDO_MAP_FD, map);
}

void tw_asm__map_value(struct tw_asm *a, uint8_t reg, uint16_t map)
{
	add_map(a, reg, BPF_PSEUDO_MAP_VALUE, map);
}

void tw_asm__function_address(struct tw_asm *a, uint8_t reg, tw_label function)
{
	add_jump(a, insn_of(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_FUNC, 0, 0), function);
	add(a, insn_of(0, 0, 0, 0, 0));
}

void tw_asm__call(struct tw_asm *a, int helper)
{
	add(a, insn_of(BPF_JMP | BPF_CALL, 0, 0, 0, helper));
}

void tw_asm__exit(struct tw_asm *a)
{
	add(a, insn_of(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	a->unreachable = true;
}

static void resolve(struct tw_asm *a, const struct tw_asm_jump *jump, struct tw_bpf_program *ret)
{
	struct bpf_insn *insn = &a->insns[jump->insn];
	const uint32_t distance = a->labels[jump->to].at - jump->insn - 1;

	if (insn->code == (BPF_LD | BPF_DW | BPF_IMM)) {
		insn->imm = (int32_t)distance;
		ret->record_function = a->labels[jump->to].at;
	} else {
		insn->off = (int16_t)distance; /* fits, because of TW_BPF_INSNS_MAX */
	}
}

int tw_asm__finish(struct tw_asm *a, struct tw_bpf_program *ret)
{
	*ret = (struct tw_bpf_program){ 0 };
	if (a->err)
		return a->err;
	for (uint32_t i = 0; i < a->n_jumps; i++)
		resolve(a, &a->jumps[i], ret);
	ret->insns = a->insns;
	ret->n = a->n;
	ret->map_uses = a->map_uses;
	ret->n_map_uses = a->n_map_uses;
	a->insns = NULL;
	a->map_uses = NULL;
	return 0;
}
