/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. From tokens to nodes: operator precedence with two stacks of a fixed size, so that no
 * text makes the parser recurse.
 */
#ifndef TW_PRINT_PARSE_H
#define TW_PRINT_PARSE_H

#include "schema/print/expr.h"

#define TW_PARSE_DEPTH_MAX 256 /* operators and parentheses that are open at one place of a print fmt */

#define TW_PRECEDENCE_UNARY 11 /* above all operators of two operands */

enum tw_helper {
	TW_HELPER_STR, /* from here on the argument is the bare name of a field */
	TW_HELPER_ARRAY_OF,
	TW_HELPER_LEN_OF,
	TW_HELPER_BITMASK,
	TW_HELPER_CPUMASK,
	TW_HELPER_SOCKADDR,
	TW_HELPER_DYNAMIC_ARRAY,
	TW_HELPER_SYMBOLIC, /* from here on they are expressions */
	TW_HELPER_FLAGS,
	TW_HELPER_HEX,
	TW_HELPER_HEX_STR,
	TW_HELPER_ARRAY,
	TW_HELPER_HEX_DUMP,
	TW_HELPER_SECS,
	TW_HELPER_SECS_REST,
	TW_HELPER_FIRST, /* the value of its first argument */
	TW_HELPER_CHOOSE,
	TW_HELPER_WORDS, /* a list of words by number, which the kernel has in its code */
};

struct tw_helper_call {
	const char *name;
	uint8_t helper;           /* enum tw_helper */
	uint8_t n_args;           /* expressions; table entries are not counted */
	bool wide;                /* 64 bits on every host */
	const char *const *words; /* WORDS: NULL behind the last but one; the last is for all other values */
};

enum tw_parse_kind {
	TW_PARSE_UNARY,
	TW_PARSE_BINARY,
	TW_PARSE_CAST,
	TW_PARSE_COND, /* between ? and : */
	TW_PARSE_ELSE, /* behind the : */
	TW_PARSE_PAREN,
	TW_PARSE_INDEX,
	TW_PARSE_CALL,
	TW_PARSE_ENTRY, /* between the braces of a table's entry */
};

/* Something that waits for its last operand. */
struct tw_parse_frame {
	uint8_t kind;
	uint8_t precedence;
	bool unknown; /* ENTRY: a name in it has no value that we know */
	uint16_t punct;
	struct tw_expr_cast cast;
	const struct tw_helper_call *call;
	uint32_t operands; /* how many there were before it */
	uint32_t entries;  /* the same of table entries */
	uint32_t column;
};

struct tw_parser {
	struct tw_expr *expr;
	struct tw_lexer lexer;
	struct tw_lex_token token; /* the one being looked at */
	uint32_t operands[TW_PARSE_DEPTH_MAX];
	uint32_t n_operands, n_frames;
	struct tw_parse_frame frames[TW_PARSE_DEPTH_MAX];
};

/** tw_parser__advance() - look at the next token */
void tw_parser__advance(struct tw_parser *parser);

/** tw_parser__at() - whether the token is that punctuation; tw_parser__expect() - the same; refused if not, else passed */
bool tw_parser__at(const struct tw_parser *parser, uint16_t punct);
bool tw_parser__expect(struct tw_parser *parser, char punct);

/** tw_parser__field() - the field whose name the token is. Return: NULL if it is none */
const struct tw_field *tw_parser__field(const struct tw_parser *parser);

/** tw_parser__string() - take one string or several side by side into the expression's; the token is on the first */
bool tw_parser__string(struct tw_parser *parser, uint32_t *ret_at);

/** tw_parser__push_node() - an operand, made here */
bool tw_parser__push_node(struct tw_parser *parser, const struct tw_expr_node *node);

/** tw_parser__open() - a frame. Return: NULL if refused */
struct tw_parse_frame *tw_parser__open(struct tw_parser *parser, enum tw_parse_kind kind);

/** tw_parser__expression() - one argument of the print fmt; stops at its comma or at the end */
bool tw_parser__expression(struct tw_parser *parser, uint32_t *ret);

/* In calls.c: */

/** tw_helper__constant() - the value of a kernel's enumerator or macro. Return: false if it is not known */
bool tw_helper__constant(struct tw_text name, uint64_t *ret);

/** tw_parser__call() - the token is on the parenthesis behind a function's name; @ret_done: an operand is complete */
bool tw_parser__call(struct tw_parser *parser, const struct tw_lex_token *name, bool *ret_done);

/** tw_parser__close_call() - all arguments of a call are there: its frame is the last */
bool tw_parser__close_call(struct tw_parser *parser);

/** tw_parser__close_entry() - the two operands of a table's entry are there */
bool tw_parser__close_entry(struct tw_parser *parser);

#endif
