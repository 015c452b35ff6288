/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser's stacks, and its turns between operands and what stands between them. */
#include "schema/print/parse.h"

void tw_parser__advance(struct tw_parser *parser)
{
	tw_lexer__next(&parser->lexer, &parser->token);
}

bool tw_parser__at(const struct tw_parser *parser, uint16_t punct)
{
	return parser->token.kind == TW_TOKEN_PUNCT && parser->token.punct == punct;
}

bool tw_parser__expect(struct tw_parser *parser, char punct)
{
	if (!tw_parser__at(parser, TW_PUNCT(punct, 0)))
		return tw_tree__refuse(parser->tree, parser->token.column, "'%c' is missing", punct);
	tw_parser__advance(parser);
	return true;
}

bool tw_parser__push(struct tw_parser *parser, uint32_t node)
{
	if (parser->n_operands == TW_PARSE_DEPTH_MAX)
		return tw_tree__refuse(parser->tree, parser->token.column, "it nests deeper than %u",
				       TW_PARSE_DEPTH_MAX);
	parser->operands[parser->n_operands++] = node;
	return true;
}

bool tw_parser__push_node(struct tw_parser *parser, const struct tw_node *node)
{
	uint32_t i;

	return tw_tree__add(parser->tree, node, &i) && tw_parser__push(parser, i);
}

struct tw_frame *tw_parser__open(struct tw_parser *parser, enum tw_frame_kind kind)
{
	struct tw_frame *frame;

	if (parser->n_frames == TW_PARSE_DEPTH_MAX) {
		tw_tree__refuse(parser->tree, parser->token.column, "it nests deeper than %u", TW_PARSE_DEPTH_MAX);
		return NULL;
	}
	frame = &parser->frames[parser->n_frames++];
	*frame = (struct tw_frame){ .kind = (uint8_t)kind,
				    .punct = parser->token.punct,
				    .column = parser->token.column,
				    .operands = parser->n_operands,
				    .entries = parser->tree->n_entries };
	if (kind == TW_FRAME_UNARY || kind == TW_FRAME_CAST)
		frame->precedence = TW_PRECEDENCE_UNARY;
	return frame;
}

bool tw_parser__expression(struct tw_parser *parser, uint32_t *ret)
{
	bool operand = true, end = false, done = false;

	parser->n_operands = 0;
	parser->n_frames = 0;
	while (!end) {
		if (!operand) {
			if (!tw_parser__operator(parser, &operand, &end))
				return false;
		} else {
			if (!tw_parser__operand(parser, &done))
				return false;
			operand = !done;
		}
	}
	*ret = parser->operands[0];
	return true;
}
