/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/value.h"

#define ELEMENTS_SHOWN   256 /* of an array, in the tree */
#define ELEMENTS_IN_INFO 16
#define MASK_TEXT_MAX    1024
#define MASK_BYTES_MAX   1024 /* 8192 CPUs */

/* "0-3,7", as the kernel prints masks. */
static void append_mask(struct tw_text *text, const struct tw_value *mask, uint8_t long_size)
{
	const uint32_t n = (mask->len < MASK_BYTES_MAX ? mask->len : MASK_BYTES_MAX) * 8;
	bool comma = false;

	for (uint32_t from = 0, to; from < n; from = to + 1) {
		to = from;
		if (!tw_value__bit(mask, long_size, from))
			continue;
		while (to + 1 < n && tw_value__bit(mask, long_size, to + 1))
			to++;
		if (comma)
			tw_text__literal(text, ",", 1);
		tw_text__u64(text, from);
		if (to > from) {
			tw_text__literal(text, "-", 1);
			tw_text__u64(text, to);
		}
		comma = true;
	}
}

static void append_number(struct tw_text *text, enum tw_type type, uint64_t value)
{
	switch (type) {
	case TW_TYPE_POINTER:
		tw_text__hex(text, value);
		break;
	case TW_TYPE_I8:
	case TW_TYPE_I16:
	case TW_TYPE_I32:
	case TW_TYPE_I64:
		tw_text__i64(text, (int64_t)value);
		break;
	default:
		tw_text__u64(text, value);
	}
}

static void append_bytes(struct tw_text *text, const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len && i < ELEMENTS_IN_INFO; i++) {
		tw_text__literal(text, &"0123456789abcdef"[p[i] >> 4], 1);
		tw_text__literal(text, &"0123456789abcdef"[p[i] & 15], 1);
	}
	if (len > ELEMENTS_IN_INFO)
		tw_text__literal(text, "...", 3);
}

static void append_ipv4(struct tw_text *text, const uint8_t *p)
{
	for (int i = 0; i < 4; i++) {
		tw_text__literal(text, ".", i ? 1 : 0);
		tw_text__u64(text, p[i]);
	}
}

static void append_elements(struct tw_text *text, const struct tw_shown_field *shown, const struct tw_value *array)
{
	struct tw_value element;

	tw_text__literal(text, "[", 1);
	for (uint32_t i = 0; !tw_value__element(shown->field, array, i, &element); i++) {
		tw_text__literal(text, ",", i ? 1 : 0);
		if (i == ELEMENTS_IN_INFO) {
			tw_text__literal(text, "...", 3);
			break;
		}
		append_number(text, (enum tw_type)shown->type, element.u);
	}
	tw_text__literal(text, "]", 1);
}

void tw_value__text(struct tw_text *text, const struct tw_shown_field *shown, const struct tw_record *record)
{
	struct tw_value value;

	tw_text__literal(text, shown->label, shown->label_len);
	if (tw_field__read(shown->field, record, &value)) {
		tw_text__literal(text, "?", 1);
		return;
	}
	switch (shown->type) {
	case TW_TYPE_TEXT:
		if (value.kind == TW_FIELD_BITMASK)
			append_mask(text, &value, shown->long_size);
		else
			tw_text__foreign(text, value.data, value.len);
		break;
	case TW_TYPE_IPV4:
		if (value.len == 4) {
			append_ipv4(text, value.data);
			break;
		}
		/* fall through */
	case TW_TYPE_IPV6:
	case TW_TYPE_BYTES:
		append_bytes(text, value.data, value.len);
		break;
	default:
		if (value.kind == TW_FIELD_ARRAY)
			append_elements(text, shown, &value);
		else
			append_number(text, (enum tw_type)shown->type, value.u);
	}
}

/* A value and the name it is to be shown under, whose type may be wider than the field's own, or text. */
struct placing {
	struct tw_dissect *d;
	proto_tree *tree;
	const struct tw_shown_field *shown;
	const struct tw_record *record;
	const header_field_info *hf;
	enum tw_type type; /* of the name */
	bool hidden;
};

static void finish(const struct placing *p, proto_item *item)
{
	if (p->hidden && item)
		proto_item_set_hidden(item);
}

static void place_number(const struct placing *p, const struct tw_value *value)
{
	const int at = tw_dissect__at(p->d, p->record->data + value->offset);
	char buf[32];
	struct tw_text text = tw_text__on(buf, sizeof(buf));

	if (tw_type__class(p->type) == TW_CLASS_NUMBER) {
		finish(p, tw_put_number(p->d, p->tree, p->hf, at, (int)value->len, value->u));
	} else if (p->type == TW_TYPE_TEXT) {
		append_number(&text, (enum tw_type)p->shown->type, value->u);
		tw_text__end(&text);
		finish(p, tw_put_text(p->d, p->tree, p->hf, at, (int)value->len, buf));
	}
}

static void place_elements(const struct placing *p, const struct tw_value *array)
{
	struct tw_value element;

	for (uint32_t i = 0; i < ELEMENTS_SHOWN; i++) {
		if (tw_value__element(p->shown->field, array, i, &element))
			return;
		place_number(p, &element);
	}
	tw_dissect__expert(p->d, TW_EXPERT_LIMIT, "An array has more elements than the dissector shows");
}

static void place_mask(const struct placing *p, const struct tw_value *mask)
{
	char buf[MASK_TEXT_MAX];
	struct tw_text text = tw_text__on(buf, sizeof(buf));

	append_mask(&text, mask, p->shown->long_size);
	tw_text__end(&text);
	finish(p, tw_put_text(p->d, p->tree, p->hf, tw_dissect__at(p->d, mask->data), (int)mask->len, buf));
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
			place_number(p, value);
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

bool tw_value__put(struct tw_dissect *d, proto_tree *tree, const struct tw_shown_field *shown,
		   const struct tw_record *record)
{
	const bool wanted = shown->name && tw_name__wanted(tree, shown->name);
	const bool any_wanted = shown->any && tw_name__wanted(tree, shown->any);
	struct placing p = { .d = d, .tree = tree, .shown = shown, .record = record };
	struct tw_value value;

	if (!wanted && !any_wanted && is_inside(shown->field, record))
		return true;
	if (tw_field__read(shown->field, record, &value))
		return false;
	if (wanted) {
		p.hf = shown->name->hf;
		p.type = (enum tw_type)shown->name->type;
		place(&p, &value);
	}
	if (any_wanted) {
		p.hf = shown->any->hf;
		p.type = (enum tw_type)shown->any->type;
		p.hidden = true;
		place(&p, &value);
	}
	return true;
}
