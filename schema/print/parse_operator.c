/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands behind an operand: operators of two, ?:, brackets, and what closes. */
#include "schema/print/parse.h"

#define PRECEDENCE_COND 0

/* 0 = no operator of two operands */
static uint8_t precedence_of(uint16_t punct)
{
	switch (punct) {
	case TW_PUNCT('|', '|'):
		return 1;
	case TW_PUNCT('&', '&'):
		return 2;
	case TW_PUNCT('|', 0):
		return 3;
	case TW_PUNCT('^', 0):
		return 4;
	case TW_PUNCT('&', 0):
		return 5;
	case TW_PUNCT('=', '='):
	case TW_PUNCT('!', '='):
		return 6;
	case TW_PUNCT('<', 0):
	case TW_PUNCT('>', 0):
	case TW_PUNCT('<', '='):
	case TW_PUNCT('>', '='):
		return 7;
	case TW_PUNCT('<', '<'):
	case TW_PUNCT('>', '>'):
		return 8;
	case TW_PUNCT('+', 0):
	case TW_PUNCT('-', 0):
		return 9;
	case TW_PUNCT('*', 0):
	case TW_PUNCT('/', 0):
	case TW_PUNCT('%', 0):
		return 10;
	default:
		return 0;
	}
}

/* & and * before an operand. */
static bool apply_address(struct tw_parser *parser, const struct tw_frame *frame, uint32_t a, uint32_t *ret)
{
	struct tw_node *node = &parser->tree->nodes[a];
	uint32_t zero;

	if (frame->punct == TW_PUNCT('&', 0)) {
		if (node->kind != TW_NODE_FIELD)
			return tw_tree__refuse(parser->tree, frame->column, "the address of this is not known");
		node->is_address = true;
		node->is_text = false;
		*ret = a;
		return true;
	}
	return tw_tree__add(parser->tree, &(struct tw_node){ .kind = TW_NODE_NUMBER, .size = 4, .is_signed = true },
			    &zero) &&
	       tw_tree__index(parser->tree, frame->column, a, zero, ret);
}

static bool apply(struct tw_parser *parser, const struct tw_frame *frame, const uint32_t *operands, uint32_t *ret)
{
	struct tw_tree *tree = parser->tree;

	switch (frame->kind) {
	case TW_FRAME_UNARY:
		if (frame->punct == TW_PUNCT('&', 0) || frame->punct == TW_PUNCT('*', 0))
			return apply_address(parser, frame, operands[0], ret);
		return tw_tree__unary(tree, frame->punct, frame->column, operands[0], ret);
	case TW_FRAME_CAST:
		return tw_tree__cast(tree, frame->column, frame->cast, operands[0], ret);
	case TW_FRAME_BINARY:
		return tw_tree__binary(tree, frame->punct, frame->column, operands[0], operands[1], ret);
	case TW_FRAME_ELSE:
		return tw_tree__cond(tree, frame->column, operands[0], operands[1], operands[2], ret);
	default:
		return tw_tree__refuse(tree, frame->column, "this is not closed");
	}
}

/* Apply all open operators that bind at least as strongly. */
static bool reduce(struct tw_parser *parser, uint8_t precedence)
{
	while (parser->n_frames) {
		const struct tw_frame *frame = &parser->frames[parser->n_frames - 1];
		const uint32_t n = frame->kind == TW_FRAME_ELSE ? 3 : frame->kind == TW_FRAME_BINARY ? 2 : 1;
		uint32_t *operands;

		if ((frame->kind > TW_FRAME_CAST && frame->kind != TW_FRAME_ELSE) || frame->precedence < precedence)
			break;
		operands = &parser->operands[parser->n_operands - n];
		if (!apply(parser, frame, operands, &operands[0]))
			return false;
		parser->n_operands -= n - 1;
		parser->n_frames--;
	}
	return true;
}

/* The innermost frame that is no operator's. */
static struct tw_frame *enclosing(struct tw_parser *parser)
{
	return parser->n_frames ? &parser->frames[parser->n_frames - 1] : NULL;
}

static bool open_operator(struct tw_parser *parser, enum tw_frame_kind kind, uint8_t precedence)
{
	struct tw_frame *frame;

	/* What stands right of a ? or : takes it with it, so a chain of them goes to the right. */
	if (!reduce(parser, kind == TW_FRAME_COND ? 1 : precedence))
		return false;
	frame = tw_parser__open(parser, kind);
	if (!frame)
		return false;
	frame->precedence = kind == TW_FRAME_COND ? PRECEDENCE_COND : precedence;
	tw_parser__advance(parser);
	return true;
}

