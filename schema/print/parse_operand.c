/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands where an operand is expected: constants, fields, parentheses, casts, operators before it. */
#include "schema/print/parse.h"
#include "schema/type.h"

static bool number(struct tw_parser *parser, uint64_t value, uint8_t size, bool is_signed)
{
	const struct tw_node node = { .kind = TW_NODE_NUMBER,
				      .size = size == TW_TYPE_LONG ? parser->tree->format->long_size : size,
				      .is_signed = is_signed,
				      .column = parser->token.column,
				      .value = value };

	return tw_parser__push_node(parser, &node);
}

/* One string or several side by side. */
static bool string(struct tw_parser *parser)
{
	struct tw_node node = { .kind = TW_NODE_TEXT, .is_text = true, .column = parser->token.column };
	bool join = false;

	while (parser->token.kind == TW_TOKEN_STRING) {
		if (!tw_tree__string(parser->tree, &parser->token, join, &node.at))
			return false;
		join = true;
		tw_parser__advance(parser);
	}
	node.len = parser->tree->n_strings - node.at - 1;
	return tw_parser__push_node(parser, &node);
}

/* The token is on the arrow behind REC. */
static bool field(struct tw_parser *parser)
{
	struct tw_node node = { .kind = TW_NODE_FIELD, .column = parser->token.column };
	char name[128];

	if (!tw_parser__at(parser, TW_PUNCT('-', '>')))
		return tw_tree__refuse(parser->tree, parser->token.column, "\"->\" and a field are missing behind REC");
	tw_parser__advance(parser);
	if (parser->token.kind != TW_TOKEN_WORD || parser->token.text.len >= sizeof(name))
		return tw_tree__refuse(parser->tree, parser->token.column, "the name of a field is missing");
	memcpy(name, parser->token.text.at, parser->token.text.len);
	name[parser->token.text.len] = '\0';
	node.field = tw_format__find(parser->tree->format, name);
	if (!node.field)
		return tw_tree__refuse(parser->tree, parser->token.column, "the event has no field \"%s\"", name);
	tw_parser__advance(parser);
	if (node.field->kind < TW_FIELD_STRING) {
		node.size = (uint8_t)node.field->size;
		node.is_signed = node.field->is_signed && node.field->kind != TW_FIELD_POINTER;
	} else {
		node.size = parser->tree->format->long_size;
	}
	node.is_text = node.field->kind == TW_FIELD_STRING;
	if (node.field->elem_size <= 8 && !(node.field->elem_size & (node.field->elem_size - 1)))
		node.elem_size = (uint8_t)node.field->elem_size;
	node.elem_signed = node.field->is_signed;
	return tw_parser__push_node(parser, &node);
}

/* A name without a value makes the whole entry of a table unknown; elsewhere it is refused. */
static bool unknown_name(struct tw_parser *parser, const struct tw_token *name)
{
	for (uint32_t i = parser->n_frames; i > 0; i--) {
		struct tw_frame *frame = &parser->frames[i - 1];

		if (frame->kind == TW_FRAME_CALL)
			break;
		if (frame->kind != TW_FRAME_ENTRY)
			continue;
		frame->unknown = true;
		return number(parser, 0, 4, true);
	}
	return tw_tree__refuse(parser->tree, name->column, "the value of \"%.*s\" is not known",
			       name->text.len < 64 ? (int)name->text.len : 64, name->text.at);
}

static bool word(struct tw_parser *parser, bool *ret_done)
{
	const struct tw_token name = parser->token;
	uint64_t value;

	tw_parser__advance(parser);
	if (tw_text__equals(name.text, "REC"))
		return field(parser);
	if (tw_text__equals(name.text, "sizeof"))
		return tw_parser__sizeof(parser, &value) && number(parser, value, TW_TYPE_LONG, false);
	if (tw_parser__at(parser, TW_PUNCT('(', 0)))
		return tw_parser__call(parser, &name, ret_done);
	if (tw_helper__constant(name.text, &value))
		return number(parser, value, 4, true);
	return unknown_name(parser, &name);
}

