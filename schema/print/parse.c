/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of a print fmt's arguments. This file contains, in this order: the parser's stacks, types in parentheses, the tokens of an
 * operand, the tokens after an operand, and the loop that alternates between operands and the tokens after them. Calls of helpers are in
 * calls.c.
 */
#include "schema/print/parse.h"

#include "schema/type.h"

#define PRECEDENCE_COND 0

/* Refuses the current token. */
#define refuse(parser, ...) tw_expr__refuse((parser)->expr, (parser)->token.column, __VA_ARGS__)

void tw_parser__advance(struct tw_parser *parser)
{
	tw_lexer__next(&parser->lexer, &parser->token);
}

bool tw_parser__at(const struct tw_parser *parser, uint16_t punct)
{
	return parser->token.kind == TW_LEX_PUNCT && parser->token.punct == punct;
}

bool tw_parser__expect(struct tw_parser *parser, char punct)
{
	if (!tw_parser__at(parser, TW_PUNCT(punct, 0)))
		return refuse(parser, "'%c' is missing", punct);
	tw_parser__advance(parser);
	return true;
}

static bool push(struct tw_parser *parser, uint32_t node)
{
	if (parser->n_operands == TW_PARSE_DEPTH_MAX)
		return refuse(parser, "the expression nests deeper than %u levels", TW_PARSE_DEPTH_MAX);
	parser->operands[parser->n_operands++] = node;
	return true;
}

const struct tw_field *tw_parser__field(const struct tw_parser *parser)
{
	const struct tw_format *format = parser->expr->format;

	for (uint16_t i = 0; parser->token.kind == TW_LEX_WORD && i < format->n_fields; i++)
		if (tw_text__equals(parser->token.text, format->fields[i].name))
			return &format->fields[i];
	return NULL;
}

bool tw_parser__push_node(struct tw_parser *parser, const struct tw_expr_node *node)
{
	uint32_t i;

	return tw_expr__add(parser->expr, node, &i) && push(parser, i);
}

struct tw_parse_frame *tw_parser__open(struct tw_parser *parser, enum tw_parse_kind kind)
{
	struct tw_parse_frame *frame;

	if (parser->n_frames == TW_PARSE_DEPTH_MAX) {
		refuse(parser, "the expression nests deeper than %u levels", TW_PARSE_DEPTH_MAX);
		return NULL;
	}
	frame = &parser->frames[parser->n_frames++];
	*frame = (struct tw_parse_frame){ .kind = (uint8_t)kind,
					  .punct = parser->token.punct,
					  .column = parser->token.column,
					  .operands = parser->n_operands,
					  .entries = parser->expr->n_entries };
	if (kind == TW_PARSE_UNARY || kind == TW_PARSE_CAST)
		frame->precedence = TW_PRECEDENCE_UNARY;
	return frame;
}

/* Return: the last open frame; NULL if there is none */
static struct tw_parse_frame *innermost(struct tw_parser *parser)
{
	return parser->n_frames ? &parser->frames[parser->n_frames - 1] : NULL;
}

/* A type whose words are being read. */
struct cast_words {
	struct tw_expr_cast type;
	unsigned int longs;
	bool any, known; /* any: a word was read; known: a word that occurs only in types was read, or a `*` */
	bool is_void;
};

/*
 * More integer types than schema/type.c has. Only casts need these types, because formats state the size and sign of each field. A cast to
 * an unknown type keeps the operand's type.
 */
static const struct tw_type_name typedefs[] = {
	{ "gfp_t", 4, false, TW_FIELD_UINT },
	{ "blk_opf_t", 4, false, TW_FIELD_UINT },
	{ "fmode_t", 4, false, TW_FIELD_UINT },
	{ "umode_t", 2, false, TW_FIELD_UINT },
	{ "dev_t", 4, false, TW_FIELD_UINT },
	{ "vm_fault_t", 4, false, TW_FIELD_UINT },
	{ "__kernel_rwf_t", 4, true, TW_FIELD_INT },
	{ "slab_flags_t", 4, false, TW_FIELD_UINT },
	{ "ino_t", TW_TYPE_LONG, false, TW_FIELD_UINT },
	{ "pgoff_t", TW_TYPE_LONG, false, TW_FIELD_UINT },
};

