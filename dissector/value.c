/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/value.h"

#include "dissector/addresses.h"
#include "dissector/label.h"
#include "dissector/words.h"

static void append_number(struct tw_line *line, enum tw_type type, uint64_t value)
{
	if (type == TW_TYPE_POINTER) {
		tw_line__str(line, "0x");
		tw_line__hex(line, value);
	} else if (type >= TW_TYPE_I8 && type <= TW_TYPE_I64) {
		tw_line__i64(line, (int64_t)value);
	} else {
		tw_line__u64(line, value);
	}
}

/* A value and the name it is to be shown under, whose type may be wider than the field's own, or text. */
struct placing {
	struct tw_dissect *d;
	proto_tree *tree;
	const struct tw_shown_field *shown;
	const struct tw_record *record;
	int hf;            /* -1 = nobody wants it */
	enum tw_type type; /* of the name */
	bool hidden;
};

/* Return: the item, for a label of ours; NULL if it needs none. */
static proto_item *finish(const struct placing *p, proto_item *item)
{
	if (!p->hidden || !item)
		return item;
	proto_item_set_hidden(item);
	return NULL;
}

static proto_item *put_number(const struct placing *p, const struct tw_value *value)
{
	const int at = tw_dissect__at(p->d, p->record->data + value->offset);
	char buf[32];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	if (tw_type__class(p->type) == TW_CLASS_NUMBER)
		return finish(p, tw_put_number(p->d, p->tree, p->hf, at, (int)value->len, value->u));
	if (p->type != TW_TYPE_TEXT)
		return NULL;
	append_number(&line, (enum tw_type)p->shown->type, value->u);
	return finish(p, tw_put_text(p->d, p->tree, p->hf, at, (int)value->len, tw_shown__end(&line)));
}

/* As what filters and exports need: the symbol's name beside the address, and the frame that told it. */
static void put_symbol(const struct placing *p, const struct tw_value *value, const struct tw_symbol *symbol,
		       uint32_t frame)
{
	const int at = tw_dissect__at(p->d, p->record->data + value->offset);
	char buf[TW_SYMBOL_NAME_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));
	proto_item *item;

	tw_dissect__depend(p->d, frame);
	if (!tw_tree__wants(p->tree, hf_trace_symbol))
		return;
	tw_line__str(&line, symbol->name);
	item = tw_put_text(p->d, p->tree, hf_trace_symbol, at, (int)value->len, tw_shown__end(&line));
	if (item)
		proto_item_set_hidden(item);
}

static bool find_symbol(const struct placing *p, const struct tw_value *value, struct tw_symbol *ret,
			uint32_t *ret_frame)
{
	if (p->hidden || !(p->shown->has_addresses || p->shown->is_stack) || !p->d->lookups_left)
		return false;
	if (!--p->d->lookups_left)
		tw_dissect__expert(p->d, &ei_trace_limit, "The frame has more addresses than the dissector looks up");
	return tw_stream__symbol(p->d->stream, value->u, ret, ret_frame);
}

static void put_flags(const struct placing *p, const struct tw_value *value)
{
	const int at = tw_dissect__at(p->d, p->record->data + value->offset);
	char buf[TW_WORDS_TEXT_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));
	proto_item *item = NULL;

	if (tw_words__append(&line, p->shown->words, value->u)) {
		item = tw_put_text(p->d, p->tree, p->shown->flags->hf->id, at, (int)value->len, tw_shown__end(&line));
	}
	if (item)
		proto_item_set_hidden(item);
}

static void place_number(const struct placing *p, const struct tw_value *value, uint32_t i)
{
	struct tw_symbol symbol;
	uint32_t frame;
	const bool is_known = find_symbol(p, value, &symbol, &frame);

	if (p->shown->flags && !p->hidden && tw_name__wanted(p->tree, p->shown->flags))
		put_flags(p, value);
	if (p->hf > 0)
		tw_label__number(put_number(p, value), p->shown, value->u, is_known ? &symbol : NULL, i);
	if (is_known)
		put_symbol(p, value, &symbol, frame);
}

