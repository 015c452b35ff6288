/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of the kernel's helpers. */
#include "schema/print.h"
#include "schema/print/parse.h"

/* __get_str(name) and its like: the argument is no expression. The token is on it. */
static const struct tw_field *named_field(struct tw_parser *parser)
{
	const struct tw_field *field = NULL;
	char name[128];

	if (parser->token.kind == TW_TOKEN_WORD && parser->token.text.len < sizeof(name)) {
		memcpy(name, parser->token.text.at, parser->token.text.len);
		name[parser->token.text.len] = '\0';
		field = tw_format__find(parser->tree->format, name);
	}
	if (!field)
		tw_tree__refuse(parser->tree, parser->token.column, "the name of a field is expected here");
	else if (field->place != TW_PLACE_DATA_LOC && field->place != TW_PLACE_REL_LOC)
		tw_tree__refuse(parser->tree, parser->token.column, "\"%s\" is at a fixed place of the record", name);
	else
		tw_parser__advance(parser);
	return field && !parser->tree->refusal.text[0] ? field : NULL;
}

static uint8_t element_size(const struct tw_field *field)
{
	const uint16_t size = field->elem_size;

	return size == 1 || size == 2 || size == 4 || size == 8 ? (uint8_t)size : 0;
}

static bool call_on_field(struct tw_parser *parser, const struct tw_helper_call *call)
{
	struct tw_node node = { .helper = call->helper,
				.column = parser->token.column,
				.size = parser->tree->format->long_size };

	node.field = named_field(parser);
	if (!node.field)
		return false;
	node.elem_size = element_size(node.field);
	node.elem_signed = node.field->is_signed;
	switch (call->helper) {
	case TW_HELPER_LEN_OF:
		node.kind = TW_NODE_LEN;
		node.size = 4; /* a u32 shifted to the right by 16 and masked */
		node.is_signed = true;
		break;
	case TW_HELPER_STR:
		node.kind = TW_NODE_STR;
		node.is_text = true;
		node.elem_size = 1;
		node.elem_signed = true;
		break;
	case TW_HELPER_ARRAY_OF:
	case TW_HELPER_SOCKADDR:
		node.kind = TW_NODE_ARRAY;
		break;
	default:
		node.kind = TW_NODE_DUMP;
		node.is_text = true;
	}
	return tw_parser__push_node(parser, &node) && tw_parser__expect(parser, ')');
}

/* __print_dynamic_array(name, size): elements of that size up to the array's end. */
static bool dynamic_array(struct tw_parser *parser, struct tw_frame *frame)
{
	struct tw_node node = { .kind = TW_NODE_ARRAY, .column = parser->token.column };

	node.field = named_field(parser);
	if (!node.field || !tw_parser__push_node(parser, &node))
		return false;
	frame->operands = parser->n_operands - 1;
	return tw_parser__expect(parser, ',');
}

bool tw_parser__call(struct tw_parser *parser, const struct tw_token *name, bool *ret_done)
{
	const struct tw_helper_call *call = tw_helper__find(name->text);
	struct tw_frame *frame;

	if (!call)
		return tw_tree__refuse(parser->tree, name->column, "the function %.*s() is not known",
				       name->text.len < 64 ? (int)name->text.len : 64, name->text.at);
	tw_parser__advance(parser);
	*ret_done = call->helper < TW_HELPER_DYNAMIC_ARRAY;
	if (*ret_done)
		return call_on_field(parser, call);
	frame = tw_parser__open(parser, TW_FRAME_CALL);
	if (!frame)
		return false;
	frame->call = call;
	frame->column = name->column;
	return call->helper != TW_HELPER_DYNAMIC_ARRAY || dynamic_array(parser, frame);
}

/* (prefix, prefix_type, rowsize, groupsize, buf, len, ascii): all but buf and len are constants, kept in one number. */
static bool take_dump_shape(struct tw_tree *tree, const uint32_t *operands, struct tw_node *node)
{
	static const uint8_t constants[] = { 1, 2, 3, 6 };
	uint64_t value[7] = { 0 };

	if (tree->nodes[operands[0]].kind != TW_NODE_TEXT)
		return tw_tree__refuse(tree, node->column, "the prefix of the lines is not constant");
	for (size_t i = 0; i < sizeof(constants); i++) {
		if (tree->nodes[operands[constants[i]]].kind != TW_NODE_NUMBER)
			return tw_tree__refuse(tree, node->column, "the shape of the lines is not constant");
		value[constants[i]] = tree->nodes[operands[constants[i]]].value;
	}
	node->args[2] = operands[0];
	node->args[3] = operands[3];
	tree->nodes[operands[3]].value =
		(value[1] & 0xff) << 24 | (value[2] & 0xff) << 16 | (value[3] & 0xff) << 8 | (value[6] != 0);
	return true;
}