static bool read_typedef(struct cast_words *words, struct tw_text name)
{
	const struct tw_type_name *type = tw_type_name__find(name);

	for (size_t i = 0; !type && i < sizeof(typedefs) / sizeof(typedefs[0]); i++)
		if (tw_text__equals(name, typedefs[i].name))
			type = &typedefs[i];
	if (!type)
		return false;
	words->type.size = type->size;
	words->type.is_signed = type->is_signed;
	return true;
}

/* Reads a keyword of C. Return: false if @name is not a keyword */
static bool read_keyword(struct cast_words *words, struct tw_text name)
{
	if (tw_text__equals(name, "unsigned"))
		words->type.is_signed = false;
	else if (tw_text__equals(name, "short"))
		words->type.size = 2;
	else if (tw_text__equals(name, "char"))
		words->type.size = 1;
	else if (tw_text__equals(name, "long"))
		words->type.size = words->longs++ ? 8 : TW_TYPE_LONG;
	else if (tw_text__equals(name, "void"))
		words->is_void = true;
	else if (!tw_text__equals(name, "int") && !tw_text__equals(name, "signed") && !tw_text__equals(name, "const") &&
		 !tw_text__equals(name, "volatile") && !tw_text__equals(name, "__user"))
		return false;
	return true;
}

/* Reads `struct`, `union` or `enum` before a tag. Of these, only an enum has a known size. Return: false if something else follows */
static bool read_tag(struct cast_words *words, struct tw_parser *parser)
{
	const struct tw_text name = parser->token.text;

	if (!tw_text__equals(name, "struct") && !tw_text__equals(name, "union") && !tw_text__equals(name, "enum"))
		return false;
	words->type.size = tw_text__equals(name, "enum") ? 4 : 0;
	words->type.is_signed = false;
	tw_parser__advance(parser);
	return parser->token.kind == TW_LEX_WORD;
}

/* Return: whether the token can continue a type */
static bool read_word(struct cast_words *words, struct tw_parser *parser)
{
	const struct tw_text name = parser->token.text;

	if (read_tag(words, parser) || read_keyword(words, name) || read_typedef(words, name)) {
		words->known = true;
	} else {
		if (words->any)
			return false;
		words->type.size = 0;
	}
	words->any = true;
	tw_parser__advance(parser);
	return true;
}

static bool starts_operand(const struct tw_parser *parser)
{
	const uint8_t kind = parser->token.kind;

	return kind == TW_LEX_WORD || kind == TW_LEX_NUMBER || kind == TW_LEX_STRING ||
	       tw_parser__at(parser, TW_PUNCT('(', 0));
}

/* Reads a type with the closing parenthesis after it, such as `unsigned long *)`. Return: false if it is not a type */
static bool read_type(struct tw_parser *parser, struct cast_words *words)
{
	*words = (struct cast_words){ .type = { .size = 4, .is_signed = true } };
	while (parser->token.kind == TW_LEX_WORD)
		if (!read_word(words, parser))
			return false;
	while (tw_parser__at(parser, TW_PUNCT('*', 0)) && words->type.pointers < 8) {
		words->type.pointers++;
		words->known = true;
		tw_parser__advance(parser);
	}
	if (!words->any || !tw_parser__at(parser, TW_PUNCT(')', 0)))
		return false;
	tw_parser__advance(parser);
	if (words->type.size == TW_TYPE_LONG)
		words->type.size = parser->expr->format->long_size;
	if (words->is_void)
		words->type.size = 0;
	return true;
}

static bool read_cast(struct tw_parser *parser, struct tw_expr_cast *ret)
{
	const struct tw_lexer lexer = parser->lexer;
	const struct tw_lex_token token = parser->token;
	struct cast_words words;

	tw_parser__advance(parser);
	if (read_type(parser, &words) && (words.known || starts_operand(parser))) {
		*ret = words.type;
		return true;
	}
	parser->lexer = lexer;
	parser->token = token;
	return false;
}

static bool is_record(const struct tw_parser *parser)
{
	return parser->token.kind == TW_LEX_WORD && tw_text__equals(parser->token.text, "REC");
}

