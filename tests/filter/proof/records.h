/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records for an expression: random, with values of the expression or similar ones. */
#ifndef RECORDS_H
#define RECORDS_H

#include "expression.h"
#include "wire/encode.h"

#define RECORDS_T0     5000000000000ull /* ns: time of the first events */
#define RECORDS_T_SPAN 1000000000u      /* range of their times */
#define RECORDS_CPUS   8
#define RECORDS_MAX    4096 /* size of one, bytes */

struct made_record {
	uint32_t len;  /* a multiple of 4 */
	bool is_whole; /* not truncated, and all its locations are inside */
	uint64_t time;
	uint8_t data[RECORDS_MAX +
		     TW_COPY_STEP]; /* as written by the kernel, common fields in this host's byte order */
};

struct record_options {
	bool printable; /* texts have letters, digits and similar characters, a bool is 0 or 1: what Wireshark shows unchanged */
	bool only_whole; /* none truncated, no wrong locations */
};

/** record__make() - one event of the expression's pool, mostly of the event that it is about */
void record__make(struct made_record *record, const struct expression *e, const struct record_options *options,
		  struct chance *chance);

/** wanted__draw() - one of the values for an operand, or NULL. @field: name of the field, for TW_ON_FIELD */
const struct wanted *wanted__draw(const struct expression *e, uint8_t operand, const char *field,
				  struct chance *chance);

#endif
