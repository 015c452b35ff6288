/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the print engine. Expressions during compilation. The nodes are in the order of a stack machine: operands before their
 * operator. The nodes of an expression are therefore consecutive, from its `first` node to the node of the expression itself. Functions
 * that return bool return false if the print fmt is refused or if out of memory, except where noted.
 */
#ifndef TW_PRINT_EXPR_H
#define TW_PRINT_EXPR_H

#include "base/error.h"
#include "schema/format.h"
#include "schema/print/lex.h"

#define TW_EXPR_NODES_MAX   16384 /* nodes of the arguments of one conversion, after the folding of constants */
#define TW_EXPR_ENTRIES_MAX 8192  /* entries of all tables of a print fmt; also the limit of the number of tables */
#define TW_EXPR_TEXT_MAX    65536 /* bytes of all strings of a print fmt */

enum tw_expr_kind {
	TW_EXPR_NUMBER,
	TW_EXPR_UNKNOWN, /* a variable or constant of the kernel whose value the format does not give: vmemmap_base, jiffies */
	TW_EXPR_TEXT,  /* a constant string */
	TW_EXPR_FIELD, /* REC->field; with is_address, &REC->field */
	TW_EXPR_ARRAY, /* __get_dynamic_array(): the address of a field's bytes */
	TW_EXPR_LEN,   /* __get_dynamic_array_len() */
	TW_EXPR_STR,   /* __get_str() */
	TW_EXPR_UNARY,
	TW_EXPR_BINARY,
	TW_EXPR_CAST,
	TW_EXPR_COND,  /* a ? b : c */
	TW_EXPR_INDEX, /* a[b] */
	TW_EXPR_TABLE, /* __print_symbolic() or __print_flags() of a */
	TW_EXPR_DUMP,  /* any other helper: prints b bytes or elements at address a; without b, the whole field */
};

struct tw_expr_node {
	uint8_t kind;
	uint8_t helper; /* enum tw_helper of TABLE and DUMP */
	uint8_t size;   /* size of the value, bytes; of the result of an operator: 4 or 8, by C's promotion */
	bool is_signed;
	uint8_t elem_size; /* bytes that [] and * read at the address; 0 = unknown; in BINARY: size of the operands */
	bool elem_signed;
	bool is_address;
	bool is_text; /* a string instead of a number */
	uint8_t n_args;
	uint16_t punct;   /* the operator of UNARY and BINARY */
	uint32_t first;   /* index of the expression's first node */
	uint32_t args[4]; /* indexes of the operands */
	uint32_t column;
	union {
		uint64_t value; /* NUMBER */
		struct {
			uint32_t at, len; /* TEXT: offset in the strings; TABLE: index in the tables */
		};
	};
	const struct tw_field *field; /* FIELD, ARRAY, LEN, STR, INDEX, DUMP; otherwise NULL */
};

/* An entry of a table: a value and its name. */
struct tw_expr_word {
	uint64_t value;
	uint32_t text; /* offset in the strings */
};

struct tw_expr_table {
	uint32_t first, n;  /* index of the first entry, and number of entries */
	uint32_t delimiter; /* offset in the strings */
	uint32_t delimiter_len;
	bool is_flags, has_zero;
	uint32_t zero;                /* offset in the strings of the text that a ?: prints for the value 0 */
	uint64_t mask;                /* the bits of the field that are looked up */
	const struct tw_field *field; /* the field whose value is looked up; NULL = another expression's value */
};

/* State of the compilation of a print fmt. */
struct tw_expr {
	const struct tw_format *format;
	struct tw_expr_node *nodes;
	struct tw_expr_word *entries;
	struct tw_expr_table *tables;
	char *strings; /* each followed by a NUL */
	uint32_t n_nodes, n_entries, n_tables, n_strings;
	uint32_t nodes_size, entries_size, tables_size, strings_size;
	bool no_memory;
	struct tw_error refusal;
};

/** tw_expr__free() - free the memory to which @expr points, not @expr */
void tw_expr__free(struct tw_expr *expr);

/** tw_expr__refuse() - set the reason of refusal; the first one is kept. Return: false */
__attribute__((format(printf, 3, 4))) bool tw_expr__refuse(struct tw_expr *expr, uint32_t column, const char *fmt, ...);

/**
 * tw_expr__grow() - make room for one more element in an array of @n elements
 * @size: capacity; updated
 * @element: size of an element, bytes
 * Return: the array, which may have moved; NULL, with the old array still valid, if it has @max elements (refused) or if out of memory.
 */
void *tw_expr__grow(struct tw_expr *expr, void *array, uint32_t n, uint32_t *size, size_t element, uint32_t max);

/** tw_expr__add() - append a node; @ret: its index */
bool tw_expr__add(struct tw_expr *expr, const struct tw_expr_node *node, uint32_t *ret);

/** tw_expr__string() - add the text inside a string token. @join: append it to the last string; @ret_at: offset, set only without @join */
bool tw_expr__string(struct tw_expr *expr, const struct tw_lex_token *token, bool join, uint32_t *ret_at);

/** tw_expr__literal() - add a string from the compiler's own code; @ret_at: its offset */
bool tw_expr__literal(struct tw_expr *expr, const char *text, uint32_t *ret_at);

/** tw_expr__unary(), tw_expr__binary(), tw_expr__cond() - add an operator's node; unary and binary operators of constants are folded */
bool tw_expr__unary(struct tw_expr *expr, uint16_t punct, uint32_t column, uint32_t a, uint32_t *ret);
bool tw_expr__binary(struct tw_expr *expr, uint16_t punct, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret);
bool tw_expr__cond(struct tw_expr *expr, uint32_t column, uint32_t a, uint32_t b, uint32_t c, uint32_t *ret);

/** tw_expr__index() - add the node for a[b] */
bool tw_expr__index(struct tw_expr *expr, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret);

/* The type of a cast. */
struct tw_expr_cast {
	uint8_t size; /* bytes; 0 = unknown: the cast changes nothing */
	bool is_signed;
	uint8_t pointers; /* number of stars */
};

/** tw_expr__cast() - add the node for (type)a. No node is needed if the type is unknown, or @a is constant, text or an address of bytes */
bool tw_expr__cast(struct tw_expr *expr, uint32_t column, struct tw_expr_cast cast, uint32_t a, uint32_t *ret);

/** tw_expr__peel() - skip casts to types of at least the operand's size. Return: index of the operand */
uint32_t tw_expr__peel(const struct tw_expr *expr, uint32_t node);

/**
 * tw_expr__masked_field() - the field of `REC->field & constant`, or of REC->field
 * @ret_mask: the bits of the field that determine the value
 * Return: NULL for other expressions.
 */
const struct tw_field *tw_expr__masked_field(const struct tw_expr *expr, uint32_t node, uint64_t *ret_mask);

/** tw_expr_node__is_bytes() - whether the node is the address of bytes in the record, and not a value */
bool tw_expr_node__is_bytes(const struct tw_expr_node *node);

/** tw_expr__is_unknown() - whether the expression @root uses a value that the format does not give */
bool tw_expr__is_unknown(const struct tw_expr *expr, uint32_t root);

/** tw_expr__need_number() - refuse a node that is text or an address of bytes */
bool tw_expr__need_number(struct tw_expr *expr, uint32_t node);

#endif
