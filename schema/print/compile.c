/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole print fmt: its format string, and an argument for each conversion in it. */
#include "schema/print/compile.h"

#include <errno.h>
#include <stdlib.h>

#include "schema/print/generate.h"

struct compiler {
	struct tw_parser parser;
	struct tw_expr expr;
	struct tw_generator gen;
};

/* The format string, side by side with others or alone. */
static bool read_format(struct compiler *c, uint32_t *ret_at)
{
	bool join = false;

	tw_parser__advance(&c->parser);
	if (c->parser.token.kind != TW_LEX_STRING)
		return tw_expr__refuse(&c->expr, c->parser.token.column, "it does not begin with a format string");
	while (c->parser.token.kind == TW_LEX_STRING) {
		if (!tw_expr__string(&c->expr, &c->parser.token, join, ret_at))
			return false;
		join = true;
		tw_parser__advance(&c->parser);
	}
	return true;
}

static bool next_argument(struct compiler *c, uint32_t *ret)
{
	if (!tw_parser__at(&c->parser, TW_PUNCT(',', 0)))
		return tw_expr__refuse(&c->expr, c->parser.token.column, "an argument is missing for a conversion");
	tw_parser__advance(&c->parser);
	return tw_parser__expression(&c->parser, ret);
}

/* The arguments of one conversion; the nodes of those before it are not needed any more. */
static bool convert(struct compiler *c, struct tw_text *text)
{
	struct tw_conversion conversion;
	uint32_t stars[2] = { 0 }, n = 0, node;

	if (!tw_conversion__parse(text, c->expr.format->long_size, &conversion))
		return tw_expr__refuse(&c->expr, 1, "the conversion \"%.*s\" is not known",
				       text->len < 16 ? (int)text->len : 16, text->at);
	c->expr.n_nodes = 0;
	if (conversion.star_width && !next_argument(c, &stars[n++]))
		return false;
	if (conversion.star_precision && !next_argument(c, &stars[n++]))
		return false;
	return next_argument(c, &node) && tw_generate__argument(&c->gen, &conversion, stars, node);
}

/* Up to a conversion or a tab. */
static size_t constant_length(struct tw_text text)
{
	size_t len = 0;

	while (len < text.len && text.at[len] != '%' && text.at[len] != '\t')
		len++;
	return len;
}

static bool read_pieces(struct compiler *c, struct tw_text text)
{
	while (text.len) {
		size_t len = constant_length(text);

		if (len == 0 && *text.at == '\t') {
			if (!tw_generate__op(&c->gen, TW_OP_TAB))
				return false;
			tw_text__cut(&text, 1);
			continue;
		}
		if (len == 0 && text.len > 1 && text.at[1] == '%') {
			tw_text__cut(&text, 1);
			len = 1;
		} else if (len == 0) {
			if (!convert(c, &text))
				return false;
			continue;
		}
		if (!tw_generate__text(&c->gen, text.at, len))
			return false;
		tw_text__cut(&text, len);
	}
	return true;
}

static bool compile(struct compiler *c)
{
	uint32_t at, len;
	struct tw_text text;
	char *copy;
	bool ok;

	if (!read_format(c, &at))
		return false;
	len = c->expr.n_strings - at - 1;
	copy = malloc(len + 1); /* the strings move while arguments are read */
	if (!copy) {
		c->expr.no_memory = true;
		return false;
	}
	memcpy(copy, c->expr.strings + at, len);
	text = (struct tw_text){ copy, len };
	ok = read_pieces(c, text) && tw_generate__op(&c->gen, TW_OP_END) && tw_generate__tables(&c->gen);
	free(copy);
	return ok;
}

int tw_print__compile(struct tw_print *print)
{
	const char *text = print->format->print_fmt;
	struct compiler *c = calloc(1, sizeof(*c));
	int err = 0;

	if (!c)
		return -ENOMEM;
	c->expr.format = print->format;
	c->parser.expr = &c->expr;
	c->parser.lexer = (struct tw_lexer){ .left = { text, strlen(text) }, .begin = text };
	c->gen = (struct tw_generator){ .expr = &c->expr, .print = print };
	if (!compile(c))
		err = c->expr.refusal.text[0] ? -EINVAL : -ENOMEM;
	print->why = c->expr.refusal;
	tw_expr__free(&c->expr);
	free(c);
	return err;
}
