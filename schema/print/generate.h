/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. From nodes to operations. */
#ifndef TW_PRINT_GENERATE_H
#define TW_PRINT_GENERATE_H

#include "schema/print/parse.h"
#include "schema/print/program.h"

#define TW_GENERATE_OPS_MAX 16384 /* operations of one program */

struct tw_generator {
	struct tw_expr *expr;
	struct tw_print *print;
	uint32_t depth; /* of the stack at this place */
	uint32_t label; /* the last operation that is jumped to: nothing may be merged over it */
};

/** tw_generate__op() - append an operation. Return: NULL if refused */
struct tw_op *tw_generate__op(struct tw_generator *gen, enum tw_op_code code);

/** tw_generate__text() - append constant text */
bool tw_generate__text(struct tw_generator *gen, const char *text, size_t len);

/** tw_generate__number() - leave an expression's value on the stack */
bool tw_generate__number(struct tw_generator *gen, uint32_t node);

/** tw_generate__string() - put the characters of an expression on the line */
bool tw_generate__string(struct tw_generator *gen, uint32_t node);

/** tw_generate__argument() - put a node on the line as a conversion says; @stars: nodes of its `*` */
bool tw_generate__argument(struct tw_generator *gen, const struct tw_conversion *conversion, const uint32_t *stars,
			   uint32_t node);

/** tw_generate__tables() - take over the words of the tables */
bool tw_generate__tables(struct tw_generator *gen);

#endif
