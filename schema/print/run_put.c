/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations that put text on the line: each takes its values from the stack and its bytes from the record. */
#include "base/printable.h"
#include "schema/print/run.h"

static void put_string_at(const struct tw_run *run, uint64_t address)
{
	const char *text = run->host && run->host->strings ? tw_strings__find(run->host->strings, address) : NULL;

	if (text)
		tw_line__str(run->line, text);
	else
		tw_line__hex(run->line, address);
}

/* The conversion with what its stars took from the stack, below @values values. */
static inline struct tw_put_spec spec_of(struct tw_run *run, const struct tw_conversion *conversion, uint32_t values)
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

/* So many bytes from where the field begins, as far as the record goes. */
static struct tw_put_bytes counted(struct tw_run *run, const struct tw_op *op, uint64_t n, uint32_t size)
{
	struct tw_put_bytes bytes = tw_run__bytes(run, op->field);
	const uint32_t left = bytes.len ? run->record->len - (uint32_t)(bytes.data - run->record->data) : 0;

	n = (uint32_t)n & 0x80000000 ? 0 : (uint32_t)n;
	bytes.len = n > left / size ? left / size * size : (uint32_t)n * size;
	return bytes;
}

static void put_word(const struct tw_run *run, uint32_t table, uint64_t i)
{
	const struct tw_print_names *names = &run->print->tables[table];

	tw_line__str(run->line, names->names[i < names->n - 1 ? i : names->n - 1].name);
}

static void put_hex_dump(struct tw_run *run, const struct tw_op *op)
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

static void put_pointed(struct tw_run *run, const struct tw_op *op)
{
	const struct tw_conversion *conversion = &run->print->conversions[op->a];
	struct tw_put_spec spec = spec_of(run, conversion, 0);
	const struct tw_put_bytes bytes = tw_run__bytes(run, conversion->field);

	if (spec.width < 0)
		spec.width = -spec.width;
	if (!conversion->star_width || spec.width) /* no bytes are none, not all of them */
		tw_put__pointed(run->line, &conversion->pointer, &spec, &bytes, run->print->format->long_size);
}

static void put_address(struct tw_run *run, const struct tw_conversion *conversion)
{
	const uint64_t value = *run->top;

	spec_of(run, conversion, 1); /* neither width nor precision changes an address, as with libtraceevent */
	tw_put__address(run->line, &conversion->pointer, value, run->host);
}

static void put_number(struct tw_run *run, const struct tw_conversion *conversion)
{
	const uint64_t value = *run->top;
	const struct tw_put_spec spec = spec_of(run, conversion, 1);

	tw_put__number(run->line, &spec, value);
}

static void put_fitted(struct tw_run *run, const struct tw_conversion *conversion)
{
	const struct tw_put_spec spec = spec_of(run, conversion, 0);

	tw_put__fit(run->line, &spec, (size_t)(run->mark - run->line->text));
}

/* All of a field. */
static void put_field(struct tw_run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = tw_run__bytes(run, op->field);

	if (op->code == TW_OP_WHOLE_ARRAY)
		tw_put__array(run->line, &bytes, op->size);
	else if (op->code == TW_OP_BITMASK)
		tw_put__bits(run->line, &bytes, bytes.len * 8, run->print->format->long_size);
	else /* CPU_LIST */
		tw_put__bit_list(run->line, &bytes, bytes.len * 8, run->print->format->long_size);
}

/* As much of a field as the topmost value says. */
static void put_counted(struct tw_run *run, const struct tw_op *op)
{
	const struct tw_put_bytes bytes = counted(run, op, *run->top--, op->code == TW_OP_ARRAY ? op->size : 1);

	if (op->code == TW_OP_ARRAY)
		tw_put__array(run->line, &bytes, op->size);
	else
		tw_put__hex(run->line, &bytes, op->code == TW_OP_HEX_BYTES ? ' ' : '\0');
}

void tw_run__put(struct tw_run *run, const struct tw_op *op)
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
