/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random records for an expression, with values of the expression or similar values. */
#ifndef RECORDS_H
#define RECORDS_H

#include "expression.h"
#include "wire/encode.h"

#define RECORDS_T0     5000000000000ull /* ns: time of the first events */
#define RECORDS_T_SPAN 1000000000u      /* range of the records' times */
#define RECORDS_CPUS   8
#define RECORDS_MAX    4096 /* size of a record, bytes */

struct made_record {
	uint32_t len;  /* a multiple of 4 */
	bool is_whole; /* not truncated, and all its locations are inside */
	uint64_t time;
	uint8_t data[RECORDS_MAX +
		     TW_COPY_STEP]; /* as written by the kernel, common fields in this host's byte order */
};

struct record_options {
	bool printable; /* texts have letters, digits and similar characters, a bool is 0 or 1: what Wireshark shows unchanged */
	bool only_whole; /* no truncated records, no wrong locations */
};

/** record__make() - make an event of the expression's pool, mostly the event that the expression is about */
void record__make(struct made_record *record, const struct expression *e, const struct record_options *options,
		  struct chance *chance);

/** wanted__draw() - choose one of the expression's values for an operand, or NULL. @field: name of the field, for TW_ON_FIELD */
const struct wanted *wanted__draw(const struct expression *e, uint8_t operand, const char *field,
				  struct chance *chance);

#endif
