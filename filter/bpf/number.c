/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bytes.h"
#include "filter/bpf/regs.h"
#include "filter/bpf/way.h"

static bool fits_imm(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)(uint32_t)value == value;
}

/* Jumps if r1 compares so with a constant. */
static void jump_if(struct tw_asm *a, uint8_t op, uint64_t value, tw_label to)
{
	if (fits_imm(value)) {
		tw_asm__jump_if(a, op, BPF_REG_1, (int32_t)(uint32_t)value, to);
		return;
	}
	tw_asm__imm(a, BPF_REG_2, value);
	tw_asm__jump_if_reg(a, op, BPF_REG_1, BPF_REG_2, to);
}

void tw_test__compare(struct tw_asm *a, const struct tw_test *test, bool is_signed, tw_label holds, tw_label fails)
{
	switch (test->op) {
	case TW_TEST_EQ:
		jump_if(a, BPF_JEQ, test->low, holds);
		break;
	case TW_TEST_NE:
		jump_if(a, BPF_JNE, test->low, holds);
		break;
	case TW_TEST_LT:
		jump_if(a, is_signed ? BPF_JSLT : BPF_JLT, test->low, holds);
		break;
	case TW_TEST_LE:
		jump_if(a, is_signed ? BPF_JSLE : BPF_JLE, test->low, holds);
		break;
	case TW_TEST_GT:
		jump_if(a, is_signed ? BPF_JSGT : BPF_JGT, test->low, holds);
		break;
	case TW_TEST_GE:
		jump_if(a, is_signed ? BPF_JSGE : BPF_JGE, test->low, holds);
		break;
	case TW_TEST_WITHIN:
		jump_if(a, is_signed ? BPF_JSLT : BPF_JLT, test->low, fails);
		jump_if(a, is_signed ? BPF_JSLE : BPF_JLE, test->high, holds);
		break;
	default: /* EXISTS */
		tw_asm__jump(a, holds);
	}
	tw_asm__jump(a, fails);
}

static uint64_t low_bytes(uint64_t value, uint32_t size)
{
	return value & UINT64_MAX >> (64 - 8 * size);
}

/* The value as a number of that size has it when it is loaded. */
static uint64_t extended(uint64_t value, const struct tw_place *place)
{
	const unsigned int unused = 64 - 8 * place->size;

	if (place->is_signed)
		return (uint64_t)((int64_t)(value << unused) >> unused);
	return value << unused >> unused;
}

/* The value as it lies in the frame, as a load would see it. */
static uint64_t as_it_lies(uint64_t value, const struct tw_place *place)
{
	value = low_bytes(value, place->size);
	return place->big_endian == TW_HOST_BE ? value : __builtin_bswap64(value) >> (64 - 8 * place->size);
}

/* Equality needs no conversion of what is loaded: the constant is converted instead. */
static void emit_equality(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
			  tw_label fails)
{
	const uint64_t value = as_it_lies(test->low, place);
	const bool is_equal = test->op == TW_TEST_EQ;

	if (extended(test->low, place) != test->low) {
		tw_asm__jump(a, is_equal ? fails : holds);
		return;
	}
	tw_asm__load(a, place->size, BPF_REG_1, TW_REG_FRAME, (int)place->offset);
	if (place->size < 8)
		tw_asm__jump32_if(a, is_equal ? BPF_JEQ : BPF_JNE, BPF_REG_1, (int32_t)(uint32_t)value, holds);
	else
		jump_if(a, is_equal ? BPF_JEQ : BPF_JNE, value, holds);
	tw_asm__jump(a, fails);
}

static void load_converted(struct tw_asm *a, const struct tw_place *place, bool sign)
{
	const int unused = 64 - 8 * (int)place->size;

	tw_asm__load(a, place->size, BPF_REG_1, TW_REG_FRAME, (int)place->offset);
	tw_asm__to_host(a, BPF_REG_1, place->size, place->big_endian);
	if (sign && unused) {
		tw_asm__alu(a, BPF_LSH, BPF_REG_1, unused);
		tw_asm__alu(a, BPF_ARSH, BPF_REG_1, unused);
	}
}

static void apply_mask(struct tw_asm *a, uint64_t mask)
{
	if (fits_imm(mask)) {
		tw_asm__alu(a, BPF_AND, BPF_REG_1, (int32_t)(uint32_t)mask);
	} else if (mask >> 32 == 0) {
		tw_asm__alu32(a, BPF_AND, BPF_REG_1, (int32_t)(uint32_t)mask);
	} else {
		tw_asm__imm(a, BPF_REG_2, mask);
		tw_asm__alu_reg(a, BPF_AND, BPF_REG_1, BPF_REG_2);
	}
}

void tw_number__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
		     tw_label fails)
{
	if (test->op == TW_TEST_EXISTS) {
		tw_asm__jump(a, holds);
	} else if ((test->op == TW_TEST_EQ || test->op == TW_TEST_NE) && !test->has_mask) {
		emit_equality(a, test, place, holds, fails);
	} else {
		load_converted(a, place, place->is_signed && !test->has_mask);
		if (test->has_mask)
			apply_mask(a, low_bytes(test->mask, place->size));
		tw_test__compare(a, test, test->is_signed && !test->has_mask, holds, fails);
	}
}

/* One element that is as it should be is enough; of NE all have to be, and there is one at least. */
void tw_array__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
		    tw_label fails)
{
	struct tw_place element = *place;
	tw_label next;

	for (uint32_t i = 0; i < place->count; i++) {
		next = tw_asm__label(a);
		if (test->op == TW_TEST_NE)
			tw_number__emit(a, test, &element, next, fails);
		else
			tw_number__emit(a, test, &element, holds, next);
		tw_asm__place(a, next);
		element.offset += place->size;
	}
	tw_asm__jump(a, test->op == TW_TEST_NE ? holds : fails);
}

void tw_time__emit(struct tw_asm *a, const struct tw_test *test, tw_label holds, tw_label fails)
{
	tw_asm__load_be(a, 4, BPF_REG_1, TW_REG_FRAME, TW_EVENT(time));
	tw_asm__alu(a, BPF_LSH, BPF_REG_1, 32);
	tw_asm__alu(a, BPF_ARSH, BPF_REG_1, 32);
	tw_asm__load_be(a, 8, BPF_REG_2, TW_REG_FRAME, TW_HDR(base_time));
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, BPF_REG_2);
	tw_test__compare(a, test, false, holds, fails);
}

static uint64_t big_endian_number(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | bytes[i];
	return value;
}

void tw_order__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label holds,
		    tw_label fails)
{
	struct tw_test number = { .op = test->op };

	number.low = big_endian_number(test->bytes, test->len);
	number.high = big_endian_number(test->high_bytes, test->high_len);
	tw_asm__load_be(a, place->size, BPF_REG_1, TW_REG_FRAME, (int)place->offset);
	tw_test__compare(a, &number, false, holds, fails);
}
