/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. From tokens to nodes: operator precedence with two stacks of a fixed size, so that no
 * text makes the parser recurse.
 */
#ifndef TW_PRINT_PARSE_H
#define TW_PRINT_PARSE_H

#include "schema/print/calls.h"
#include "schema/print/tree.h"

#define TW_PARSE_DEPTH_MAX 256 /* operators and parentheses that are open at one place of a print fmt */

#define TW_PRECEDENCE_UNARY 11 /* above all operators of two operands */

enum tw_frame_kind {
	TW_FRAME_UNARY,
	TW_FRAME_BINARY,
	TW_FRAME_CAST,
	TW_FRAME_COND, /* between ? and : */
	TW_FRAME_ELSE, /* behind the : */
	TW_FRAME_PAREN,
	TW_FRAME_INDEX,
	TW_FRAME_CALL,
	TW_FRAME_ENTRY, /* between the braces of a table's entry */
};

/* Something that waits for its last operand. */
struct tw_frame {
	uint8_t kind;
	uint8_t precedence;
	bool unknown; /* ENTRY: a name in it has no value that we know */
	uint16_t punct;
	struct tw_cast cast;
	const struct tw_helper_call *call;
	uint32_t operands; /* how many there were before it */
	uint32_t entries;  /* the same of table entries */
	uint32_t column;
};

struct tw_parser {
	struct tw_tree *tree;
	struct tw_lexer lexer;
	struct tw_token token; /* the one being looked at */
	uint32_t operands[TW_PARSE_DEPTH_MAX];
	uint32_t n_operands, n_frames;
	struct tw_frame frames[TW_PARSE_DEPTH_MAX];
};

/** tw_parser__advance() - look at the next token */
void tw_parser__advance(struct tw_parser *parser);

/** tw_parser__at() - whether the token is that punctuation; tw_parser__expect() - the same; refused if not, else passed */
bool tw_parser__at(const struct tw_parser *parser, uint16_t punct);
bool tw_parser__expect(struct tw_parser *parser, char punct);

/** tw_parser__push() - an operand */
bool tw_parser__push(struct tw_parser *parser, uint32_t node);

/** tw_parser__push_node() - the same, made here */
bool tw_parser__push_node(struct tw_parser *parser, const struct tw_node *node);

/** tw_parser__open() - a frame. Return: NULL if refused */
struct tw_frame *tw_parser__open(struct tw_parser *parser, enum tw_frame_kind kind);

/** tw_parser__operand() - read what may stand in an operand's place; @ret_done: an operand is complete */
bool tw_parser__operand(struct tw_parser *parser, bool *ret_done);

/**
 * tw_parser__operator() - read what stands behind an operand
 * @ret_operand: an operand comes next; @ret_end: the expression is complete
 */
bool tw_parser__operator(struct tw_parser *parser, bool *ret_operand, bool *ret_end);

/** tw_parser__cast() - if the parenthesis that the token is on is a cast, pass it. Return: whether it was one */
bool tw_parser__cast(struct tw_parser *parser, struct tw_cast *ret);

/** tw_parser__sizeof() - the token is on what follows sizeof */
bool tw_parser__sizeof(struct tw_parser *parser, uint64_t *ret);

/** tw_parser__call() - the token is on the parenthesis behind a function's name */
bool tw_parser__call(struct tw_parser *parser, const struct tw_token *name, bool *ret_done);

/** tw_parser__close_call() - all arguments of a call are there: its frame is the last */
bool tw_parser__close_call(struct tw_parser *parser);

/** tw_parser__close_entry() - the two operands of a table's entry are there */
bool tw_parser__close_entry(struct tw_parser *parser);

/** tw_parser__table() - __print_symbolic() and __print_flags() of the operands, with the entries since the frame was opened */
bool tw_parser__table(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands);

/** tw_parser__words() - a helper that has its words in the kernel's code */
bool tw_parser__words(struct tw_parser *parser, const struct tw_frame *frame, uint32_t *operands);

/** tw_parser__expression() - one argument of the print fmt; stops at its comma or at the end */
bool tw_parser__expression(struct tw_parser *parser, uint32_t *ret);

#endif
