/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory with frames in it that the merge may keep until they are out, instead of copying them. One thread has all its users. */
#ifndef TW_LOAN_H
#define TW_LOAN_H

#include <stdint.h>

struct tw_loan {
	uint32_t users;                     /* who lends is one, until all of it was given to the merge */
	void (*over)(struct tw_loan *loan); /* the last user has finished */
};

static inline void tw_loan__end(struct tw_loan *loan)
{
	if (!--loan->users)
		loan->over(loan);
}

#endif