/* The current token is REC of REC->field. */
static bool size_of_field(struct tw_parser *parser, uint64_t *ret)
{
	const struct tw_field *field;

	tw_parser__advance(parser);
	tw_parser__advance(parser);
	field = tw_parser__field(parser);
	if (!field || field->place != TW_PLACE_FIXED)
		return refuse(parser, "the operand of sizeof is not a field of a known size");
	*ret = field->size;
	tw_parser__advance(parser);
	return tw_parser__expect(parser, ')');
}

static bool read_sizeof(struct tw_parser *parser, uint64_t *ret)
{
	const uint32_t column = parser->token.column;
	struct cast_words words;

	if (!tw_parser__expect(parser, '('))
		return false;
	if (is_record(parser))
		return size_of_field(parser, ret);
	if (!read_type(parser, &words) || (!words.type.size && !words.type.pointers))
		return tw_expr__refuse(parser->expr, column, "the size of this type is unknown");
	*ret = words.type.pointers ? parser->expr->format->long_size : words.type.size;
	return true;
}

static bool number(struct tw_parser *parser, uint64_t value, uint8_t size, bool is_signed)
{
	const struct tw_expr_node node = { .kind = TW_EXPR_NUMBER,
					   .size = size == TW_TYPE_LONG ? parser->expr->format->long_size : size,
					   .is_signed = is_signed,
					   .column = parser->token.column,
					   .value = value };

	return tw_parser__push_node(parser, &node);
}

bool tw_parser__string(struct tw_parser *parser, uint32_t *ret_at)
{
	for (bool join = false; parser->token.kind == TW_LEX_STRING; join = true) {
		if (!tw_expr__string(parser->expr, &parser->token, join, ret_at))
			return false;
		tw_parser__advance(parser);
	}
	return true;
}

static bool string(struct tw_parser *parser)
{
	struct tw_expr_node node = { .kind = TW_EXPR_TEXT, .is_text = true, .column = parser->token.column };

	if (!tw_parser__string(parser, &node.at))
		return false;
	node.len = parser->expr->n_strings - node.at - 1;
	return tw_parser__push_node(parser, &node);
}

/* The current token is the arrow after REC. */
static bool field(struct tw_parser *parser)
{
	struct tw_expr_node node = { .kind = TW_EXPR_FIELD, .column = parser->token.column };

	if (!tw_parser__at(parser, TW_PUNCT('-', '>')))
		return refuse(parser, "\"->\" and a field are missing after REC");
	tw_parser__advance(parser);
	if (parser->token.kind != TW_LEX_WORD)
		return refuse(parser, "the name of a field is missing");
	node.field = tw_parser__field(parser);
	if (!node.field)
		return refuse(parser, "the event has no field \"%.*s\"",
			      parser->token.text.len < 128 ? (int)parser->token.text.len : 128, parser->token.text.at);
	tw_parser__advance(parser);
	if (node.field->kind < TW_FIELD_STRING) {
		node.size = (uint8_t)node.field->size;
		node.is_signed = node.field->is_signed && node.field->kind != TW_FIELD_POINTER;
	} else {
		node.size = parser->expr->format->long_size;
	}
	node.is_text = node.field->kind == TW_FIELD_STRING;
	node.elem_size = tw_type__is_integer_size(node.field->elem_size) ? (uint8_t)node.field->elem_size : 0;
	node.elem_signed = node.field->is_signed;
	return tw_parser__push_node(parser, &node);
}

/* In an entry of a table, a name with an unknown value invalidates the entry. Elsewhere, it makes the argument that uses it unknown. */
static bool unknown_name(struct tw_parser *parser, const struct tw_lex_token *name)
{
	const struct tw_expr_node node = { .kind = TW_EXPR_UNKNOWN,
					   .size = parser->expr->format->long_size,
					   .column = name->column };

	for (uint32_t i = parser->n_frames; i > 0; i--) {
		struct tw_parse_frame *frame = &parser->frames[i - 1];

		if (frame->kind == TW_PARSE_CALL)
			break;
		if (frame->kind != TW_PARSE_ENTRY)
			continue;
		frame->unknown = true;
		return number(parser, 0, 4, true);
	}
	return tw_parser__push_node(parser, &node);
}

