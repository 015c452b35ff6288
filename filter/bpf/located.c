/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields whose place only the record tells. */
#include <string.h>

#include "filter/bpf/regs.h"
#include "filter/bpf/way.h"

#define OFFSET BPF_REG_1 /* of its bytes in the record */
#define TEXT   BPF_REG_4 /* pointer such that the text's bytes lie at TEXT_AT behind it */
#define SIZE   BPF_REG_5 /* of its bytes */

#define TEXT_AT    (TW_TLV0 + TW_EVENT_RECORD)
#define OFFSET_MAX 0x7fff /* in packets: what the verifier adds up has to stay below 64 KiB */

/* Reads where the bytes are; fails if they are not all in the record. */
static void locate(struct tw_asm *a, const struct tw_field *field, const struct tw_place *place, tw_label fails)
{
	if (field->place == TW_PLACE_REST) {
		tw_asm__mov(a, SIZE, TW_REG_LENGTH);
		tw_asm__alu(a, BPF_SUB, SIZE, (int32_t)(TW_EVENT_RECORD + field->offset));
		tw_asm__imm(a, OFFSET, field->offset);
		return;
	}
	tw_asm__load(a, 4, OFFSET, TW_REG_FRAME, (int)place->offset);
	tw_asm__to_host(a, OFFSET, 4, place->big_endian);
	tw_asm__mov(a, SIZE, OFFSET);
	tw_asm__alu(a, BPF_RSH, SIZE, 16);
	tw_asm__alu(a, BPF_AND, OFFSET, 0xffff);
	if (field->place == TW_PLACE_REL_LOC)
		tw_asm__alu(a, BPF_ADD, OFFSET, (int32_t)(field->offset + sizeof(uint32_t)));
	tw_asm__mov(a, BPF_REG_2, OFFSET);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_2, SIZE);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, TW_EVENT_RECORD);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_2, TW_REG_LENGTH, fails);
}

/* Goes on if the packet has so much of the text. */
static void look_at_end(struct tw_asm *a, size_t len, tw_label too_short)
{
	tw_asm__mov(a, BPF_REG_1, TEXT);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, TEXT_AT + (int32_t)len);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, too_short);
}

/* In the packet the text is looked at where it is. */
static void look_in_packet(struct tw_asm *a, size_t len, tw_label too_short)
{
	tw_asm__jump_if(a, BPF_JGT, OFFSET, OFFSET_MAX, too_short);
	tw_asm__mov(a, TEXT, TW_REG_FRAME);
	tw_asm__alu_reg(a, BPF_ADD, TEXT, OFFSET);
	look_at_end(a, len, too_short);
}

/* To the window it is copied, with a NUL behind it if it has no more bytes. It is not empty. */
static void copy_to_window(struct tw_asm *a, size_t len, int load_helper, tw_label fails)
{
	const tw_label copied = tw_asm__label(a);

	tw_asm__store_imm(a, 1, TW_REG_FRAME, TW_TEXT + (int)len, 0);
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_2, OFFSET);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, TW_EVENT_RECORD);
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct tw_pointers, context));
	tw_asm__mov(a, BPF_REG_3, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_3, TW_TEXT);
	if (len) {
		tw_asm__imm(a, BPF_REG_4, len);
		tw_asm__jump_if(a, BPF_JEQ, SIZE, (int32_t)len, copied);
	}
	tw_asm__imm(a, BPF_REG_4, len + 1);
	tw_asm__place(a, copied);
	tw_asm__call(a, load_helper);
	tw_asm__load_be(a, 2, TW_REG_LENGTH, TW_REG_FRAME, TW_TLV0 + (int)offsetof(struct tw_tlv, length));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, fails);
	tw_asm__mov(a, TEXT, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, TEXT, TW_TEXT - TEXT_AT);
}

static void emit_text(struct tw_asm *a, const struct tw_test *test, const struct tw_sight *sight, tw_label equal,
		      tw_label different, tw_label fails)
{
	const bool in_packet = sight->too_short != TW_NO_LABEL;
	bool whole;
	const size_t len = tw_test__plain(test, &whole);

	if (len && memchr(test->bytes, '\0', len)) {
		tw_asm__jump(a, different);
		return;
	}
	tw_asm__jump_if(a, BPF_JLT, SIZE, (int32_t)len, different);
	if (!len)
		tw_asm__jump_if(a, BPF_JEQ, SIZE, 0, equal);
	if (in_packet)
		look_in_packet(a, len, sight->too_short);
	else
		copy_to_window(a, len, sight->load_helper, fails);
	tw_bytes__require(a, TEXT, TEXT_AT, test->bytes, len, different);
	if (whole) {
		if (in_packet) {
			tw_asm__jump_if(a, BPF_JEQ, SIZE, (int32_t)len, equal);
			look_at_end(a, len + 1, sight->too_short);
		}
		tw_asm__load(a, 1, BPF_REG_1, TEXT, TEXT_AT + (int)len);
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, 0, different);
	}
	tw_asm__jump(a, equal);
}

void tw_located__emit(struct tw_asm *a, const struct tw_test *test, const struct tw_place *place,
		      const struct tw_sight *sight, tw_label holds, tw_label fails)
{
	locate(a, test->field, place, fails);
	if (test->op == TW_TEST_EXISTS)
		tw_asm__jump(a, holds);
	else if (test->op == TW_TEST_NE)
		emit_text(a, test, sight, fails, holds, fails);
	else
		emit_text(a, test, sight, holds, fails, fails);
}
