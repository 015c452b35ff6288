/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/bpf/test.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "filter/bpf/gen.h"
#include "filter/compare.h"

uint32_t tw_test__extent(const struct tw_test *test)
{
	const struct tw_field *field = test->field;
	uint64_t extent = sizeof(struct tw_event);

	if (test->operand != TW_ON_FIELD)
		return (uint32_t)extent;
	extent = TW_EVENT_RECORD + (uint64_t)field->offset;
	if (field->place == TW_PLACE_FIXED)
		extent += field->size;
	else if (field->place != TW_PLACE_REST)
		extent += sizeof(uint32_t);
	return extent < sizeof(struct tw_event) ? (uint32_t)sizeof(struct tw_event) : (uint32_t)extent;
}

static bool fits_imm(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)(uint32_t)value == value;
}

/* Jump if the comparison of r1 with a constant is true. */
static void jump_if(struct tw_asm *a, uint8_t op, uint64_t value, tw_label to)
{
	if (fits_imm(value)) {
		tw_asm__jump_if(a, op, BPF_REG_1, (int32_t)(uint32_t)value, to);
		return;
	}
	tw_asm__imm(a, BPF_REG_2, value);
	tw_asm__jump_if_reg(a, op, BPF_REG_1, BPF_REG_2, to);
}

static void compare(struct tw_asm *a, const struct tw_test *test, bool is_signed, tw_label holds, tw_label fails)
{
	/* The conditions for unsigned and for signed numbers. */
	static const uint8_t conditions[][2] = {
		[TW_TEST_EQ] = { BPF_JEQ, BPF_JEQ },  [TW_TEST_NE] = { BPF_JNE, BPF_JNE },
		[TW_TEST_LT] = { BPF_JLT, BPF_JSLT }, [TW_TEST_LE] = { BPF_JLE, BPF_JSLE },
		[TW_TEST_GT] = { BPF_JGT, BPF_JSGT }, [TW_TEST_GE] = { BPF_JGE, BPF_JSGE },
	};

	if (test->op == TW_TEST_WITHIN) {
		jump_if(a, conditions[TW_TEST_LT][is_signed], test->low, fails);
		jump_if(a, conditions[TW_TEST_LE][is_signed], test->high, holds);
	} else if (test->op == TW_TEST_EXISTS) {
		tw_asm__jump(a, holds);
	} else {
		jump_if(a, conditions[test->op][is_signed], test->low, holds);
	}
	tw_asm__jump(a, fails);
}

/* Where the program finds an operand. */
struct source {
	uint8_t base; /* register with an address */
	int offset;   /* from this address, bytes */
	/* As in struct tw_test_place. */
	uint32_t size, count;
	bool big_endian, is_signed;
};

/* Return: the number that a load from @place gives if the place contains @value, before the byte order is converted. */
static uint64_t as_it_lies(uint64_t value, const struct source *place)
{
	value &= tw_number__mask(place->size);
	return place->big_endian == TW_HOST_BE ? value : __builtin_bswap64(value) >> (64 - 8 * place->size);
}

/* Compare for equality. The byte order of the constant is converted, instead of that of the loaded number. */
static void emit_equality(struct tw_asm *a, const struct tw_test *test, const struct source *place, tw_label holds,
			  tw_label fails)
{
	const uint64_t value = as_it_lies(test->low, place);
	const bool is_equal = test->op == TW_TEST_EQ;

	if (tw_number__extend(test->low, place->size, place->is_signed) != test->low) {
		tw_asm__jump(a, is_equal ? fails : holds);
		return;
	}
	tw_asm__load(a, place->size, BPF_REG_1, place->base, place->offset);
	if (place->size < 8)
		tw_asm__jump32_if(a, is_equal ? BPF_JEQ : BPF_JNE, BPF_REG_1, (int32_t)(uint32_t)value, holds);
	else
		jump_if(a, is_equal ? BPF_JEQ : BPF_JNE, value, holds);
	tw_asm__jump(a, fails);
}

