/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. The parts of a C declaration. */
#ifndef TW_DECL_H
#define TW_DECL_H

#include "schema/text.h"

/* The type is what stands before the name and what stands after it: "char", "comm", "[16]". */
struct tw_decl {
	struct tw_text before, name, after;
};

/** tw_decl__split() - Return: false, with @ret undefined, if there is no name or no type */
bool tw_decl__split(struct tw_text decl, struct tw_decl *ret);

#endif
