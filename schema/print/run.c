/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program. Each loop ends: jumps are forward only, and other loops are over bytes of the record or of the line. Scalars outside
 * the record are read as 0, and bytes outside the record as an empty range.
 */
#include "base/bytes.h"
#include "base/printable.h"
#include "schema/print/arith.h"
#include "schema/print/program.h"
#include "schema/syscalls.h"

struct print_run {
	const struct tw_print *print;
	const struct tw_op *ops; /* the program's operations, to which jumps refer */
	const struct tw_record *record;
	const struct tw_print_host *host;
	struct tw_line *line;
	uint64_t *top; /* the top value */
	char *mark;    /* end of the line at the mark */
	uint32_t work; /* bytes of the record that were printed so far, including repeated ones */
};

/*
 * The next functions write the three most frequent outputs, mostly without calls of the C library. If the line has room, short text is
 * copied in blocks, which may extend beyond the end of the text.
 */
#define FAST_TEXT (4 * TW_PRINT_TEXT_SPARE)

/* Appends @text, which has TW_PRINT_TEXT_SPARE readable bytes after its end. */
static inline void fast_text(struct tw_line *line, const char *text, uint32_t len)
{
	char *at = line->at;

	if (len > FAST_TEXT || line->end - at < FAST_TEXT) {
		tw_line__bytes(line, text, len);
		return;
	}
	line->at = at + len;
	for (const char *end = at + len; at < end; at += TW_PRINT_TEXT_SPARE, text += TW_PRINT_TEXT_SPARE)
		memcpy(at, text, TW_PRINT_TEXT_SPARE);
}

/* Appends a char array up to its first NUL. @left: readable bytes from its beginning on, at least @size */
static inline void fast_chars(struct tw_line *line, const uint8_t *chars, uint32_t size, uint32_t left)
{
	const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
	uint64_t word, zero;
	const uint8_t *nul;

	while (size && left >= sizeof(word) && line->end - line->at >= (ptrdiff_t)sizeof(word)) {
		uint32_t n = sizeof(word);

		word = tw_load64(chars, false);
		memcpy(line->at, chars, sizeof(word));
		zero = (word - ones) & ~word & highs; /* the lowest set bit marks the first NUL; others may be wrong */
		if (zero)
			n = (uint32_t)__builtin_ctzll(zero) / 8;
		line->at += n < size ? n : size;
		if (n < sizeof(word) || size <= n)
			return;
		chars += n;
		size -= n;
		left -= n;
	}
	nul = size ? memchr(chars, '\0', size) : NULL;
	tw_line__bytes(line, chars, nul ? (size_t)(nul - chars) : size);
}

/* Does the same as tw_line__u64(), and is faster for numbers below 100000. */
static inline void fast_decimal(struct tw_line *line, uint64_t value)
{
	static const uint32_t powers[] = { 0, 10, 100, 1000, 10000, 100000 };
	uint32_t n = 1, small = (uint32_t)value;

	if (value >= 100000 || line->end - line->at < 8) {
		tw_line__u64(line, value);
		return;
	}
	while (small >= powers[n])
		n++;
	for (char *at = line->at + n; at > line->at; small /= 10)
		*--at = (char)('0' + small % 10);
	line->at += n;
}

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

/* Return: the bytes of a field; empty if they are not inside the record. */
static struct tw_put_bytes bytes_of(const struct tw_field *field, const struct tw_record *record)
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

/* As bytes_of(), for bytes that will be printed: their number is added to the work of the run. */
static inline struct tw_put_bytes counted_bytes(struct print_run *run, const struct tw_field *field)
{
	const struct tw_put_bytes bytes = bytes_of(field, run->record);

	run->work += bytes.len < TW_PRINT_WORK_MAX ? bytes.len : TW_PRINT_WORK_MAX;
	return bytes;
}

/* Whether the run must stop: the line is full, or the print fmt prints a large field too often. */
static bool is_over(struct print_run *run)
{
	if (run->work > TW_PRINT_WORK_MAX)
		run->line->cut = true;
	return run->line->cut;
}

static uint64_t element(const struct print_run *run, const struct tw_op *op, uint64_t i)
{
	const struct tw_put_bytes bytes = bytes_of(op->field, run->record);

	if (i >= bytes.len / op->size)
		return 0;
	return load(run->record, (uint32_t)(bytes.data - run->record->data) + (uint32_t)i * op->size, op);
}