static void load_converted(struct tw_asm *a, const struct source *place, bool sign)
{
	const int unused = 64 - 8 * (int)place->size;

	tw_asm__load(a, place->size, BPF_REG_1, place->base, place->offset);
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

static void emit_number(struct tw_asm *a, const struct tw_test *test, const struct source *place, tw_label holds,
			tw_label fails)
{
	if ((test->op == TW_TEST_EQ || test->op == TW_TEST_NE) && !test->has_mask) {
		emit_equality(a, test, place, holds, fails);
		return;
	}
	load_converted(a, place, place->is_signed && !test->has_mask);
	if (test->has_mask)
		apply_mask(a, test->mask & tw_number__mask(place->size));
	compare(a, test, test->is_signed && !test->has_mask, holds, fails);
}

/* Compare the elements of an array: for NE all must differ; for other operators one match is sufficient. */
static void emit_array(struct tw_asm *a, const struct tw_test *test, const struct source *place, tw_label holds,
		       tw_label fails)
{
	struct source element = *place;
	tw_label next;

	for (uint32_t i = 0; i < place->count; i++) {
		next = tw_asm__label(a);
		if (test->op == TW_TEST_NE)
			emit_number(a, test, &element, next, fails);
		else
			emit_number(a, test, &element, holds, next);
		tw_asm__place(a, next);
		element.offset += (int)place->size;
	}
	tw_asm__jump(a, test->op == TW_TEST_NE ? holds : fails);
}

static void emit_time(struct tw_asm *a, const struct tw_test *test, tw_label holds, tw_label fails)
{
	tw_asm__load_be(a, 4, BPF_REG_1, TW_REG_FRAME, TW_EVENT(time));
	tw_asm__alu(a, BPF_LSH, BPF_REG_1, 32);
	tw_asm__alu(a, BPF_ARSH, BPF_REG_1, 32);
	tw_asm__load_be(a, 8, BPF_REG_2, TW_REG_FRAME, TW_HDR(base_time));
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, BPF_REG_2);
	compare(a, test, false, holds, fails);
}

