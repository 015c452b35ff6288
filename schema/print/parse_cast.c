/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types in parentheses: casts and sizeof. */
#include "schema/print/parse.h"
#include "schema/type.h"
#include "schema/type_name.h"

/* A type as its words are read. */
struct words {
	struct tw_cast type;
	unsigned int longs;
	bool any, known; /* words; words that only a type has */
	bool is_void;
};

/* Names of integers that only print fmts have. Those not here keep the type of what is cast. */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} typedefs[] = {
	{ "gfp_t", 4, false },
	{ "blk_opf_t", 4, false },
	{ "fmode_t", 4, false },
	{ "umode_t", 2, false },
	{ "dev_t", 4, false },
	{ "vm_fault_t", 4, false },
	{ "__kernel_rwf_t", 4, true },
	{ "slab_flags_t", 4, false },
	{ "ino_t", TW_TYPE_LONG, false },
	{ "pgoff_t", TW_TYPE_LONG, false },
};

static bool read_typedef(struct words *words, struct tw_text name)
{
	const struct tw_type_name *type = tw_type_name__find(name);

	if (type) {
		words->type.size = type->size;
		words->type.is_signed = type->is_signed;
		return true;
	}
	for (size_t i = 0; i < sizeof(typedefs) / sizeof(typedefs[0]); i++) {
		if (!tw_text__equals(name, typedefs[i].name))
			continue;
		words->type.size = typedefs[i].size;
		words->type.is_signed = typedefs[i].is_signed;
		return true;
	}
	return false;
}

/* Words of the language itself. Return: false if it is none */
static bool read_keyword(struct words *words, struct tw_text name)
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

/* struct, union or enum and its name. Only an enum has a value that can be cast to. */
static bool read_tag(struct words *words, struct tw_parser *parser)
{
	const struct tw_text name = parser->token.text;

	if (!tw_text__equals(name, "struct") && !tw_text__equals(name, "union") && !tw_text__equals(name, "enum"))
		return false;
	words->type.size = tw_text__equals(name, "enum") ? 4 : 0;
	words->type.is_signed = false;
	tw_parser__advance(parser);
	return parser->token.kind == TW_TOKEN_WORD;
}

/* Return: whether the token could still be of a type */
static bool read_word(struct words *words, struct tw_parser *parser)
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

	return kind == TW_TOKEN_WORD || kind == TW_TOKEN_NUMBER || kind == TW_TOKEN_STRING ||
	       tw_parser__at(parser, TW_PUNCT('(', 0));
}

/* `unsigned long *)`, the closing parenthesis included. */
static bool read_type(struct tw_parser *parser, struct words *words)
{
	*words = (struct words){ .type = { .size = 4, .is_signed = true } };
	while (parser->token.kind == TW_TOKEN_WORD)
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
		words->type.size = parser->tree->format->long_size;
	if (words->is_void)
		words->type.size = 0;
	return true;
}

bool tw_parser__cast(struct tw_parser *parser, struct tw_cast *ret)
{
	const struct tw_lexer lexer = parser->lexer;
	const struct tw_token token = parser->token;
	struct words words;

	tw_parser__advance(parser);
	if (read_type(parser, &words) && (words.known || starts_operand(parser))) {
		*ret = words.type;
		return true;
	}
	parser->lexer = lexer;
	parser->token = token;
	return false;
}

static bool size_of_field(struct tw_parser *parser, uint64_t *ret)
{
	char name[128] = "";
	const struct tw_field *field;

	tw_parser__advance(parser);
	tw_parser__advance(parser);
	if (parser->token.kind == TW_TOKEN_WORD && parser->token.text.len < sizeof(name))
		memcpy(name, parser->token.text.at, parser->token.text.len);
	field = tw_format__find(parser->tree->format, name);
	if (!field || field->place != TW_PLACE_FIXED)
		return tw_tree__refuse(parser->tree, parser->token.column, "sizeof is of no field whose size is known");
	*ret = field->size;
	tw_parser__advance(parser);
	return tw_parser__expect(parser, ')');
}

bool tw_parser__sizeof(struct tw_parser *parser, uint64_t *ret)
{
	const uint32_t column = parser->token.column;
	struct words words;

	if (!tw_parser__expect(parser, '('))
		return false;
	if (parser->token.kind == TW_TOKEN_WORD && tw_text__equals(parser->token.text, "REC"))
		return size_of_field(parser, ret);
	if (!read_type(parser, &words) || (!words.type.size && !words.type.pointers))
		return tw_tree__refuse(parser->tree, column, "the size of this type is not known");
	*ret = words.type.pointers ? parser->tree->format->long_size : words.type.size;
	return true;
}