/* (REC)->field is as good as REC->field. Return: false, nothing passed, if it is not there */
static bool skip_record(struct tw_parser *parser)
{
	struct tw_parser *p = parser;
	const struct tw_lexer lexer = p->lexer;
	const struct tw_token token = p->token;

	tw_parser__advance(p);
	if (p->token.kind == TW_TOKEN_WORD && tw_text__equals(p->token.text, "REC")) {
		tw_parser__advance(p);
		if (tw_parser__at(p, TW_PUNCT(')', 0))) {
			tw_parser__advance(p);
			return true;
		}
	}
	p->lexer = lexer;
	p->token = token;
	return false;
}

static bool parenthesis(struct tw_parser *parser, bool *ret_done)
{
	struct tw_frame *frame;
	struct tw_cast cast;

	*ret_done = false;
	if (skip_record(parser)) {
		*ret_done = true;
		return field(parser);
	}
	frame = tw_parser__open(parser, TW_FRAME_PAREN);
	if (!frame)
		return false;
	if (tw_parser__cast(parser, &cast)) {
		frame->kind = TW_FRAME_CAST;
		frame->precedence = TW_PRECEDENCE_UNARY;
		frame->cast = cast;
		return true;
	}
	tw_parser__advance(parser);
	if (tw_parser__at(parser, TW_PUNCT('{', 0)))
		return tw_tree__refuse(parser->tree, frame->column, "statements are not evaluated");
	return true;
}

static bool entry(struct tw_parser *parser)
{
	const struct tw_frame *frame = parser->n_frames ? &parser->frames[parser->n_frames - 1] : NULL;

	if (!frame || frame->kind != TW_FRAME_CALL ||
	    (frame->call->helper != TW_HELPER_SYMBOLIC && frame->call->helper != TW_HELPER_FLAGS))
		return tw_tree__refuse(parser->tree, parser->token.column, "'{' is out of place");
	if (!tw_parser__open(parser, TW_FRAME_ENTRY))
		return false;
	tw_parser__advance(parser);
	return true;
}

/* `{ }`, which some kernels have for an empty table. */
static bool empty_entry(struct tw_parser *parser)
{
	const struct tw_frame *frame = parser->n_frames ? &parser->frames[parser->n_frames - 1] : NULL;

	if (!frame || frame->kind != TW_FRAME_ENTRY || frame->operands != parser->n_operands)
		return tw_tree__refuse(parser->tree, parser->token.column, "an operand is missing before '}'");
	parser->n_frames--;
	tw_parser__advance(parser);
	return true;
}

static bool punctuation(struct tw_parser *parser, bool *ret_done)
{
	*ret_done = false;
	switch (parser->token.punct) {
	case TW_PUNCT('(', 0):
		return parenthesis(parser, ret_done);
	case TW_PUNCT('{', 0):
		return entry(parser);
	case TW_PUNCT('}', 0):
		*ret_done = true;
		return empty_entry(parser);
	case TW_PUNCT('-', 0):
	case TW_PUNCT('+', 0):
	case TW_PUNCT('!', 0):
	case TW_PUNCT('~', 0):
	case TW_PUNCT('&', 0):
	case TW_PUNCT('*', 0):
		if (!tw_parser__open(parser, TW_FRAME_UNARY))
			return false;
		tw_parser__advance(parser);
		return true;
	default:
		return tw_tree__refuse(parser->tree, parser->token.column, "an operand is missing before '%c'",
				       parser->token.punct >> 8);
	}
}

bool tw_parser__operand(struct tw_parser *parser, bool *ret_done)
{
	const struct tw_token token = parser->token;

	*ret_done = true;
	switch (token.kind) {
	case TW_TOKEN_NUMBER:
		if (!number(parser, token.value, token.size, token.is_signed))
			return false;
		tw_parser__advance(parser);
		return true;
	case TW_TOKEN_STRING:
		return string(parser);
	case TW_TOKEN_WORD:
		return word(parser, ret_done);
	case TW_TOKEN_PUNCT:
		return punctuation(parser, ret_done);
	case TW_TOKEN_END:
		return tw_tree__refuse(parser->tree, token.column, "it ends where an operand is missing");
	default:
		return tw_tree__refuse(parser->tree, token.column, "this is no token of C");
	}
}
