/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For filter/bpf and producer/kernel_pairs. An assembler for eBPF. It appends instructions, and resolves labels; all jumps are forward.
 *
 * An error (out of memory, program too long) is stored in the assembler and returned by tw_asm__finish(), so that callers need not check
 * each step. Unreachable instructions are left out, because the verifier refuses them. Jumps to the next instruction are left out, too.
 */
#ifndef TW_BPF_ASM_H
#define TW_BPF_ASM_H

#include <stdbool.h>
#include <stdint.h>

#include "filter/bpf/program.h"

typedef uint32_t tw_label;

#define TW_NO_LABEL UINT32_MAX

struct tw_asm_label {
	uint32_t at;    /* index of the instruction that the label refers to; UINT32_MAX = not placed yet */
	uint32_t known; /* smallest value of tw_asm.known at the jumps to the label */
	bool used;
};

struct tw_asm_jump {
	uint32_t insn; /* index of the jump, or of the LD_IMM64 that loads the address of a function */
	tw_label to;
};

struct tw_asm {
	struct bpf_insn *insns;
	struct tw_asm_label *labels;
	struct tw_asm_jump *jumps;
	struct tw_bpf_map_use *map_uses;
	uint32_t n, n_labels, n_jumps, n_map_uses;
	uint32_t insns_room, labels_room, jumps_room, map_uses_room;
	uint32_t last_place; /* index of the instruction before which a label was last placed; UINT32_MAX = none yet */
	/*
	 * Number of bytes of the event's TLV that the code before has checked to exist; set by the caller. At a label, it becomes the
	 * smallest value on all paths to the label.
	 */
	uint32_t known;
	bool unreachable; /* the next instruction can be reached only by a jump to a label */
	int err;          /* 0, -ENOMEM, -E2BIG */
};

/** tw_asm__init() - make an empty assembler; free it with tw_asm__fini() */
void tw_asm__init(struct tw_asm *a);
void tw_asm__fini(struct tw_asm *a);

/** tw_asm__finish() - resolve the jumps, and move the instructions to @ret. Return: 0, -ENOMEM, -E2BIG */
int tw_asm__finish(struct tw_asm *a, struct tw_bpf_program *ret);

/** tw_asm__label() - make a label. Jumps to it must be added before it is placed */
tw_label tw_asm__label(struct tw_asm *a);

/** tw_asm__labels() - make @n labels with consecutive numbers. Return: the first label */
tw_label tw_asm__labels(struct tw_asm *a, uint32_t n);

/** tw_asm__place() - make a label refer to the next instruction; this may shorten the code before it */
void tw_asm__place(struct tw_asm *a, tw_label label);

/** tw_asm__function() - like tw_asm__place(), for the first instruction of a second function */
void tw_asm__function(struct tw_asm *a, tw_label label);

void tw_asm__jump(struct tw_asm *a, tw_label to);
/**
 * tw_asm__jump_if() - jump if `@reg @op @imm` is true; @op: for example BPF_JEQ; @imm is sign-extended
 * tw_asm__jump32_if() compares only the low 32 bits.
 */
void tw_asm__jump_if(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm, tw_label to);
void tw_asm__jump32_if(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm, tw_label to);
void tw_asm__jump_if_reg(struct tw_asm *a, uint8_t op, uint8_t reg, uint8_t other, tw_label to);

/**
 * tw_asm__alu() - @reg = @reg @op @imm; @op: for example BPF_ADD; @imm is sign-extended
 * tw_asm__alu32() computes with 32 bits, and clears the upper 32 bits.
 */
void tw_asm__alu(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm);
void tw_asm__alu32(struct tw_asm *a, uint8_t op, uint8_t reg, int32_t imm);
void tw_asm__alu_reg(struct tw_asm *a, uint8_t op, uint8_t reg, uint8_t other);
static inline void tw_asm__mov(struct tw_asm *a, uint8_t reg, uint8_t other)
{
	tw_asm__alu_reg(a, BPF_MOV, reg, other);
}

/** tw_asm__imm() - load a constant of 64 bits. If it does not fit one instruction, LD_IMM64 is used, which takes two */
void tw_asm__imm(struct tw_asm *a, uint8_t reg, uint64_t value);

/** tw_asm__to_host() - convert a loaded number of @size bytes to host byte order; @big_endian: its byte order in memory */
void tw_asm__to_host(struct tw_asm *a, uint8_t reg, unsigned int size, bool big_endian);

/** tw_asm__load() - load @size (1, 2, 4, 8) bytes at @base + @offset, zero-extended. In a packet, the address need not be aligned */
void tw_asm__load(struct tw_asm *a, unsigned int size, uint8_t reg, uint8_t base, int offset);
void tw_asm__load_be(struct tw_asm *a, unsigned int size, uint8_t reg, uint8_t base, int offset);
void tw_asm__store(struct tw_asm *a, unsigned int size, uint8_t base, int offset, uint8_t reg);
void tw_asm__store_imm(struct tw_asm *a, unsigned int size, uint8_t base, int offset, int32_t imm);
/** tw_asm__atomic_add() - add @reg to the 8 bytes at @base + @offset */
void tw_asm__atomic_add(struct tw_asm *a, uint8_t base, int offset, uint8_t reg);

/**
 * tw_asm__map() - load the address of a map; the loader must insert the map's file descriptor (struct tw_bpf_map_use)
 * tw_asm__map_value() loads the address of the value of an array of one entry; the verifier permits this since Linux 5.2.
 */
void tw_asm__map(struct tw_asm *a, uint8_t reg, uint16_t map);
void tw_asm__map_value(struct tw_asm *a, uint8_t reg, uint16_t map);
/** tw_asm__function_address() - load the address of a function whose first instruction has the label @function */
void tw_asm__function_address(struct tw_asm *a, uint8_t reg, tw_label function);
void tw_asm__call(struct tw_asm *a, int helper);
void tw_asm__exit(struct tw_asm *a);

#endif