static void put_bytes(struct print_run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = counted_bytes(run, op->field);

	fast_chars(run->line, bytes.data, bytes.len, run->record->len - (uint32_t)(bytes.data - run->record->data));
}

static inline void put_decimal(struct tw_line *line, uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0)
		tw_line__i64(line, (int64_t)value);
	else
		fast_decimal(line, value);
}

static inline uint64_t binary(const struct tw_op *op, uint64_t a, uint64_t b)
{
	const bool shift = op->a == TW_PUNCT('<', '<') || op->a == TW_PUNCT('>', '>');

	a = tw_arith__narrow(a, op->size, op->is_signed);
	b = shift ? tw_arith__shift_count(b, op->size) : tw_arith__narrow(b, op->size, op->is_signed);
	return tw_arith__narrow(tw_arith__binary((uint16_t)op->a, a, b, op->is_signed), (uint8_t)op->b, op->c);
}

static inline void compute(struct print_run *run, const struct tw_op *op)
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
		*++top = bytes_of(op->field, run->record).len;
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

static void put_string_at(const struct print_run *run, uint64_t address)
{
	const char *text = run->host && run->host->strings ? tw_strings__find(run->host->strings, address) : NULL;

	if (text)
		tw_line__str(run->line, text);
	else
		tw_line__hex(run->line, address);
}

/* Takes @values values from the stack, and below them a width and a precision for each `*`. Return: the conversion with these set */
static inline struct tw_put_spec spec_of(struct print_run *run, const struct tw_conversion *conversion, uint32_t values)
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

/* Return: @n elements of @size bytes from the field's beginning on, or fewer if the record ends earlier. */
static struct tw_put_bytes counted(struct print_run *run, const struct tw_op *op, uint64_t n, uint32_t size)
{
	struct tw_put_bytes bytes = counted_bytes(run, op->field);
	const uint32_t left = bytes.len ? run->record->len - (uint32_t)(bytes.data - run->record->data) : 0;

	n = (uint32_t)n & 0x80000000 ? 0 : (uint32_t)n;
	bytes.len = n > left / size ? left / size * size : (uint32_t)n * size;
	return bytes;
}

static void put_syscall(const struct print_run *run, const struct tw_op *op)
{
	const enum tw_machine machine = (enum tw_machine)run->print->format->machine;
	const char *name = tw_syscalls__name(machine, load(run->record, op->a, op));

	if (name) {
		tw_line__char(run->line, ' ');
		tw_line__str(run->line, name);
	}
}

static void put_word(const struct print_run *run, uint32_t table, uint64_t i)
{
	const struct tw_print_names *names = &run->print->tables[table];

	tw_line__str(run->line, names->names[i < names->n - 1 ? i : names->n - 1].name);
}

static void put_hex_dump(struct print_run *run, const struct tw_op *op)
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

static void put_pointed(struct print_run *run, const struct tw_op *op)
{
	const struct tw_conversion *conversion = &run->print->conversions[op->a];
	struct tw_put_spec spec = spec_of(run, conversion, 0);
	const struct tw_put_bytes bytes = counted_bytes(run, conversion->field);

	if (spec.width < 0)
		spec.width = -spec.width;
	if (!conversion->star_width || spec.width) /* a width of 0 from `*` means no bytes, not all */
		tw_put__pointed(run->line, &conversion->pointer, &spec, &bytes, run->print->format->long_size);
}

static void put_address(struct print_run *run, const struct tw_conversion *conversion)
{
	const uint64_t value = *run->top;

	spec_of(run, conversion, 1); /* as in libtraceevent, width and precision do not change an address */
	tw_put__address(run->line, &conversion->pointer, value, run->host);
}

static void put_number(struct print_run *run, const struct tw_conversion *conversion)
{
	const uint64_t value = *run->top;
	const struct tw_put_spec spec = spec_of(run, conversion, 1);

	tw_put__number(run->line, &spec, value);
}

static void put_fitted(struct print_run *run, const struct tw_conversion *conversion)
{
	const struct tw_put_spec spec = spec_of(run, conversion, 0);

	tw_put__fit(run->line, &spec, (size_t)(run->mark - run->line->text));
}

