/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the schema room. What a print fmt was compiled to. */
#ifndef TW_PRINT_PROGRAM_H
#define TW_PRINT_PROGRAM_H

#include "schema/print.h"

struct tw_print {
	const struct tw_format *format;
	const char *refusal; /* NULL = compiled */
};

#endif