/* The kernel ends a stack that is shorter than its room with a zero, or all bits set. */
static bool ends_stack(const struct tw_value *caller)
{
	return !caller->u || caller->u == (caller->len == 8 ? UINT64_MAX : UINT32_MAX);
}

static void place_elements(const struct placing *p, const struct tw_value *array)
{
	struct tw_value element;

	for (uint32_t i = 0; i < TW_ELEMENTS_MAX; i++) {
		if (tw_value__element(p->shown->field, array, i, &element))
			return;
		if (p->shown->is_stack && ends_stack(&element))
			return;
		place_number(p, &element, i);
	}
	if (!tw_value__element(p->shown->field, array, TW_ELEMENTS_MAX, &element))
		tw_dissect__expert(p->d, &ei_trace_limit, "An array has more elements than the dissector shows");
}

static void place_mask(const struct placing *p, const struct tw_value *mask)
{
	char buf[TW_MASK_TEXT_MAX];
	struct tw_line line = tw_shown__on(buf, sizeof(buf));

	tw_value__list_bits(mask, p->shown->long_size, &line);
	finish(p, tw_put_text(p->d, p->tree, p->hf, tw_dissect__at(p->d, mask->data), (int)mask->len,
			      tw_shown__end(&line)));
}

static void place_bytes(const struct placing *p, const struct tw_value *value)
{
	if ((p->type == TW_TYPE_IPV4 && value->len != 4) || (p->type == TW_TYPE_IPV6 && value->len != 16))
		return;
	finish(p, tw_put_bytes(p->d, p->tree, p->hf, value->data, value->len));
}

static void place(const struct placing *p, const struct tw_value *value)
{
	const enum tw_class own = tw_type__class((enum tw_type)p->shown->type);
	const enum tw_class name = tw_type__class(p->type);

	if (own == TW_CLASS_NUMBER) {
		if (value->kind == TW_FIELD_ARRAY)
			place_elements(p, value);
		else
			place_number(p, value, 0);
	} else if (own == TW_CLASS_TEXT) {
		if (name == TW_CLASS_TEXT && value->kind == TW_FIELD_BITMASK)
			place_mask(p, value);
		else if (name == TW_CLASS_TEXT)
			place_bytes(p, value);
	} else if (name == own || name == TW_CLASS_BYTES) {
		place_bytes(p, value);
	}
}

/* Nobody wants it, and it is where it should be: nothing to say. */
static bool is_inside(const struct tw_field *field, const struct tw_record *record)
{
	return field->place == TW_PLACE_FIXED && (uint64_t)field->offset + field->size <= record->len;
}

/* A stack reaches to the end of the record, be it shorter than its field or longer. */
static int read_value(const struct tw_shown_field *shown, const struct tw_record *record, struct tw_value *ret)
{
	struct tw_field field;

	if (!shown->is_stack)
		return tw_field__read(shown->field, record, ret);
	field = *shown->field;
	field.place = TW_PLACE_REST;
	return tw_field__read(&field, record, ret);
}

bool tw_value__put(struct tw_dissect *d, proto_tree *tree, const struct tw_shown_field *shown,
		   const struct tw_record *record)
{
	const bool wanted = shown->name && tw_name__wanted(tree, shown->name);
	const bool any_wanted = shown->any && tw_name__wanted(tree, shown->any);
	const bool others_wanted = tree && (shown->has_addresses || shown->is_stack ||
					    (shown->flags && tw_name__wanted(tree, shown->flags)));
	struct placing p = { .d = d, .tree = tree, .shown = shown, .record = record };
	struct tw_value value;

	if (!wanted && !any_wanted && !others_wanted && is_inside(shown->field, record))
		return true;
	if (read_value(shown, record, &value))
		return false;
	if (wanted || others_wanted) {
		p.hf = wanted ? shown->name->hf->id : -1;
		p.type = wanted ? (enum tw_type)shown->name->type : TW_TYPE_U64;
		place(&p, &value);
	}
	if (any_wanted) {
		p.hf = shown->any->hf->id;
		p.type = (enum tw_type)shown->any->type;
		p.hidden = true;
		place(&p, &value);
	}
	return true;
}