/* Prints the whole field. */
static void put_field(struct print_run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = counted_bytes(run, op->field);

	if (op->code == TW_OP_WHOLE_ARRAY)
		tw_put__array(run->line, &bytes, op->size);
	else if (op->code == TW_OP_BITMASK)
		tw_put__bits(run->line, &bytes, bytes.len * 8, run->print->format->long_size);
	else /* CPU_LIST */
		tw_put__bit_list(run->line, &bytes, bytes.len * 8, run->print->format->long_size);
}

/* Prints the field's first bytes or elements; the top value is their number. */
static void put_counted(struct print_run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = counted(run, op, *run->top--, op->code == TW_OP_ARRAY ? op->size : 1);

	if (op->code == TW_OP_ARRAY)
		tw_put__array(run->line, &bytes, op->size);
	else
		tw_put__hex(run->line, &bytes, op->code == TW_OP_HEX_BYTES ? ' ' : '\0');
}

static void put_operation(struct print_run *run, const struct tw_op *op)
{
	const struct tw_print *print = run->print;

	switch (op->code) {
	case TW_OP_TAB:
		tw_printable__layout(run->line, "\t");
		break;
	case TW_OP_NUMBER:
		put_number(run, &print->conversions[op->a]);
		break;
	case TW_OP_ADDRESS:
		put_address(run, &print->conversions[op->a]);
		break;
	case TW_OP_POINTED:
		put_pointed(run, op);
		break;
	case TW_OP_FIT:
		put_fitted(run, &print->conversions[op->a]);
		break;
	case TW_OP_STRING_AT:
		put_string_at(run, *run->top--);
		break;
	case TW_OP_SYMBOLIC:
		tw_put__symbolic(run->line, &print->tables[op->a], *run->top--);
		break;
	case TW_OP_FLAGS:
		tw_put__flags(run->line, &print->tables[op->a], *run->top--);
		break;
	case TW_OP_SYSCALL_OF:
		put_syscall(run, op);
		break;
	case TW_OP_WORD:
		put_word(run, op->a, *run->top--);
		break;
	case TW_OP_HEX_DUMP:
		put_hex_dump(run, op);
		break;
	case TW_OP_ARRAY:
	case TW_OP_HEX_BYTES:
	case TW_OP_HEX_STR:
		put_counted(run, op);
		break;
	default: /* WHOLE_ARRAY, BITMASK, CPU_LIST */
		put_field(run, op);
	}
}

static void execute(struct print_run *run, const struct tw_op *op)
{
	for (;; op++) {
		switch (op->code) {
		case TW_OP_END:
			return;
		case TW_OP_TEXT:
			fast_text(run->line, run->print->texts + op->a, op->b);
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
			op = run->ops + op->a - 1;
			break;
		case TW_OP_JUMP_ZERO:
			if (!*run->top--)
				op = run->ops + op->a - 1;
			break;
		default:
			if (op->code <= TW_OP_INDEX)
				compute(run, op);
			else
				put_operation(run, op);
			if (op->code > TW_OP_INDEX && is_over(run))
				return;
		}
	}
}

void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line)
{
	uint64_t stack[TW_PRINT_STACK + 1];
	struct print_run run = {
		.print = print, .ops = print->ops, .record = record, .host = host, .line = line, .top = stack
	};

	stack[0] = 0;
	if (print->ftrace.put)
		print->ftrace.put(&print->ftrace, record, host, line);
	else if (print->refusal)
		tw_print__fields(print->format, record, line);
	else
		execute(&run, run.ops);
	tw_printable__end(line);
}

bool tw_print__has_word(const struct tw_print *print, const struct tw_field *field)
{
	for (uint32_t i = 0; i < print->n_words; i++)
		if (print->words[i].field == field)
			return true;
	return false;
}

static bool is_number(const char *text, size_t len)
{
	return len > 2 && text[0] == '0' && text[1] == 'x';
}

bool tw_print__word(const struct tw_print *print, const struct tw_field *field, const struct tw_record *record,
		    struct tw_line *line)
{
	uint64_t stack[TW_PRINT_STACK + 1] = { 0 };
	struct print_run run = { .print = print, .ops = print->word_ops, .record = record, .line = line, .top = stack };
	const struct tw_line before = *line;

	for (uint32_t i = 0; i < print->n_words; i++)
		if (print->words[i].field == field)
			execute(&run, run.ops + print->words[i].at);
	if (is_number(before.at, (size_t)(line->at - before.at)))
		*line = before;
	return line->at != before.at;
}
