/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to schema/. The result of compiling a print fmt: operations of a stack machine that writes a line.
 *
 * The files of this directory: compile.c splits the format string with conversion.c. For the arguments of each conversion it calls parse.c,
 * which uses the tokens of lex.c, the kernel's helpers of calls.c, and the nodes of expr.c. compile.c converts the nodes to operations.
 * run.c executes the operations on a record; conversion.c, pointer.c and helpers.c write single values; arith.h has C's operators. ftrace.c
 * prints events whose print fmt does not describe their content. print.c has most of the public functions.
 */
#ifndef TW_PRINT_PROGRAM_H
#define TW_PRINT_PROGRAM_H

#include "base/error.h"
#include "schema/print.h"
#include "schema/print/put.h"

#define TW_PRINT_TEXT_SPARE 16  /* readable bytes after the constant texts, which are copied in blocks of this size */
#define TW_PRINT_STACK      320 /* size of the stack, values; the parser's depth limits what an expression needs */

enum tw_op_code {
	TW_OP_END,
	/* operations that push a value */
	TW_OP_CONST,  /* the constant `value` */
	TW_OP_LOAD,   /* a scalar of size bytes at offset a of the record */
	TW_OP_LEN,    /* number of bytes of the field */
	TW_OP_NARROW, /* converts the top value to an integer of size bytes */
	TW_OP_UNARY,  /* unary operator a; the result has size bytes */
	TW_OP_BINARY, /* binary operator a; operands of size bytes; the result has b bytes and is signed if c */
	TW_OP_SELECT, /* x ? y : z, the three values on top */
	TW_OP_INDEX,  /* an element of size bytes of the field; the top value is its index */
	/* jumps */
	TW_OP_JUMP,      /* to operation a */
	TW_OP_JUMP_ZERO, /* to operation a, if the top value is 0 */
	/* operations that append to the line */
	TW_OP_TEXT,        /* b bytes of `texts`, from offset a on */
	TW_OP_TAB,         /* a tab of the format string: layout, so it is not escaped */
	TW_OP_DECIMAL_OF,  /* the scalar of size bytes at offset a of the record, in decimal */
	TW_OP_HEX_OF,      /* the scalar of size bytes at offset a of the record, in hexadecimal */
	TW_OP_SYSCALL_OF,  /* a blank and the name of a system call, whose number is the scalar at offset a */
	TW_OP_DECIMAL,     /* the top value, of size bytes, in decimal */
	TW_OP_NUMBER,      /* the top value, with conversion a */
	TW_OP_STRING,      /* the field's bytes up to a NUL */
	TW_OP_STRING_AT,   /* the text in the traced kernel whose address is the top value */
	TW_OP_MARK,        /* remember the end of the line, for FIT */
	TW_OP_FIT,         /* fit the text after the mark to the width and precision of conversion a */
	TW_OP_ADDRESS,     /* the top value, with conversion a */
	TW_OP_POINTED,     /* the bytes of conversion a's field, with conversion a */
	TW_OP_SYMBOLIC,    /* the name of the top value in table a */
	TW_OP_FLAGS,       /* the names of the top value's bits in table a */
	TW_OP_WORD,        /* the name in table a whose index is the top value */
	TW_OP_HEX_BYTES,   /* the field's first bytes, in hexadecimal with blanks; the top value is their number */
	TW_OP_HEX_STR,     /* as TW_OP_HEX_BYTES, without blanks */
	TW_OP_ARRAY,       /* the field's first elements of size bytes; the top value is their number */
	TW_OP_WHOLE_ARRAY, /* all elements of the field, of size bytes */
	TW_OP_BITMASK,     /* the field's bits in hexadecimal, as the kernel prints a bit mask */
	TW_OP_CPU_LIST,    /* the numbers of the field's set bits, as libtraceevent prints a cpumask: 0-3,7 */
	TW_OP_HEX_DUMP,    /* the field's first bytes; top value: prefix and layout; value below it: number of bytes */
};

struct tw_op {
	uint8_t code; /* enum tw_op_code */
	uint8_t size;
	bool is_signed;
	bool is_common; /* the value is in the common fields, which are big-endian in an EVENT */
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
 * the function graph, binary printk, raw data.
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
 * Return: false, with @ret all zero, if the format's print fmt is sufficient, or the printer needs a field that the format lacks.
 */
bool tw_ftrace__bind(const struct tw_format *format, struct tw_ftrace_event *ret);

/**
 * tw_ftrace__is_address() - whether a field of an event of the system "ftrace" is a kernel address
 * Such fields have the names ip, parent_ip, func and caller. The addresses in user_stack are not kernel addresses.
 */
bool tw_ftrace__is_address(const struct tw_format *format, const struct tw_field *field);

/*
 * A separate program for a text that depends on one field only. Wireshark's packet details show this text beside the field's value. A field
 * may have several such texts, which follow each other in the text of the event.
 */
struct tw_print_word {
	const struct tw_field *field;
	uint32_t at; /* index of its first operation in word_ops; an END is its last operation */
};

struct tw_print {
	const struct tw_format *format;
	const char *refusal;           /* NULL = compiled; otherwise the text of @why */
	struct tw_ftrace_event ftrace; /* printer of the event; if ftrace.put is not NULL, there is no program */
	struct tw_op *ops, *word_ops;
	struct tw_print_word *words;
	char *texts;
	struct tw_conversion *conversions;
	struct tw_print_name *names;
	struct tw_print_names *tables;
	const struct tw_field **table_fields; /* the field that is looked up in each table; NULL = another expression */
	char *strings;                        /* memory of the names in tables */
	struct tw_print_list addresses;       /* fields printed as symbols */
	struct tw_print_list pointers;        /* fields printed by any %p that shows the value or its symbol */
	uint32_t n_ops, n_word_ops, n_words, n_texts, n_conversions, n_names, n_tables, n_strings;
	uint32_t ops_size, word_ops_size, words_size, texts_size, conversions_size;
	struct tw_error why;
};

/** tw_print__compile() - fill @print from its format's print fmt. Return: 0; -EINVAL with `why` filled, -ENOMEM */
int tw_print__compile(struct tw_print *print);

#endif
