/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. The parser makes nodes from tokens, by operator precedence. It uses two stacks of a fixed size instead of
 * recursion. Functions that return bool return false if the print fmt is refused or if out of memory, except where noted.
 */
#ifndef TW_PRINT_PARSE_H
#define TW_PRINT_PARSE_H

#include "schema/print/expr.h"

#define TW_PARSE_DEPTH_MAX 256 /* limit of operators and parentheses that are open at the same time */

#define TW_PRECEDENCE_UNARY 11 /* above all binary operators */

enum tw_helper {
	TW_HELPER_STR, /* this helper and the next ones take the bare name of a field */
	TW_HELPER_ARRAY_OF,
	TW_HELPER_LEN_OF,
	TW_HELPER_BITMASK,
	TW_HELPER_CPUMASK,
	TW_HELPER_SOCKADDR,
	TW_HELPER_DYNAMIC_ARRAY,
	TW_HELPER_SYMBOLIC, /* this helper and the next ones take expressions */
	TW_HELPER_FLAGS,
	TW_HELPER_HEX,
	TW_HELPER_HEX_STR,
	TW_HELPER_ARRAY,
	TW_HELPER_HEX_DUMP,
	TW_HELPER_SECS,
	TW_HELPER_SECS_REST,
	TW_HELPER_FIRST, /* its value is that of its first argument */
	TW_HELPER_CHOOSE,
	TW_HELPER_WORDS, /* a word for each number, from a table in the kernel's code */
};

struct tw_helper_call {
	const char *name;
	uint8_t helper;           /* enum tw_helper */
	uint8_t n_args;           /* number of arguments that are expressions; table entries are not counted */
	bool wide;                /* the value has 64 bits on every host */
	const char *const *words; /* WORDS: names of 0, 1, 2 ..., NULL, and the name of all other values */
};

enum tw_parse_kind {
	TW_PARSE_UNARY,
	TW_PARSE_BINARY,
	TW_PARSE_CAST,
	TW_PARSE_COND, /* between ? and : */
	TW_PARSE_ELSE, /* after the : */
	TW_PARSE_PAREN,
	TW_PARSE_INDEX,
	TW_PARSE_CALL,
	TW_PARSE_ENTRY, /* inside the braces of a table's entry */
};

/* An operator or bracket that waits for its last operand. */
struct tw_parse_frame {
	uint8_t kind;
	uint8_t precedence;
	bool unknown; /* ENTRY: the entry contains a name with an unknown value */
	uint16_t punct;
	struct tw_expr_cast cast;
	const struct tw_helper_call *call;
	uint32_t operands; /* number of operands before the frame */
	uint32_t entries;  /* number of table entries before the frame */
	uint32_t column;
};

struct tw_parser {
	struct tw_expr *expr;
	struct tw_lexer lexer;
	struct tw_lex_token token; /* the current token */
	uint32_t operands[TW_PARSE_DEPTH_MAX];
	uint32_t n_operands, n_frames;
	struct tw_parse_frame frames[TW_PARSE_DEPTH_MAX];
};

/** tw_parser__advance() - go to the next token */
void tw_parser__advance(struct tw_parser *parser);

/** tw_parser__at() - whether the current token is @punct; tw_parser__expect(): skip the token if it is @punct, otherwise refuse it */
bool tw_parser__at(const struct tw_parser *parser, uint16_t punct);
bool tw_parser__expect(struct tw_parser *parser, char punct);

/** tw_parser__field() - the field named by the current token. Return: NULL if there is none */
const struct tw_field *tw_parser__field(const struct tw_parser *parser);

/** tw_parser__string() - add adjacent string tokens, the first of which is the current token, as one string; @ret_at: its offset */
bool tw_parser__string(struct tw_parser *parser, uint32_t *ret_at);

/** tw_parser__push_node() - add a node, and push it as an operand */
bool tw_parser__push_node(struct tw_parser *parser, const struct tw_expr_node *node);

/** tw_parser__open() - push a frame. Return: NULL if refused */
struct tw_parse_frame *tw_parser__open(struct tw_parser *parser, enum tw_parse_kind kind);

/** tw_parser__expression() - parse one argument of the print fmt, up to the comma after it or the end; @ret: its node */
bool tw_parser__expression(struct tw_parser *parser, uint32_t *ret);

/* The next functions are in calls.c. */

/** tw_helper__constant() - the value of an enumerator or macro of the kernel. Return: false if it is unknown */
bool tw_helper__constant(struct tw_text name, uint64_t *ret);

/** tw_parser__call() - begin a call at the parenthesis after the function's name; @ret_done: whether the call is already complete */
bool tw_parser__call(struct tw_parser *parser, const struct tw_lex_token *name, bool *ret_done);

/** tw_parser__close_call() - replace the last frame, a call with all its arguments, by an operand */
bool tw_parser__close_call(struct tw_parser *parser);

/** tw_parser__close_entry() - remove the last frame, a table's entry, with its two operands, and append the entry to expr->entries */
bool tw_parser__close_entry(struct tw_parser *parser);

#endif
