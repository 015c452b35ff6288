/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a program. Nothing here loops but over operations, which only jump forward, and over bytes of the record or
 * of the line; what lies outside the record is read as 0.
 */
#include "base/bytes.h"
#include "schema/print/arith.h"
#include "schema/print/fast.h"
#include "schema/print/program.h"

struct run {
	const struct tw_print *print;
	const struct tw_record *record;
	const struct tw_print_host *host;
	struct tw_line *line;
	uint64_t *top; /* the topmost value */
	char *mark;    /* where the line ended */
	uint32_t work; /* bytes of the record looked at so far, some of them again and again */
};

static inline uint64_t load(const struct tw_record *record, uint32_t offset, const struct tw_op *op)
{
	const bool big = record->big_endian || (op->is_common && record->from_wire);
	const uint8_t *p = record->data + offset;

	if (offset > record->len || record->len - offset < op->size)
		return 0;
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

/* The same for what is put on the line, counted. */
static struct tw_put_bytes bytes_of(struct run *run, const struct tw_field *field)
{
	const struct tw_put_bytes bytes = tw_print__bytes(field, run->record);

	run->work += bytes.len < TW_PRINT_WORK_MAX ? bytes.len : TW_PRINT_WORK_MAX;
	return bytes;
}

/* Nothing more would be seen, or a print fmt names the same large field too often. */
static bool is_over(struct run *run)
{
	if (run->work > TW_PRINT_WORK_MAX)
		run->line->cut = true;
	return run->line->cut;
}

static uint64_t element(const struct run *run, const struct tw_op *op, uint64_t i)
{
	const struct tw_put_bytes bytes = tw_print__bytes(op->field, run->record);

	if (i >= bytes.len / op->size)
		return 0;
	return load(run->record, (uint32_t)(bytes.data - run->record->data) + (uint32_t)i * op->size, op);
}

static void put_bytes(struct run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = bytes_of(run, op->field);

	tw_fast__chars(run->line, bytes.data, bytes.len, run->record->len - (uint32_t)(bytes.data - run->record->data));
}

static void put_string_at(const struct run *run, uint64_t address)
{
	const char *text = run->host && run->host->strings ? tw_strings__find(run->host->strings, address) : NULL;

	if (text)
		tw_line__str(run->line, text);
	else
		tw_line__hex(run->line, address);
}

static inline void put_decimal(struct tw_line *line, uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0)
		tw_line__i64(line, (int64_t)value);
	else
		tw_fast__decimal(line, value);
}

/* The conversion with what its stars took from the stack, below @values values. */
static inline struct tw_put_spec spec_of(struct run *run, const struct tw_print_conversion *conversion, uint32_t values)
{
	struct tw_put_spec spec = conversion->spec;
	const uint32_t stars = (uint32_t)conversion->star_width + conversion->star_precision;
	const uint64_t *star = run->top - values - stars + 1;

	if (conversion->star_width) {
		const int32_t width = (int32_t)*star++;

		spec.width = width > TW_PUT_WIDTH_MAX    ? TW_PUT_WIDTH_MAX
			     : width < -TW_PUT_WIDTH_MAX ? -TW_PUT_WIDTH_MAX
							 : width;
	}
	if (conversion->star_precision)
		spec.precision = (int32_t)*star;
	run->top -= values + stars;
	return spec;
}

/* Cut what is on the line since the mark to the precision, and pad it to the width. */
static void fit(struct run *run, const struct tw_put_spec *spec)
{
	struct tw_line *line = run->line;
	const bool left = spec->flags & TW_PUT_LEFT || spec->width < 0;
	const size_t width = (size_t)(spec->width < 0 ? -spec->width : spec->width);
	size_t len = (size_t)(line->at - run->mark), pad;

	if (spec->precision >= 0 && len > (size_t)spec->precision) {
		len = (size_t)spec->precision;
		line->at = run->mark + len;
	}
	if (len >= width)
		return;
	tw_line__fill(line, ' ', width - len);
	pad = (size_t)(line->at - run->mark) - len;
	if (!left && pad) {
		memmove(run->mark + pad, run->mark, len);
		memset(run->mark, ' ', pad);
	}
}

/* So many bytes from where the field begins, as far as the record goes. */
static struct tw_put_bytes counted(struct run *run, const struct tw_op *op, uint64_t n, uint32_t size)
{
	struct tw_put_bytes bytes = bytes_of(run, op->field);
	const uint32_t left = bytes.len ? run->record->len - (uint32_t)(bytes.data - run->record->data) : 0;

	n = (uint32_t)n & 0x80000000 ? 0 : (uint32_t)n;
	bytes.len = n > left / size ? left / size * size : (uint32_t)n * size;
	return bytes;
}

static void put_word(const struct run *run, uint32_t table, uint64_t i)
{
	const struct tw_print_names *names = &run->print->tables[table];

	tw_line__str(run->line, names->names[i < names->n - 1 ? i : names->n - 1].name);
}

