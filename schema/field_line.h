/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the schema room. One line of a format:
 *
 *	field:char comm[16];	offset:8;	size:16;	signed:0;
 */
#ifndef TW_FIELD_LINE_H
#define TW_FIELD_LINE_H

#include "schema/decl.h"
#include "schema/format.h"

struct tw_field_line {
	struct tw_decl decl;
	uint32_t offset, size; /* bytes */
	bool has_sign;         /* the first kernels with formats did not tell */
	bool is_signed;
};

/** tw_field_line__is() - whether the line means to be a field, well-formed or not */
bool tw_field_line__is(struct tw_text line);

/** tw_field_line__parse() - Return: NULL with @ret set, or what was expected and not there, @ret undefined */
const char *tw_field_line__parse(struct tw_text line, struct tw_field_line *ret);

#endif
