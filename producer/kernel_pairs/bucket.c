/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/kernel_pairs/program.h"

/* Replaces the value in r1 by the number of units, as `whole` in tw_histogram__bucket(). */
static void divide(struct tw_asm *a, uint64_t width)
{
	const tw_label is_zero = tw_asm__label(a);

	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, is_zero);
	tw_asm__alu(a, BPF_SUB, BPF_REG_1, 1);
	tw_asm__place(a, is_zero);
	if (width > INT32_MAX) {
		tw_asm__imm(a, BPF_REG_2, width);
		tw_asm__alu_reg(a, BPF_DIV, BPF_REG_1, BPF_REG_2);
	} else if (width > 1) {
		tw_asm__alu(a, BPF_DIV, BPF_REG_1, (int32_t)width);
	}
}

/*
 * Unless r1 is less than 1 << (n + TW_HISTOGRAM_STEP_BITS), shifts it right by @n bits, and adds the buckets of @n powers of two to r2.
 * Before, r1 must be less than 1 << (2 * n + TW_HISTOGRAM_STEP_BITS); afterwards, it is less than 1 << (n + TW_HISTOGRAM_STEP_BITS).
 */
static void shift(struct tw_asm *a, int n)
{
	const tw_label is_less = tw_asm__label(a);

	if (n + TW_HISTOGRAM_STEP_BITS > 30) { /* too large for an immediate number */
		tw_asm__mov(a, BPF_REG_3, BPF_REG_1);
		tw_asm__alu(a, BPF_RSH, BPF_REG_3, n + TW_HISTOGRAM_STEP_BITS);
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_3, 0, is_less);
	} else {
		tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, 1 << (n + TW_HISTOGRAM_STEP_BITS), is_less);
	}
	tw_asm__alu(a, BPF_RSH, BPF_REG_1, n);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, n << TW_HISTOGRAM_STEP_BITS);
	tw_asm__place(a, is_less);
}

/* BPF has no instruction for a logarithm: the number of bits is found by bisection. Most times are small, and skip the first two steps. */
static void find_power(struct tw_asm *a)
{
	const tw_label is_small = tw_asm__label(a);

	tw_asm__imm(a, BPF_REG_2, 0);
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, 1 << (16 + TW_HISTOGRAM_STEP_BITS), is_small);
	shift(a, 32);
	shift(a, 16);
	tw_asm__place(a, is_small);
	for (int n = 8; n; n /= 2)
		shift(a, n);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, BPF_REG_2);
}

void tw_kernel_bucket__emit(struct tw_asm *a, const struct tw_histogram_scale *scale)
{
	tw_label is_inside;

	divide(a, scale->linear ? scale->linear : scale->unit);
	if (!scale->linear) {
		find_power(a);
		return;
	}
	is_inside = tw_asm__label(a);
	tw_asm__jump_if(a, BPF_JLE, BPF_REG_1, TW_HISTOGRAM_BUCKETS, is_inside);
	tw_asm__imm(a, BPF_REG_1, TW_HISTOGRAM_BUCKETS);
	tw_asm__place(a, is_inside);
}