static uint64_t big_endian_number(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void emit_order(struct tw_asm *a, const struct tw_test *test, const struct source *place, tw_label holds,
		       tw_label fails)
{
	struct tw_test number = { .op = test->op };

	number.low = big_endian_number(test->bytes, test->len);
	number.high = big_endian_number(test->high_bytes, test->high_len);
	tw_asm__load_be(a, place->size, BPF_REG_1, place->base, place->offset);
	compare(a, &number, false, holds, fails);
}

/* Jump to @fails unless the bytes at @base + @offset equal @bytes. */
static void require_bytes(struct tw_asm *a, uint8_t base, int offset, const uint8_t *bytes, size_t len, tw_label fails)
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

/* Registers for texts of variable length (__data_loc, __rel_loc, or up to the end of the record). */
#define OFFSET BPF_REG_1 /* offset of the text in the record */
#define AT     BPF_REG_4 /* pointer; the text is at AT + TEXT_AT */
#define SIZE   BPF_REG_5 /* size of the text, bytes */

#define TEXT_AT    (TW_TLV0 + TW_EVENT_RECORD)
#define OFFSET_MAX 0x7fff /* limit for texts in the packet, because the verifier limits sums with OFFSET to 64 KiB */

/* Set OFFSET and SIZE of a text. Jump to @fails if the text is not inside the record. */
static void locate(struct tw_asm *a, const struct tw_test *test, tw_label fails)
{
	const struct tw_field *field = test->field;

	if (field->place == TW_PLACE_REST) {
		tw_asm__mov(a, SIZE, TW_REG_LENGTH);
		tw_asm__alu(a, BPF_SUB, SIZE, (int32_t)(TW_EVENT_RECORD + field->offset));
		tw_asm__imm(a, OFFSET, field->offset);
		return;
	}
	tw_asm__load(a, 4, OFFSET, TW_REG_FRAME, TW_TLV0 + TW_EVENT_RECORD + (int)field->offset);
	tw_asm__to_host(a, OFFSET, 4, test->big_endian);
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

/* Set AT for a text that is read in the packet. */
static void look_in_packet(struct tw_asm *a, size_t len, tw_label too_short)
{
	tw_asm__jump_if(a, BPF_JGT, OFFSET, OFFSET_MAX, too_short);
	tw_asm__mov(a, AT, TW_REG_FRAME);
	tw_asm__alu_reg(a, BPF_ADD, AT, OFFSET);
	tw_gen__expect_bytes(a, AT, TEXT_AT + (int)len, too_short);
}

/* Copy @len + 1 bytes of a non-empty text to the window, and set AT. If the text has only @len bytes, a NUL follows them. */
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
	tw_asm__mov(a, AT, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, AT, TW_TEXT - TEXT_AT);
}

static void emit_located_text(struct tw_asm *a, const struct tw_test *test, const struct tw_bpf_access *access,
			      tw_label equal, tw_label different, tw_label fails)
{
	const bool in_packet = access->too_short != TW_NO_LABEL;
	bool whole;
	const size_t len = tw_test__prefix(test, &whole);

	if (len && memchr(test->bytes, '\0', len)) {
		tw_asm__jump(a, different);
		return;
	}
	tw_asm__jump_if(a, BPF_JLT, SIZE, (int32_t)len, different);
	if (!len)
		tw_asm__jump_if(a, BPF_JEQ, SIZE, 0, equal);
	if (in_packet)
		look_in_packet(a, len, access->too_short);
	else
		copy_to_window(a, len, access->load_helper, fails);
	require_bytes(a, AT, TEXT_AT, test->bytes, len, different);
	if (whole) {
		if (in_packet) {
			tw_asm__jump_if(a, BPF_JEQ, SIZE, (int32_t)len, equal);
			tw_gen__expect_bytes(a, AT, TEXT_AT + (int)len + 1, access->too_short);
		}
		tw_asm__load(a, 1, BPF_REG_1, AT, TEXT_AT + (int)len);
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, 0, different);
	}
	tw_asm__jump(a, equal);
}

static void emit_located(struct tw_asm *a, const struct tw_test *test, const struct tw_bpf_access *access,
			 tw_label holds, tw_label fails)
{
	locate(a, test, fails);
	if (test->op == TW_TEST_EXISTS)
		tw_asm__jump(a, holds);
	else if (test->op == TW_TEST_NE)
		emit_located_text(a, test, access, fails, holds, fails);
	else
		emit_located_text(a, test, access, holds, fails, fails);
}

/* Jump to @fails if the event's TLV is shorter than @extent. If an earlier check covers @extent, no code is generated. */
static void require(struct tw_asm *a, uint32_t extent, const struct tw_bpf_access *access, tw_label fails)
{
	if (a->known >= extent)
		return;
	tw_asm__jump_if(a, BPF_JLT, TW_REG_LENGTH, (int32_t)extent, fails);
	if (access->checks_each) {
		tw_gen__expect_bytes(a, TW_REG_FRAME, TW_TLV0 + (int32_t)extent, fails);
	}
	a->known = extent;
}

static void emit_equal(struct tw_asm *a, const struct tw_test *test, const struct source *place, tw_label equal,
		       tw_label different)
{
	const size_t whole = test->prefix ? test->prefix / 8 : test->len;
	const unsigned int more = test->prefix % 8;
	const uint8_t mask = (uint8_t)(0xff00 >> more);

	if (place->size != test->len || whole + !!more > test->len) {
		tw_asm__jump(a, different);
		return;
	}
	require_bytes(a, place->base, place->offset, test->bytes, whole, different);
	if (more) {
		tw_asm__load(a, 1, BPF_REG_1, place->base, place->offset + (int)whole);
		tw_asm__alu32(a, BPF_AND, BPF_REG_1, mask);
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, test->bytes[whole] & mask, different);
	}
	tw_asm__jump(a, equal);
}

