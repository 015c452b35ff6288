/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/bpf. An assembler for eBPF: a sequence of instructions, labels, only forward jumps.
 *
 * Errors are kept (no memory, too long) and returned at the end, so callers need not check each step. Unreachable code is left out,
 * because the verifier refuses it. A jump to the next instruction is left out, too.
 */
#ifndef TW_BPF_ASM_H
#define TW_BPF_ASM_H

#include <stdbool.h>
#include <stdint.h>

#include "filter/bpf/program.h"

typedef uint32_t tw_label;

#define TW_NO_LABEL UINT32_MAX

struct tw_asm_label {
	uint32_t at;    /* UINT32_MAX = not placed yet */
	uint32_t known; /* smallest of all jumps to it */
	bool used;
};

struct tw_asm_jump {
	uint32_t insn;
	tw_label to;
};

struct tw_asm {
	struct bpf_insn *insns;
	struct tw_asm_label *labels;
	struct tw_asm_jump *jumps;
	struct tw_bpf_map_use *map_uses;
	uint32_t n, n_labels, n_jumps, n_map_uses;
	uint32_t insns_room, labels_room, jumps_room, map_uses_room;
	uint32_t last_place; /* where a label was last placed; no label lies after it */
	/*
	 * A fact that all paths to the current instruction have established; the caller defines its meaning. Here: this number of bytes
	 * of the event is readable.
	 */
	uint32_t known;
	bool unreachable; /* the next instruction is reachable only through a label */
	int err;          /* 0, -ENOMEM, -E2BIG */
};

void tw_asm__init(struct tw_asm *a);
void tw_asm__fini(struct tw_asm *a);

/** tw_asm__finish() - fill in the jumps and return the instructions. Return: 0, -ENOMEM, -E2BIG */
int tw_asm__finish(struct tw_asm *a, struct tw_bpf_program *ret);

/** tw_asm__label() - make a label to jump to; place it after all jumps to it */
tw_label tw_asm__label(struct tw_asm *a);
void tw_asm__place(struct tw_asm *a, tw_label label);

/** tw_asm__function() - like tw_asm__place(), for the beginning of a second function */
void tw_asm__function(struct tw_asm *a, tw_label label);

void tw_asm__jump(struct tw_asm *a, tw_label to);
/** tw_asm__jump_if() - @op: BPF_JEQ ...; @imm is sign-extended. tw_asm__jump32_if() compares the low halves */
void tw_asm__jump_if(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm, tw_label to);
void tw_asm__jump32_if(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm, tw_label to);
void tw_asm__jump_if_reg(struct tw_asm *a, uint8_t op, uint8_t reg, uint8_t other, tw_label to);

/** tw_asm__alu() - @op: BPF_ADD ...; @imm is sign-extended. tw_asm__alu32() clears the upper half */
void tw_asm__alu(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm);
void tw_asm__alu32(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm);
void tw_asm__alu_reg(struct tw_asm *a, uint8_t op, uint8_t reg, uint8_t other);
static inline void tw_asm__mov(struct tw_asm *a, uint8_t reg, uint8_t other)
{
	tw_asm__alu_reg(a, BPF_MOV, reg, other);
}

/** tw_asm__imm() - a constant of 64 bits, in one instruction or in two */
void tw_asm__imm(struct tw_asm *a, uint8_t reg, uint64_t value);

/** tw_asm__to_host() - convert a loaded number of @size bytes to host byte order, from big-endian or not; 1 does nothing */
void tw_asm__to_host(struct tw_asm *a, uint8_t reg, unsigned int size, bool big_endian);

/** tw_asm__load() - @size: 1, 2, 4 or 8 bytes at @base + @offset, upper bits zero; any alignment in packets */
void tw_asm__load(struct tw_asm *a, unsigned int size, uint8_t reg, uint8_t base, int offset);
void tw_asm__load_be(struct tw_asm *a, unsigned int size, uint8_t reg, uint8_t base, int offset);
void tw_asm__store(struct tw_asm *a, unsigned int size, uint8_t base, int offset, uint8_t reg);
void tw_asm__store_imm(struct tw_asm *a, unsigned int size, uint8_t base, int offset, int32_t imm);
/** tw_asm__atomic_add() - add @reg to the 8 bytes at @base + @offset */
void tw_asm__atomic_add(struct tw_asm *a, uint8_t base, int offset, uint8_t reg);

void tw_asm__map(struct tw_asm *a, uint8_t reg, enum tw_bpf_map map);
void tw_asm__function_address(struct tw_asm *a, uint8_t reg, tw_label function);
void tw_asm__call(struct tw_asm *a, int helper);
void tw_asm__exit(struct tw_asm *a);

#endif