static bool turn_to_else(struct tw_parser *parser)
{
	struct tw_frame *frame;

	if (!reduce(parser, 0))
		return false;
	frame = enclosing(parser);
	if (!frame || frame->kind != TW_FRAME_COND)
		return tw_tree__refuse(parser->tree, parser->token.column, "':' has no '?' before it");
	frame->kind = TW_FRAME_ELSE;
	tw_parser__advance(parser);
	return true;
}

static bool close_bracket(struct tw_parser *parser)
{
	const struct tw_frame *frame = enclosing(parser);
	uint32_t *operands;

	if (!frame || frame->kind != TW_FRAME_INDEX)
		return tw_tree__refuse(parser->tree, parser->token.column, "']' has no '[' before it");
	operands = &parser->operands[parser->n_operands - 2];
	if (!tw_tree__index(parser->tree, frame->column, operands[0], operands[1], &operands[0]))
		return false;
	parser->n_operands--;
	parser->n_frames--;
	tw_parser__advance(parser);
	return true;
}

static bool close_paren(struct tw_parser *parser)
{
	const struct tw_frame *frame = enclosing(parser);

	if (frame && frame->kind == TW_FRAME_CALL) {
		if (!tw_parser__close_call(parser))
			return false;
	} else if (frame && frame->kind == TW_FRAME_PAREN) {
		parser->n_frames--;
	} else {
		return tw_tree__refuse(parser->tree, parser->token.column, "')' has no '(' before it");
	}
	tw_parser__advance(parser);
	return true;
}

static bool close_brace(struct tw_parser *parser)
{
	const struct tw_frame *frame = enclosing(parser);

	if (!frame || frame->kind != TW_FRAME_ENTRY)
		return tw_tree__refuse(parser->tree, parser->token.column, "'}' has no '{' before it");
	if (!tw_parser__close_entry(parser))
		return false;
	tw_parser__advance(parser);
	if (!tw_parser__at(parser, TW_PUNCT(',', 0)) && !tw_parser__at(parser, TW_PUNCT(')', 0)))
		return tw_tree__refuse(parser->tree, parser->token.column, "',' or ')' is missing behind '}'");
	return true;
}

/* A comma: the end of the argument, or the next one of a call. */
static bool separate(struct tw_parser *parser, bool *ret_end)
{
	const struct tw_frame *frame = enclosing(parser);

	*ret_end = !frame;
	if (!frame)
		return true;
	if (frame->kind != TW_FRAME_CALL && frame->kind != TW_FRAME_ENTRY)
		return tw_tree__refuse(parser->tree, parser->token.column, "',' is out of place");
	tw_parser__advance(parser);
	return true;
}

static bool close_or_end(struct tw_parser *parser, bool *ret_operand, bool *ret_end)
{
	const struct tw_token *token = &parser->token;

	*ret_operand = false;
	if (!reduce(parser, 0))
		return false;
	if (token->kind == TW_TOKEN_END) {
		*ret_end = !parser->n_frames;
		return *ret_end ||
		       tw_tree__refuse(parser->tree, enclosing(parser)->column, "this is not closed before the end");
	}
	switch (token->kind == TW_TOKEN_PUNCT ? token->punct : 0) {
	case TW_PUNCT(',', 0):
		*ret_operand = true;
		return separate(parser, ret_end);
	case TW_PUNCT(')', 0):
		return close_paren(parser);
	case TW_PUNCT(']', 0):
		return close_bracket(parser);
	case TW_PUNCT('}', 0):
		return close_brace(parser);
	default:
		return tw_tree__refuse(parser->tree, token->column, "\"%.*s\" is not expected here",
				       token->text.len < 32 ? (int)token->text.len : 32, token->text.at);
	}
}

bool tw_parser__operator(struct tw_parser *parser, bool *ret_operand, bool *ret_end)
{
	const uint16_t punct = parser->token.kind == TW_TOKEN_PUNCT ? parser->token.punct : 0;
	const uint8_t precedence = precedence_of(punct);

	*ret_operand = true;
	if (precedence)
		return open_operator(parser, TW_FRAME_BINARY, precedence);
	if (punct == TW_PUNCT('?', 0))
		return open_operator(parser, TW_FRAME_COND, 1);
	if (punct == TW_PUNCT(':', 0))
		return turn_to_else(parser);
	if (punct == TW_PUNCT('[', 0)) {
		if (!tw_parser__open(parser, TW_FRAME_INDEX))
			return false;
		tw_parser__advance(parser);
		return true;
	}
	if (punct == TW_PUNCT('.', 0) || punct == TW_PUNCT('-', '>'))
		return tw_tree__refuse(parser->tree, parser->token.column, "members of structs are not known");
	return close_or_end(parser, ret_operand, ret_end);
}