/* Compare a text at a fixed offset. It fills its field or ends with a NUL, so it never equals a value that contains a NUL. */
static void emit_text(struct tw_asm *a, const struct tw_test *test, const struct source *place, tw_label equal,
		      tw_label different)
{
	bool whole;
	const size_t len = tw_test__prefix(test, &whole);

	if (len > place->size || (len && memchr(test->bytes, '\0', len))) {
		tw_asm__jump(a, different);
		return;
	}
	require_bytes(a, place->base, place->offset, test->bytes, len, different);
	if (whole && len < place->size) {
		tw_asm__load(a, 1, BPF_REG_1, place->base, place->offset + (int)len);
		tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, 0, different);
	}
	tw_asm__jump(a, equal);
}

static struct source find_source(const struct tw_test *test, const struct tw_bpf_access *access)
{
	const struct tw_bpf_tracepoint *tracepoint = access->tracepoint;
	struct tw_test_place place = { 0 };
	struct source source;

	tw_test__place(test, &place);
	source = (struct source){ TW_REG_FRAME, (int)place.offset, place.size,
				  place.count,  place.big_endian,  place.is_signed };
	if (!tracepoint)
		return source;
	source.big_endian = TW_HOST_BE;
	if (test->operand == TW_ON_FIELD) {
		source.base = tracepoint->context;
		source.offset = (int)test->field->offset;
	} else {
		source.base = BPF_REG_10;
		source.offset = test->operand == TW_ON_PID ? tracepoint->pid : tracepoint->cpu;
	}
	return source;
}

static void emit_test(struct tw_asm *a, const struct tw_test *test, const struct tw_bpf_access *access, tw_label holds,
		      tw_label fails)
{
	const bool is_not = test->op == TW_TEST_NE;
	const struct source place = find_source(test, access);

	if (!access->tracepoint)
		require(a, tw_test__extent(test), access, fails);
	if (test->operand == TW_ON_TIME)
		emit_time(a, test, holds, fails);
	else if (test->field && test->field->place != TW_PLACE_FIXED)
		emit_located(a, test, access, holds, fails);
	else if (test->op == TW_TEST_EXISTS)
		tw_asm__jump(a, holds);
	else if (tw_test__is_array(test))
		emit_array(a, test, &place, holds, fails);
	else if (test->compared == TW_AS_NUMBER)
		emit_number(a, test, &place, holds, fails);
	else if (test->compared == TW_AS_TEXT)
		emit_text(a, test, &place, is_not ? fails : holds, is_not ? holds : fails);
	else if (is_not || test->op == TW_TEST_EQ)
		emit_equal(a, test, &place, is_not ? fails : holds, is_not ? holds : fails);
	else
		emit_order(a, test, &place, holds, fails);
}

static tw_label label_of(uint32_t branch, tw_label first, tw_label holds, tw_label fails)
{
	return branch == TW_BRANCH_TRUE ? holds : branch == TW_BRANCH_FALSE ? fails : first + branch;
}

void tw_tree__emit(struct tw_asm *a, const struct tw_node *root, const struct tw_bpf_access *access, tw_label holds,
		   tw_label fails)
{
	const tw_label first = tw_asm__labels(a, root->n_tests);
	struct tw_branch_walk walk;
	struct tw_branches to;
	const struct tw_test *test;

	tw_branch_walk__init(&walk, root);
	for (uint32_t i = 0; !a->err && (test = tw_branch_walk__next(&walk, &to)); i++) {
		tw_asm__place(a, first + i);
		emit_test(a, test, access, label_of(to.holds, first, holds, fails),
			  label_of(to.fails, first, holds, fails));
	}
	if (walk.too_deep)
		a->err = -E2BIG;
}