static void put_hex_dump(struct run *run, const struct tw_op *op)
{
	const uint64_t shape = run->top[0];
	const struct tw_put_bytes bytes = counted(run, op, run->top[-1], 1);
	const struct tw_put_dump dump = { .prefix = run->print->texts + (shape >> 32),
					  .prefix_type = (uint8_t)(shape >> 24),
					  .row = (uint8_t)(shape >> 16),
					  .group = (uint8_t)(shape >> 8),
					  .ascii = shape & 1 };

	run->top -= 2;
	tw_put__dump(run->line, &dump, &bytes, 0);
}

static void put_pointed(struct run *run, const struct tw_op *op)
{
	const struct tw_print_conversion *conversion = &run->print->conversions[op->a];
	struct tw_put_spec spec = spec_of(run, conversion, 0);
	const struct tw_put_bytes bytes = bytes_of(run, conversion->field);

	if (spec.width < 0)
		spec.width = -spec.width;
	if (!conversion->star_width || spec.width) /* no bytes are none, not all of them */
		tw_put__pointed(run->line, &conversion->pointer, &spec, &bytes);
}

static void put_cpu_list(struct run *run, const struct tw_op *op)
{
	static const struct tw_pointer list = { .kind = TW_POINTER_BITMAP_LIST };
	static const struct tw_put_spec all = { .letter = 'p', .precision = -1 };
	const struct tw_put_bytes bytes = bytes_of(run, op->field);

	tw_put__pointed(run->line, &list, &all, &bytes);
}

/* What makes text and is not among the commonest. */
static void put(struct run *run, const struct tw_op *op)
{
	const struct tw_print *print = run->print;
	struct tw_put_bytes bytes;
	struct tw_put_spec spec;
	const uint64_t value = *run->top;

	switch (op->code) {
	case TW_OP_NUMBER:
		spec = spec_of(run, &print->conversions[op->a], 1);
		tw_put__number(run->line, &spec, value);
		return;
	case TW_OP_ADDRESS:
		if (print->conversions[op->a].star_width || print->conversions[op->a].star_precision)
			spec_of(run, &print->conversions[op->a], 1);
		else
			run->top--;
		tw_put__address(run->line, &print->conversions[op->a].pointer, value, run->host);
		return;
	case TW_OP_POINTED:
		put_pointed(run, op);
		return;
	case TW_OP_FIT:
		spec = spec_of(run, &print->conversions[op->a], 0);
		fit(run, &spec);
		return;
	case TW_OP_HEX_DUMP:
		put_hex_dump(run, op);
		return;
	case TW_OP_BITMASK:
		bytes = bytes_of(run, op->field);
		tw_put__bitmask(run->line, &bytes, print->format->long_size);
		return;
	case TW_OP_CPU_LIST:
		put_cpu_list(run, op);
		return;
	case TW_OP_WHOLE_ARRAY:
		bytes = bytes_of(run, op->field);
		tw_put__array(run->line, &bytes, op->size);
		return;
	default:
		break;
	}
	run->top--;
	switch (op->code) {
	case TW_OP_STRING_AT:
		put_string_at(run, value);
		break;
	case TW_OP_SYMBOLIC:
		tw_put__symbolic(run->line, &print->tables[op->a], value);
		break;
	case TW_OP_FLAGS:
		tw_put__flags(run->line, &print->tables[op->a], value);
		break;
	case TW_OP_WORD:
		put_word(run, op->a, value);
		break;
	case TW_OP_ARRAY:
		bytes = counted(run, op, value, op->size);
		tw_put__array(run->line, &bytes, op->size);
		break;
	default: /* HEX_BYTES, HEX_STR */
		bytes = counted(run, op, value, 1);
		tw_put__hex(run->line, &bytes, op->code == TW_OP_HEX_BYTES ? ' ' : '\0');
	}
}

static inline uint64_t binary(const struct tw_op *op, uint64_t a, uint64_t b)
{
	const bool shift = op->a == TW_PUNCT('<', '<') || op->a == TW_PUNCT('>', '>');

	a = tw_arith__narrow(a, op->size, op->is_signed);
	b = shift ? tw_arith__shift_count(b, op->size) : tw_arith__narrow(b, op->size, op->is_signed);
	return tw_arith__narrow(tw_arith__binary((uint16_t)op->a, a, b, op->is_signed), (uint8_t)op->b, op->c);
}

static inline void compute(struct run *run, const struct tw_op *op)
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

static void execute(struct run *run)
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
				put(run, op);
			if (op->code > TW_OP_INDEX && is_over(run))
				return;
		}
	}
}

void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line)
{
	uint64_t stack[TW_PRINT_STACK + 1];
	struct run run = { .print = print, .record = record, .host = host, .line = line, .top = stack };

	if (print->special.put) {
		print->special.put(&print->special, record, host, line);
		return;
	}
	if (print->refusal) {
		tw_print__fields(print->format, record, line);
		return;
	}
	stack[0] = 0;
	execute(&run);
}