static bool take_element_size(struct tw_tree *tree, uint32_t size, struct tw_node *node)
{
	const uint64_t value = tree->nodes[size].value;

	if (tree->nodes[size].kind != TW_NODE_NUMBER)
		return tw_tree__refuse(tree, node->column, "the size of the elements is not constant");
	if (value != 1 && value != 2 && value != 4 && value != 8)
		return tw_tree__refuse(tree, node->column, "the elements are not of 1, 2, 4 or 8 bytes");
	node->elem_size = (uint8_t)value;
	return true;
}

/* Bytes and how many of them; of an array also the size of its elements. */
static bool dump_call(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands)
{
	struct tw_tree *tree = parser->tree;
	struct tw_node node = { .kind = TW_NODE_DUMP,
				.helper = frame->call->helper,
				.is_text = true,
				.n_args = frame->call->helper == TW_HELPER_DYNAMIC_ARRAY ? 1 : 2,
				.column = frame->column };

	if (node.helper == TW_HELPER_HEX_DUMP) {
		if (!take_dump_shape(tree, operands, &node))
			return false;
		operands += 4;
	}
	node.args[0] = operands[0];
	node.args[1] = operands[1];
	if (!tw_node__is_bytes(&tree->nodes[operands[0]]))
		return tw_tree__refuse(tree, frame->column, "what is printed is not in the record");
	if (node.helper == TW_HELPER_ARRAY && !take_element_size(tree, operands[2], &node))
		return false;
	if (node.helper == TW_HELPER_DYNAMIC_ARRAY && !take_element_size(tree, operands[1], &node))
		return false;
	if (node.n_args == 2 && !tw_tree__need_number(tree, node.args[1]))
		return false;
	node.first = tree->nodes[node.args[0]].first;
	return tw_tree__add(tree, &node, &parser->operands[frame->operands]);
}

/* An argument of a call that stands for a number: divided, or the remainder. */
static bool seconds_call(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands)
{
	const bool rest = frame->call->helper == TW_HELPER_SECS_REST;
	struct tw_tree *tree = parser->tree;
	uint32_t billion;

	return tw_tree__cast(tree, frame->column, (struct tw_cast){ .size = 8 }, operands[0], &operands[0]) &&
	       tw_tree__add(tree, &(struct tw_node){ .kind = TW_NODE_NUMBER, .size = 8, .value = 1000000000 },
			    &billion) &&
	       tw_tree__binary(tree, rest ? TW_PUNCT('%', 0) : TW_PUNCT('/', 0), frame->column, operands[0], billion,
			       &operands[0]) &&
	       (!rest || tw_tree__cast(tree, frame->column, (struct tw_cast){ .size = 4 }, operands[0], &operands[0]));
}

static bool finish_call(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands)
{
	struct tw_tree *tree = parser->tree;

	switch (frame->call->helper) {
	case TW_HELPER_SYMBOLIC:
	case TW_HELPER_FLAGS:
		return tw_parser__table(parser, frame, operands);
	case TW_HELPER_SECS:
	case TW_HELPER_SECS_REST:
		return seconds_call(parser, frame, operands);
	case TW_HELPER_FIRST: /* what follows it is not needed any more */
		if (frame->call->n_args > 1)
			tree->n_nodes = tree->nodes[operands[1]].first;
		return true;
	case TW_HELPER_CHOOSE:
		return tw_tree__cond(parser->tree, frame->column, operands[0], operands[1], operands[2], &operands[0]);
	case TW_HELPER_WORDS:
		return tw_parser__words(parser, frame, operands);
	default:
		return dump_call(parser, frame, operands);
	}
}

bool tw_parser__close_call(struct tw_parser *parser)
{
	const struct tw_frame frame = parser->frames[parser->n_frames - 1];
	const uint32_t n = parser->n_operands - frame.operands;
	const uint32_t expected = frame.call->n_args + (frame.call->helper == TW_HELPER_DYNAMIC_ARRAY ? 1u : 0u);

	if (n != expected)
		return tw_tree__refuse(parser->tree, frame.column, "%s() has %u arguments, not %u", frame.call->name,
				       expected, n);
	if (!finish_call(parser, &frame, &parser->operands[frame.operands]))
		return false;
	parser->n_operands = frame.operands + 1;
	parser->n_frames--;
	return true;
}
