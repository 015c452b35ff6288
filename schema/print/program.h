/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to schema/. The result of compiling a print fmt: operations of a stack machine that writes a line.
 *
 * The files of this directory: compile.c splits the format string (conversion.c) and calls parse.c for the argument of each conversion,
 * which uses the tokens of lex.c; calls.c has the kernel's helpers, expr.c the nodes that compile.c converts to operations. run.c
 * executes these on a record; conversion.c, pointer.c and helpers.c write single values. ftrace.c prints events that their print fmt
 * does not describe. print.c has the public functions.
 */
#ifndef TW_PRINT_PROGRAM_H
#define TW_PRINT_PROGRAM_H

#include "base/error.h"
#include "schema/print.h"
#include "schema/print/put.h"

#define TW_PRINT_TEXT_SPARE 16  /* readable bytes after all constant text: it is copied in blocks */
#define TW_PRINT_STACK      320 /* values; the parser's depth limits what an expression needs */

enum tw_op_code {
	TW_OP_END,
	/* operations that push a value */
	TW_OP_CONST,  /* constant */
	TW_OP_LOAD,   /* a scalar of size bytes at a */
	TW_OP_LEN,    /* address of the field's bytes */
	TW_OP_NARROW, /* converts the top value to size */
	TW_OP_UNARY,  /* unary operator a, for size */
	TW_OP_BINARY, /* binary operator a; operands of size; the result of b bytes, signed if c */
	TW_OP_SELECT, /* x ? y : z */
	TW_OP_INDEX,  /* element of size bytes of the field */
	/* jumps */
	TW_OP_JUMP,      /* to operation a */
	TW_OP_JUMP_ZERO, /* if the top value is 0 */
	/* operations that append to the line */
	TW_OP_TEXT,       /* b bytes of texts at a */
	TW_OP_TAB,        /* text of the format string: layout, unlike other texts */
	TW_OP_DECIMAL_OF, /* the scalar of size bytes at a */
	TW_OP_HEX_OF,     /* the same in hexadecimal */
	TW_OP_DECIMAL,    /* the top value, of size bytes */
	TW_OP_NUMBER,     /* the top value, with conversion a */
	TW_OP_STRING,     /* the field's bytes up to a NUL */
	TW_OP_STRING_AT,  /* the text at an address in the traced kernel */
	TW_OP_MARK,       /* remember the end of the line ... */
	TW_OP_FIT,        /* ... and pad what was appended since to the width of conversion a */
	TW_OP_ADDRESS,    /* the top value, with conversion a */
	TW_OP_POINTED,    /* the field's bytes, with conversion a */
	TW_OP_SYMBOLIC,   /* the top value, with table a */
	TW_OP_FLAGS,
	TW_OP_WORD,
	TW_OP_HEX_BYTES, /* the number of the field's bytes that the top value gives */
	TW_OP_HEX_STR,
	TW_OP_ARRAY,       /* that number of elements of size bytes */
	TW_OP_WHOLE_ARRAY, /* all elements */
	TW_OP_BITMASK,
	TW_OP_CPU_LIST, /* 0-3,7: libtraceevent's form of a cpumask */
	TW_OP_HEX_DUMP, /* with the prefix in texts at a */
};

struct tw_op {
	uint8_t code; /* enum tw_op_code */
	uint8_t size;
	bool is_signed;
	bool is_common; /* in the bytes that have network byte order in an EVENT */
	uint32_t a;
	union {
		uint64_t value;
		struct {
			uint32_t b, c;
		};
		const struct tw_field *field;
	};
};

/* Fields of a format, each only once. */
struct tw_print_list {
	const struct tw_field **fields;
	uint32_t n, size;
};

static inline bool tw_print_list__has(const struct tw_print_list *list, const struct tw_field *field)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->fields[i] == field)
			return true;
	return false;
}

/*
 * Events of the kernel's system "ftrace" whose print fmt does not describe their content: stacks of any depth, functions with arguments,
 * the function graph, binary printk.
 */
#define TW_FTRACE_FIELDS 4

struct tw_ftrace_event;

typedef void (*tw_ftrace_put)(const struct tw_ftrace_event *event, const struct tw_record *record,
			      const struct tw_print_host *host, struct tw_line *line);

/* The printer of an event; all zero for events that use their print fmt. */
struct tw_ftrace_event {
	tw_ftrace_put put; /* NULL = use the print fmt */
	const struct tw_format *format;
	const struct tw_field *fields[TW_FTRACE_FIELDS]; /* in the order of the event's row in ftrace.c */
};

/**
 * tw_ftrace__bind() - find the printer for the events of a format
 * @format: borrowed while @ret is used
 * Return: false, with @ret all zero, if its print fmt is sufficient, or a field is missing.
 */
bool tw_ftrace__bind(const struct tw_format *format, struct tw_ftrace_event *ret);

/** tw_ftrace__is_address() - whether a field of the system "ftrace" is printed as a symbol: ip, parent_ip, func, caller */
bool tw_ftrace__is_address(const struct tw_format *format, const struct tw_field *field);

struct tw_print {
	const struct tw_format *format;
	const char *refusal;           /* NULL = compiled; otherwise the text below */
	struct tw_ftrace_event ftrace; /* if it has a put function, that is used; there is no program then */
	struct tw_op *ops;
	char *texts;
	struct tw_conversion *conversions;
	struct tw_print_name *names;
	struct tw_print_names *tables;
	const struct tw_field **table_fields; /* the field that is looked up in each; NULL = an expression */
	char *strings;                        /* memory of the names */
	struct tw_print_list addresses;       /* printed as symbols */
	struct tw_print_list pointers; /* printed by any %p that shows the value, including those printed as symbols */
	uint32_t n_ops, n_texts, n_conversions, n_names, n_tables, n_strings;
	uint32_t ops_size, texts_size, conversions_size;
	struct tw_error why;
};

/** tw_print__compile() - fill @print from its format's print fmt. Return: 0; -EINVAL with `why` filled, -ENOMEM */
int tw_print__compile(struct tw_print *print);

#endif
