/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which control frames of a stream came. What is missing is only counted: no other frame waits for it. */
#ifndef TW_MERGE_NUMBERS_H
#define TW_MERGE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct tw_numbers {
	uint64_t next;
	uint64_t recent; /* bit n: next - 1 - n came, or was never to come */
	bool known;      /* next is meaningful */
};

/** tw_numbers__see() - frame @seq came; @gaps: how many are missing, kept up. Return: false if the number cannot be */
bool tw_numbers__see(struct tw_numbers *n, uint64_t seq, uint64_t *gaps);

#endif
