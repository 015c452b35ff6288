/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. Expressions while they are compiled: nodes in the order in which a stack machine takes
 * them, so that the nodes of an expression lie side by side from `first` to the node itself.
 */
#ifndef TW_PRINT_EXPR_H
#define TW_PRINT_EXPR_H

#include "base/error.h"
#include "schema/format.h"
#include "schema/print/lex.h"

#define TW_EXPR_NODES_MAX   16384 /* of one print fmt; constants are folded as they come */
#define TW_EXPR_ENTRIES_MAX 8192  /* of all tables of a print fmt */
#define TW_EXPR_TEXT_MAX    65536 /* bytes of all strings of a print fmt */

enum tw_expr_kind {
	TW_EXPR_NUMBER,
	TW_EXPR_TEXT,  /* a constant string */
	TW_EXPR_FIELD, /* REC->field; with is_address what it would be with & before it */
	TW_EXPR_ARRAY, /* __get_dynamic_array(): the address of a field's bytes */
	TW_EXPR_LEN,   /* __get_dynamic_array_len() */
	TW_EXPR_STR,   /* __get_str() */
	TW_EXPR_UNARY,
	TW_EXPR_BINARY,
	TW_EXPR_CAST,
	TW_EXPR_COND,  /* a ? b : c */
	TW_EXPR_INDEX, /* a[b] */
	TW_EXPR_TABLE, /* __print_symbolic() or __print_flags() of a */
	TW_EXPR_DUMP,  /* one of the other helpers that make text: of the bytes a, and the numbers b, c ... */
};

struct tw_expr_node {
	uint8_t kind;
	uint8_t helper; /* enum tw_helper of TABLE and DUMP */
	uint8_t size;   /* of the value, bytes: 4 or 8 after an operator, as C promotes */
	bool is_signed;
	uint8_t elem_size; /* of what [] and * read from an address; 0 = not known */
	bool elem_signed;
	bool is_address;
	bool is_text; /* it has characters, not a number */
	uint8_t n_args;
	uint16_t punct; /* the operator of UNARY and BINARY */
	uint32_t first;
	uint32_t args[4];
	uint32_t column;
	union {
		uint64_t value; /* NUMBER */
		struct {
			uint32_t at, len; /* TEXT: in the strings; TABLE: at in the tables */
		};
	};
	const struct tw_field *field; /* FIELD, ARRAY, LEN, STR */
};

/* A word for a value. */
struct tw_expr_word {
	uint64_t value;
	uint32_t text; /* in the strings */
};

struct tw_expr_table {
	uint32_t first, n;  /* entries */
	uint32_t delimiter; /* in the strings */
	uint32_t delimiter_len;
	bool is_flags;
	const struct tw_field *field; /* whose value is looked up; NULL = an expression */
};

/* All that is known while a print fmt is compiled. */
struct tw_expr {
	const struct tw_format *format;
	struct tw_expr_node *nodes;
	struct tw_expr_word *entries;
	struct tw_expr_table *tables;
	char *strings; /* each with a NUL behind it */
	uint32_t n_nodes, n_entries, n_tables, n_strings;
	uint32_t nodes_size, entries_size, tables_size, strings_size;
	bool no_memory;
	struct tw_error refusal;
};

/** tw_expr__free() - what it points to */
void tw_expr__free(struct tw_expr *expr);

/** tw_expr__refuse() - Return: false; the first refusal stays */
__attribute__((format(printf, 3, 4))) bool tw_expr__refuse(struct tw_expr *expr, uint32_t column, const char *fmt, ...);

/** tw_expr__grow() - room for one more of @n in an array. Return: the array, maybe moved; NULL if refused */
void *tw_expr__grow(struct tw_expr *expr, void *array, uint32_t n, uint32_t *size, size_t element, uint32_t max);

/** tw_expr__add() - Return: the new node's index in @ret; false if refused */
bool tw_expr__add(struct tw_expr *expr, const struct tw_expr_node *node, uint32_t *ret);

/** tw_expr__string() - take in a string token's inside, joined to the last one if @join; @ret_at where it is */
bool tw_expr__string(struct tw_expr *expr, const struct tw_lex_token *token, bool join, uint32_t *ret_at);

/** tw_expr__literal() - the same with a text that has no quotes */
bool tw_expr__literal(struct tw_expr *expr, const char *text, uint32_t *ret_at);

/** tw_expr__unary(), tw_expr__binary(), tw_expr__cond() - an operator's node, folded if it can be */
bool tw_expr__unary(struct tw_expr *expr, uint16_t punct, uint32_t column, uint32_t a, uint32_t *ret);
bool tw_expr__binary(struct tw_expr *expr, uint16_t punct, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret);
bool tw_expr__cond(struct tw_expr *expr, uint32_t column, uint32_t a, uint32_t b, uint32_t c, uint32_t *ret);

/** tw_expr__index() - a[b] */
bool tw_expr__index(struct tw_expr *expr, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret);

/* The type of a cast. */
struct tw_expr_cast {
	uint8_t size; /* bytes; 0 = not known, changes nothing */
	bool is_signed;
	uint8_t pointers; /* stars */
};

/** tw_expr__cast() - (type)a */
bool tw_expr__cast(struct tw_expr *expr, uint32_t column, struct tw_expr_cast cast, uint32_t a, uint32_t *ret);

/** tw_expr__peel() - what is cast, without the casts that leave all of it */
uint32_t tw_expr__peel(const struct tw_expr *expr, uint32_t node);

/** tw_expr_node__is_bytes() - it is an address in the record, not a value */
bool tw_expr_node__is_bytes(const struct tw_expr_node *node);

/** tw_expr__need_number() - refuse what is none. Return: whether it is one */
bool tw_expr__need_number(struct tw_expr *expr, uint32_t node);

#endif
