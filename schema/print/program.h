/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the schema room. What a print fmt was compiled to: operations of a stack machine that writes a line.
 *
 * A print fmt passes through this folder: compile.c takes its format string apart (conversion.c) and has parse.c read an
 * argument for each conversion, from the tokens of lex.c; calls.c knows the kernel's helpers, expr.c holds the nodes, of which
 * compile.c makes operations. run.c executes these on a record; conversion.c, pointer.c and helpers.c write single values. ftrace.c
 * prints events that their print fmt does not describe. print.c has the public functions.
 */
#ifndef TW_PRINT_PROGRAM_H
#define TW_PRINT_PROGRAM_H

#include "base/error.h"
#include "schema/print.h"
#include "schema/print/ftrace.h"
#include "schema/print/put.h"

#define TW_PRINT_TEXT_SPARE 16  /* readable bytes behind all constant text: it is copied in blocks */
#define TW_PRINT_STACK      320 /* values; the parser's depth bounds what an expression needs */

enum tw_op_code {
	TW_OP_END,
	/* onto the stack */
	TW_OP_CONST,  /* value */
	TW_OP_LOAD,   /* a scalar of size bytes at a */
	TW_OP_LEN,    /* of the field's bytes */
	TW_OP_NARROW, /* the topmost, to size */
	TW_OP_UNARY,  /* by the operator a, to size */
	TW_OP_BINARY, /* by the operator a; operands of size; the result of b bytes, signed if c */
	TW_OP_SELECT, /* x ? y : z */
	TW_OP_INDEX,  /* element of size bytes of the field */
	/* elsewhere */
	TW_OP_JUMP,      /* to the operation a */
	TW_OP_JUMP_ZERO, /* if the topmost is 0 */
	/* onto the line */
	TW_OP_TEXT,       /* b bytes of texts at a */
	TW_OP_TAB,        /* of the format string: layout, as no other text's is */
	TW_OP_DECIMAL_OF, /* the scalar of size bytes at a */
	TW_OP_HEX_OF,     /* the same, in hexadecimal */
	TW_OP_DECIMAL,    /* the topmost, of size bytes */
	TW_OP_NUMBER,     /* the topmost, as conversion a says */
	TW_OP_STRING,     /* the field's bytes up to a NUL */
	TW_OP_STRING_AT,  /* the text that is at an address in the traced kernel */
	TW_OP_MARK,       /* remember where the line ends ... */
	TW_OP_FIT,        /* ... and bring what was put since to the width of conversion a */
	TW_OP_ADDRESS,    /* the topmost, as conversion a says */
	TW_OP_POINTED,    /* the field's bytes, as conversion a says */
	TW_OP_SYMBOLIC,   /* the topmost, from table a */
	TW_OP_FLAGS,
	TW_OP_WORD,
	TW_OP_HEX_BYTES, /* as many of the field's bytes as the topmost says */
	TW_OP_HEX_STR,
	TW_OP_ARRAY,       /* as many elements of size bytes */
	TW_OP_WHOLE_ARRAY, /* all there are */
	TW_OP_BITMASK,
	TW_OP_CPU_LIST, /* 0-3,7: libtraceevent's form of a cpumask */
	TW_OP_HEX_DUMP, /* prefix in texts at a */
};

struct tw_op {
	uint8_t code; /* enum tw_op_code */
	uint8_t size;
	bool is_signed;
	bool is_common; /* in the bytes that an EVENT has in network order */
	uint32_t a;
	union {
		uint64_t value;
		struct {
			uint32_t b, c;
		};
		const struct tw_field *field;
	};
};

/* Fields of a format, each once. */
struct tw_print_list {
	const struct tw_field **fields;
	uint32_t n, size;
};

struct tw_print {
	const struct tw_format *format;
	const char *refusal;           /* NULL = compiled; else the text below */
	struct tw_ftrace_event ftrace; /* its put is what runs, if it has one; there is no program then */
	struct tw_op *ops;
	char *texts;
	struct tw_conversion *conversions;
	struct tw_print_name *names;
	struct tw_print_names *tables;
	const struct tw_field **table_fields; /* what is looked up in each; NULL = an expression */
	char *strings;                        /* of the names */
	struct tw_print_list addresses;       /* printed by name */
	struct tw_print_list pointers;        /* printed by any %p that shows the value, those by name among them */
	uint32_t n_ops, n_texts, n_conversions, n_names, n_tables, n_strings;
	uint32_t ops_size, texts_size, conversions_size;
	struct tw_error why;
};

/** tw_print__compile() - fill @print from its format's print fmt. Return: 0; -EINVAL with `why` filled, -ENOMEM */
int tw_print__compile(struct tw_print *print);

#endif