static bool word(struct tw_parser *parser, bool *ret_done)
{
	const struct tw_lex_token name = parser->token;
	uint64_t value;

	tw_parser__advance(parser);
	if (tw_text__equals(name.text, "REC"))
		return field(parser);
	if (tw_text__equals(name.text, "sizeof"))
		return read_sizeof(parser, &value) && number(parser, value, TW_TYPE_LONG, false);
	if (tw_parser__at(parser, TW_PUNCT('(', 0)))
		return tw_parser__call(parser, &name, ret_done);
	if (tw_helper__constant(name.text, &value))
		return number(parser, value, 4, true);
	return unknown_name(parser, &name);
}

/* Skips `(REC)`, which means the same as `REC`. Return: false, without advancing, if the parenthesis contains anything else */
static bool skip_record(struct tw_parser *parser)
{
	const struct tw_lexer lexer = parser->lexer;
	const struct tw_lex_token token = parser->token;

	tw_parser__advance(parser);
	if (is_record(parser)) {
		tw_parser__advance(parser);
		if (tw_parser__at(parser, TW_PUNCT(')', 0))) {
			tw_parser__advance(parser);
			return true;
		}
	}
	parser->lexer = lexer;
	parser->token = token;
	return false;
}

static bool parenthesis(struct tw_parser *parser, bool *ret_done)
{
	struct tw_parse_frame *frame;
	struct tw_expr_cast cast;

	*ret_done = false;
	if (skip_record(parser)) {
		*ret_done = true;
		return field(parser);
	}
	frame = tw_parser__open(parser, TW_PARSE_PAREN);
	if (!frame)
		return false;
	if (read_cast(parser, &cast)) {
		frame->kind = TW_PARSE_CAST;
		frame->precedence = TW_PRECEDENCE_UNARY;
		frame->cast = cast;
		return true;
	}
	tw_parser__advance(parser);
	if (tw_parser__at(parser, TW_PUNCT('{', 0)))
		return tw_expr__refuse(parser->expr, frame->column, "statements are not supported");
	return true;
}

static bool entry(struct tw_parser *parser)
{
	const struct tw_parse_frame *frame = innermost(parser);

	if (!frame || frame->kind != TW_PARSE_CALL ||
	    (frame->call->helper != TW_HELPER_SYMBOLIC && frame->call->helper != TW_HELPER_FLAGS))
		return refuse(parser, "'{' is not expected here");
	if (!tw_parser__open(parser, TW_PARSE_ENTRY))
		return false;
	tw_parser__advance(parser);
	return true;
}

/* Skips `{ }`, the empty table in the print fmts of some kernels. */
static bool empty_entry(struct tw_parser *parser)
{
	const struct tw_parse_frame *frame = innermost(parser);

	if (!frame || frame->kind != TW_PARSE_ENTRY || frame->operands != parser->n_operands)
		return refuse(parser, "an operand is missing before '}'");
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
		if (!tw_parser__open(parser, TW_PARSE_UNARY))
			return false;
		tw_parser__advance(parser);
		return true;
	default:
		return refuse(parser, "an operand is missing before '%c'", parser->token.punct >> 8);
	}
}

static bool read_operand(struct tw_parser *parser, bool *ret_done)
{
	const struct tw_lex_token token = parser->token;

	*ret_done = true;
	switch (token.kind) {
	case TW_LEX_NUMBER:
		if (!number(parser, token.value, token.size, token.is_signed))
			return false;
		tw_parser__advance(parser);
		return true;
	case TW_LEX_STRING:
		return string(parser);
	case TW_LEX_WORD:
		return word(parser, ret_done);
	case TW_LEX_PUNCT:
		return punctuation(parser, ret_done);
	case TW_LEX_END:
		return tw_expr__refuse(parser->expr, token.column, "an operand is missing at the end");
	default:
		return tw_expr__refuse(parser->expr, token.column, "this is not a token of C");
	}
}

