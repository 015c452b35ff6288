/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/bytes.h"
#include "filter/bpf/regs.h"
#include "filter/bpf/way.h"

/* Goes on only if the event is so long; nothing to ask if that is known already. */
static void require(struct tw_asm *a, uint32_t extent, const struct tw_sight *sight, tw_label fails)
{
	if (a->known >= extent)
		return;
	tw_asm__jump_if(a, BPF_JLT, TW_REG_LENGTH, (int32_t)extent, fails);
	if (sight->each) {
		tw_asm__mov(a, BPF_REG_1, TW_REG_FRAME);
		tw_asm__alu(a, BPF_ADD, BPF_REG_1, TW_TLV0 + (int32_t)extent);
		tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, fails);
	}
	a->known = extent;
}

/* In steps of 8, 4, 2 and 1. */
void tw_bytes__require(struct tw_asm *a, uint8_t base, int offset, const uint8_t *bytes, size_t len, tw_label fails)
{
	unsigned int size;
	uint64_t value;

	for (size_t at = 0; at < len; at += size) {
		size = len - at >= 8 ? 8 : len - at >= 4 ? 4 : len - at >= 2 ? 2 : 1;
		tw_asm__load(a, size, BPF_REG_1, base, offset + (int)at);
		if (size == 8) {
			memcpy(&value, bytes + at, sizeof(value));
			tw_asm__imm(a, BPF_REG_2, value);
			tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_2, fails);
			continue;
		}
		value = size == 1   ? bytes[at]
			: size == 2 ? tw_load16(bytes + at, TW_HOST_BE)
				    : tw_load32(bytes + at, TW_HOST_BE);
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, (int32_t)(uint32_t)value, fails);
	}
}

static void emit_equal(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label equal,
		       tw_label different)
{
	const size_t whole = test->prefix ? test->prefix / 8 : test->len;
	const unsigned int more = test->prefix % 8;
	const uint8_t mask = (uint8_t)(0xff00 >> more);

	if (place->size != test->len || whole + !!more > test->len) {
		tw_asm__jump(a, different);
		return;
	}
	tw_bytes__require(a, TW_REG_FRAME, (int)place->offset, test->bytes, whole, different);
	if (more) {
		tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, (int)(place->offset + whole));
		tw_asm__alu32(a, BPF_AND, BPF_REG_1, mask);
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, test->bytes[whole] & mask, different);
	}
	tw_asm__jump(a, equal);
}

/* A text fills its field or ends with a NUL, so one that has a NUL itself is nowhere. */
static void emit_text(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place, tw_label equal,
		      tw_label different)
{
	bool whole;
	const size_t len = tw_test__plain(test, &whole);

	if (len > place->size || (len && memchr(test->bytes, '\0', len))) {
		tw_asm__jump(a, different);
		return;
	}
	tw_bytes__require(a, TW_REG_FRAME, (int)place->offset, test->bytes, len, different);
	if (whole && len < place->size) {
		tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, (int)(place->offset + len));
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, 0, different);
	}
	tw_asm__jump(a, equal);
}

void tw_test__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_sight *sight, tw_label holds,
		   tw_label fails)
{
	struct tw_place place;
	const enum tw_way way = tw_test__way(test, &place, NULL);
	const bool is_not = test->op == TW_TEST_NE;

	require(a, tw_test__extent(test), sight, fails);
	switch (way) {
	case TW_WAY_NUMBER:
		tw_number__emit(a, test, &place, holds, fails);
		break;
	case TW_WAY_TIME:
		tw_time__emit(a, test, holds, fails);
		break;
	case TW_WAY_ARRAY:
		tw_array__emit(a, test, &place, holds, fails);
		break;
	case TW_WAY_EQUAL:
		emit_equal(a, test, &place, is_not ? fails : holds, is_not ? holds : fails);
		break;
	case TW_WAY_ORDER:
		tw_order__emit(a, test, &place, holds, fails);
		break;
	case TW_WAY_TEXT:
		emit_text(a, test, &place, is_not ? fails : holds, is_not ? holds : fails);
		break;
	case TW_WAY_LOCATED:
		tw_located__emit(a, test, &place, sight, holds, fails);
		break;
	default: /* THERE */
		tw_asm__jump(a, holds);
	}
}
