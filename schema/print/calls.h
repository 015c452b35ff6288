/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. The functions and constants that kernels' print fmts name. */
#ifndef TW_PRINT_CALLS_H
#define TW_PRINT_CALLS_H

#include <stdint.h>

#include "schema/text.h"

enum tw_helper {
	TW_HELPER_STR, /* from here on the argument is the bare name of a field */
	TW_HELPER_ARRAY_OF,
	TW_HELPER_LEN_OF,
	TW_HELPER_BITMASK,
	TW_HELPER_CPUMASK,
	TW_HELPER_SOCKADDR,
	TW_HELPER_DYNAMIC_ARRAY,
	TW_HELPER_SYMBOLIC, /* from here on they are expressions */
	TW_HELPER_FLAGS,
	TW_HELPER_HEX,
	TW_HELPER_HEX_STR,
	TW_HELPER_ARRAY,
	TW_HELPER_HEX_DUMP,
	TW_HELPER_SECS,
	TW_HELPER_SECS_REST,
	TW_HELPER_FIRST, /* the value of its first argument */
	TW_HELPER_CHOOSE,
	TW_HELPER_WORDS, /* a list of words by number, which the kernel has in its code */
};

struct tw_helper_call {
	const char *name;
	uint8_t helper;           /* enum tw_helper */
	uint8_t n_args;           /* expressions; table entries are not counted */
	bool wide;                /* 64 bits on every host */
	const char *const *words; /* WORDS: NULL behind the last but one; the last is for all other values */
};

/** tw_helper__find() - NULL if it is not known */
const struct tw_helper_call *tw_helper__find(struct tw_text name);

/** tw_helper__constant() - the value of a kernel's enumerator or macro. Return: false if it is not known */
bool tw_helper__constant(struct tw_text name, uint64_t *ret);

#endif