/* Return: the precedence of a binary operator, above PRECEDENCE_COND; 0 for other tokens */
static uint8_t precedence_of(uint16_t punct)
{
	static const uint16_t levels[][4] = {
		{ TW_PUNCT('|', '|') },
		{ TW_PUNCT('&', '&') },
		{ TW_PUNCT('|', 0) },
		{ TW_PUNCT('^', 0) },
		{ TW_PUNCT('&', 0) },
		{ TW_PUNCT('=', '='), TW_PUNCT('!', '=') },
		{ TW_PUNCT('<', 0), TW_PUNCT('>', 0), TW_PUNCT('<', '='), TW_PUNCT('>', '=') },
		{ TW_PUNCT('<', '<'), TW_PUNCT('>', '>') },
		{ TW_PUNCT('+', 0), TW_PUNCT('-', 0) },
		{ TW_PUNCT('*', 0), TW_PUNCT('/', 0), TW_PUNCT('%', 0) },
	};

	for (uint8_t i = 0; punct && i < sizeof(levels) / sizeof(levels[0]); i++)
		for (size_t k = 0; k < 4; k++)
			if (levels[i][k] == punct)
				return i + 1;
	return 0;
}

/* & and * before an operand. */
static bool apply_address(struct tw_parser *parser, const struct tw_parse_frame *frame, uint32_t a, uint32_t *ret)
{
	struct tw_expr_node *node = &parser->expr->nodes[a];
	uint32_t zero;

	if (frame->punct == TW_PUNCT('&', 0)) {
		if (node->kind != TW_EXPR_FIELD)
			return tw_expr__refuse(parser->expr, frame->column, "& is not applied to a field");
		node->is_address = true;
		node->is_text = false;
		*ret = a;
		return true;
	}
	return tw_expr__add(parser->expr,
			    &(struct tw_expr_node){ .kind = TW_EXPR_NUMBER, .size = 4, .is_signed = true }, &zero) &&
	       tw_expr__index(parser->expr, frame->column, a, zero, ret);
}

static bool apply(struct tw_parser *parser, const struct tw_parse_frame *frame, const uint32_t *operands, uint32_t *ret)
{
	struct tw_expr *expr = parser->expr;

	switch (frame->kind) {
	case TW_PARSE_UNARY:
		if (frame->punct == TW_PUNCT('&', 0) || frame->punct == TW_PUNCT('*', 0))
			return apply_address(parser, frame, operands[0], ret);
		return tw_expr__unary(expr, frame->punct, frame->column, operands[0], ret);
	case TW_PARSE_CAST:
		return tw_expr__cast(expr, frame->column, frame->cast, operands[0], ret);
	case TW_PARSE_BINARY:
		return tw_expr__binary(expr, frame->punct, frame->column, operands[0], operands[1], ret);
	case TW_PARSE_ELSE:
		return tw_expr__cond(expr, frame->column, operands[0], operands[1], operands[2], ret);
	default:
		return tw_expr__refuse(expr, frame->column, "the part that begins here is not closed");
	}
}

/* Applies all open operators of at least this precedence. */
static bool reduce(struct tw_parser *parser, uint8_t precedence)
{
	while (parser->n_frames) {
		const struct tw_parse_frame *frame = &parser->frames[parser->n_frames - 1];
		const uint32_t n = frame->kind == TW_PARSE_ELSE ? 3 : frame->kind == TW_PARSE_BINARY ? 2 : 1;
		uint32_t *operands;

		if ((frame->kind > TW_PARSE_CAST && frame->kind != TW_PARSE_ELSE) || frame->precedence < precedence)
			break;
		operands = &parser->operands[parser->n_operands - n];
		if (!apply(parser, frame, operands, &operands[0]))
			return false;
		parser->n_operands -= n - 1;
		parser->n_frames--;
	}
	return true;
}

static bool open_operator(struct tw_parser *parser, enum tw_parse_kind kind, uint8_t precedence)
{
	struct tw_parse_frame *frame;

	/* ?: is right-associative: an open ?: is not applied yet. */
	if (!reduce(parser, kind == TW_PARSE_COND ? 1 : precedence))
		return false;
	frame = tw_parser__open(parser, kind);
	if (!frame)
		return false;
	frame->precedence = kind == TW_PARSE_COND ? PRECEDENCE_COND : precedence;
	tw_parser__advance(parser);
	return true;
}

static bool turn_to_else(struct tw_parser *parser)
{
	struct tw_parse_frame *frame;

	if (!reduce(parser, 0))
		return false;
	frame = innermost(parser);
	if (!frame || frame->kind != TW_PARSE_COND)
		return refuse(parser, "':' has no '?' before it");
	frame->kind = TW_PARSE_ELSE;
	tw_parser__advance(parser);
	return true;
}

