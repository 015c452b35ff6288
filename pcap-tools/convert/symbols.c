/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which addresses of a record are printed as symbols, and the SYMBOLs for them, each once in a stream. */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/convert/impl.h"

/* The kernel's symbols are read when the first address asks for one. */
static int load(struct tw_convert *c)
{
	const struct tw_tracedat_bytes *text = &c->info->kallsyms;
	int code = 0;

	if (c->symbols)
		return 0;
	c->symbols = tw_symbols__new();
	if (!c->symbols)
		return -ENOMEM;
	if (text->data)
		code = tw_symbols__parse(c->symbols, text->data, text->len);
	return code == -E2BIG ? 0 : code;
}

/*
 * Up to the next symbol of the file, which the reader of the conversion does not have; the last one of all ends where it
 * begins. 0, "not known", if that is further than a SYMBOL can say.
 */
static uint32_t size_of(const struct tw_symbols *symbols, const struct tw_symbol *symbol)
{
	size_t low = 0, high = tw_symbols__count(symbols);
	struct tw_symbol next;
	uint64_t size = symbol->size;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (tw_symbols__at(symbols, middle, &next) && next.address <= symbol->address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!size)
		size = tw_symbols__at(symbols, low, &next) ? next.address - symbol->address : 1;
	return size <= UINT32_MAX ? (uint32_t)size : 0;
}

static int look_up(struct tw_convert *c, struct convert_stream *s, uint64_t address)
{
	struct tw_symbol symbol;
	struct tw_symbol_view view;
	int code = tw_address_table__add(&s->looked_up, address);

	if (code <= 0)
		return code;
	code = load(c);
	if (code || !tw_symbols__find(c->symbols, address, &symbol))
		return code;
	code = tw_address_table__add(&s->said, symbol.address);
	if (code <= 0)
		return code;
	view = (struct tw_symbol_view){
		.size = size_of(c->symbols, &symbol),
		.address = symbol.address,
		.name = (const uint8_t *)symbol.name,
		.len = strlen(symbol.name),
	};
	tw_convert__symbol(c, s, &view);
	c->stats.symbols++;
	return 0;
}

static int look_up_value(struct tw_convert *c, struct convert_stream *s, const struct tw_field *field,
			 const struct tw_record *record)
{
	struct tw_value value, element;
	int code = 0;

	if (tw_field__read(field, record, &value))
		return 0;
	if (value.kind != TW_FIELD_ARRAY)
		return value.kind <= TW_FIELD_POINTER ? look_up(c, s, value.u) : 0;
	for (uint32_t i = 0; !code && !tw_value__element(field, &value, i, &element); i++)
		code = look_up(c, s, element.u);
	return code;
}

int tw_convert__symbols(struct tw_convert *c, struct convert_stream *s, const struct convert_format *format,
			const struct tw_tracedat_event *event)
{
	const struct tw_record record = { .data = event->record, .len = event->len, .big_endian = c->info->big_endian };
	int code = 0;

	c->time = event->time;
	for (size_t i = 0; i < format->n_fields && !code; i++)
		code = look_up_value(c, s, format->fields[i], &record);
	tw_convert__end_control(c);
	return code;
}
