/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a program. Nothing here loops but over operations, which only jump forward, and over bytes of the record or
 * of the line; what lies outside the record is read as 0.
 */
#include "schema/print/run.h"

#include "base/bytes.h"
#include "base/printable.h"
#include "schema/print/arith.h"
#include "schema/print/fast.h"

static inline uint64_t load(const struct tw_record *record, uint32_t offset, const struct tw_op *op)
{
	const bool big = record->big_endian || (op->is_common && record->from_wire);
	const uint8_t *p;

	if (offset > record->len || record->len - offset < op->size)
		return 0;
	p = record->data + offset;
	switch (op->size) {
	case 1:
		return op->is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return op->is_signed ? (uint64_t)(int16_t)tw_load16(p, big) : tw_load16(p, big);
	case 4:
		return op->is_signed ? (uint64_t)(int32_t)tw_load32(p, big) : tw_load32(p, big);
	default:
		return tw_load64(p, big);
	}
}

struct tw_put_bytes tw_print__bytes(const struct tw_field *field, const struct tw_record *record)
{
	struct tw_put_bytes bytes = { .data = record->data, .big_endian = record->big_endian };
	uint64_t offset = field->offset, len = field->size;

	if (offset + len > record->len)
		return bytes;
	if (field->place == TW_PLACE_REST) {
		len = record->len - offset;
	} else if (field->place != TW_PLACE_FIXED) {
		const uint32_t location = len == 4 ? tw_load32(record->data + offset, record->big_endian) : 0;

		len = location >> 16;
		offset = (field->place == TW_PLACE_REL_LOC ? offset + 4 : 0) + (location & 0xffff);
	}
	if (offset + len > record->len)
		return bytes;
	bytes.data += offset;
	bytes.len = (uint32_t)len;
	return bytes;
}

/* Nothing more would be seen, or a print fmt names the same large field too often. */
static bool is_over(struct tw_run *run)
{
	if (run->work > TW_PRINT_WORK_MAX)
		run->line->cut = true;
	return run->line->cut;
}

static uint64_t element(const struct tw_run *run, const struct tw_op *op, uint64_t i)
{
	const struct tw_put_bytes bytes = tw_print__bytes(op->field, run->record);

	if (i >= bytes.len / op->size)
		return 0;
	return load(run->record, (uint32_t)(bytes.data - run->record->data) + (uint32_t)i * op->size, op);
}

static void put_bytes(struct tw_run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = tw_run__bytes(run, op->field);

	tw_fast__chars(run->line, bytes.data, bytes.len, run->record->len - (uint32_t)(bytes.data - run->record->data));
}

static inline void put_decimal(struct tw_line *line, uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0)
		tw_line__i64(line, (int64_t)value);
	else
		tw_fast__decimal(line, value);
}

static inline uint64_t binary(const struct tw_op *op, uint64_t a, uint64_t b)
{
	const bool shift = op->a == TW_PUNCT('<', '<') || op->a == TW_PUNCT('>', '>');

	a = tw_arith__narrow(a, op->size, op->is_signed);
	b = shift ? tw_arith__shift_count(b, op->size) : tw_arith__narrow(b, op->size, op->is_signed);
	return tw_arith__narrow(tw_arith__binary((uint16_t)op->a, a, b, op->is_signed), (uint8_t)op->b, op->c);
}

static inline void compute(struct tw_run *run, const struct tw_op *op)
{
	uint64_t *top = run->top;

	switch (op->code) {
	case TW_OP_CONST:
		*++top = op->value;
		break;
	case TW_OP_LOAD:
		*++top = load(run->record, op->a, op);
		break;
	case TW_OP_LEN:
		*++top = tw_print__bytes(op->field, run->record).len;
		break;
	case TW_OP_NARROW:
		*top = tw_arith__narrow(*top, op->size, op->is_signed);
		break;
	case TW_OP_UNARY:
		*top = tw_arith__narrow(tw_arith__unary((uint16_t)op->a, *top), op->size, op->is_signed);
		break;
	case TW_OP_BINARY:
		top--;
		*top = binary(op, top[0], top[1]);
		break;
	case TW_OP_SELECT:
		top -= 2;
		*top = tw_arith__narrow(top[0] ? top[1] : top[2], op->size, op->is_signed);
		break;
	default: /* INDEX */
		*top = element(run, op, *top);
	}
	run->top = top;
}

static void execute(struct tw_run *run)
{
	const struct tw_op *op = run->print->ops;

	for (;; op++) {
		switch (op->code) {
		case TW_OP_END:
			return;
		case TW_OP_TEXT:
			tw_fast__text(run->line, run->print->texts + op->a, op->b);
			break;
		case TW_OP_DECIMAL_OF:
			put_decimal(run->line, load(run->record, op->a, op), op->is_signed);
			break;
		case TW_OP_HEX_OF:
			tw_line__hex(run->line, load(run->record, op->a, op));
			break;
		case TW_OP_DECIMAL:
			put_decimal(run->line, tw_arith__narrow(*run->top, op->size, op->is_signed), op->is_signed);
			run->top--;
			break;
		case TW_OP_STRING:
			put_bytes(run, op);
			if (is_over(run))
				return;
			break;
		case TW_OP_MARK:
			run->mark = run->line->at;
			break;
		case TW_OP_JUMP:
			op = run->print->ops + op->a - 1;
			break;
		case TW_OP_JUMP_ZERO:
			if (!*run->top--)
				op = run->print->ops + op->a - 1;
			break;
		default:
			if (op->code <= TW_OP_INDEX)
				compute(run, op);
			else
				tw_run__put(run, op);
			if (op->code > TW_OP_INDEX && is_over(run))
				return;
		}
	}
}

void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line)
{
	uint64_t stack[TW_PRINT_STACK + 1];
	struct tw_run run = { .print = print, .record = record, .host = host, .line = line, .top = stack };

	stack[0] = 0;
	if (print->ftrace.put)
		print->ftrace.put(&print->ftrace, record, host, line);
	else if (print->refusal)
		tw_print__fields(print->format, record, line);
	else
		execute(&run);
	tw_printable__end(line);
}