static bool close_bracket(struct tw_parser *parser)
{
	const struct tw_parse_frame *frame = innermost(parser);
	uint32_t *operands;

	if (!frame || frame->kind != TW_PARSE_INDEX)
		return refuse(parser, "']' has no '[' before it");
	operands = &parser->operands[parser->n_operands - 2];
	if (!tw_expr__index(parser->expr, frame->column, operands[0], operands[1], &operands[0]))
		return false;
	parser->n_operands--;
	parser->n_frames--;
	tw_parser__advance(parser);
	return true;
}

static bool close_paren(struct tw_parser *parser)
{
	const struct tw_parse_frame *frame = innermost(parser);

	if (frame && frame->kind == TW_PARSE_CALL) {
		if (!tw_parser__close_call(parser))
			return false;
	} else if (frame && frame->kind == TW_PARSE_PAREN) {
		parser->n_frames--;
	} else {
		return refuse(parser, "')' has no '(' before it");
	}
	tw_parser__advance(parser);
	return true;
}

static bool close_brace(struct tw_parser *parser)
{
	const struct tw_parse_frame *frame = innermost(parser);

	if (!frame || frame->kind != TW_PARSE_ENTRY)
		return refuse(parser, "'}' has no '{' before it");
	if (!tw_parser__close_entry(parser))
		return false;
	tw_parser__advance(parser);
	if (!tw_parser__at(parser, TW_PUNCT(',', 0)) && !tw_parser__at(parser, TW_PUNCT(')', 0)))
		return refuse(parser, "',' or ')' is missing after '}'");
	return true;
}

/* A comma ends an argument of the print fmt, an argument of a call, or the value in a table's entry. */
static bool separate(struct tw_parser *parser, bool *ret_end)
{
	const struct tw_parse_frame *frame = innermost(parser);

	*ret_end = !frame;
	if (!frame)
		return true;
	if (frame->kind != TW_PARSE_CALL && frame->kind != TW_PARSE_ENTRY)
		return refuse(parser, "',' is not expected here");
	tw_parser__advance(parser);
	return true;
}

static bool close_or_end(struct tw_parser *parser, bool *ret_operand, bool *ret_end)
{
	const struct tw_lex_token *token = &parser->token;

	*ret_operand = false;
	if (!reduce(parser, 0))
		return false;
	if (token->kind == TW_LEX_END) {
		*ret_end = !parser->n_frames;
		return *ret_end || tw_expr__refuse(parser->expr, innermost(parser)->column,
						   "the part that begins here is not closed");
	}
	switch (token->kind == TW_LEX_PUNCT ? token->punct : 0) {
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
		return tw_expr__refuse(parser->expr, token->column, "\"%.*s\" is not expected here",
				       token->text.len < 32 ? (int)token->text.len : 32, token->text.at);
	}
}

static bool read_operator(struct tw_parser *parser, bool *ret_operand, bool *ret_end)
{
	const uint16_t punct = parser->token.kind == TW_LEX_PUNCT ? parser->token.punct : 0;
	const uint8_t precedence = precedence_of(punct);

	*ret_operand = true;
	if (precedence)
		return open_operator(parser, TW_PARSE_BINARY, precedence);
	if (punct == TW_PUNCT('?', 0))
		return open_operator(parser, TW_PARSE_COND, 1);
	if (punct == TW_PUNCT(':', 0))
		return turn_to_else(parser);
	if (punct == TW_PUNCT('[', 0)) {
		if (!tw_parser__open(parser, TW_PARSE_INDEX))
			return false;
		tw_parser__advance(parser);
		return true;
	}
	if (punct == TW_PUNCT('.', 0) || punct == TW_PUNCT('-', '>'))
		return refuse(parser, "access to members of structs is not supported");
	return close_or_end(parser, ret_operand, ret_end);
}

bool tw_parser__expression(struct tw_parser *parser, uint32_t *ret)
{
	bool operand = true, end = false, done = false;

	parser->n_operands = 0;
	parser->n_frames = 0;
	while (!end) {
		if (!operand) {
			if (!read_operator(parser, &operand, &end))
				return false;
		} else {
			if (!read_operand(parser, &done))
				return false;
			operand = !done;
		}
	}
	*ret = parser->operands[0];
	return true;
}
