/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for the Info column, appended by hand: printf takes longer than the rest of the dissection. What does not fit is
 * cut; what is not printable becomes '.', since names come from strangers and go to terminals.
 */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tw_text {
	char *at;
	char *end; /* where the NUL goes at the latest */
};

static inline struct tw_text tw_text__on(char *buf, size_t size)
{
	return (struct tw_text){ buf, buf + size - 1 };
}

static inline bool tw_text__full(const struct tw_text *t)
{
	return t->at == t->end;
}

/** tw_text__end() - close the text with a NUL */
static inline void tw_text__end(struct tw_text *t)
{
	*t->at = 0;
}

/** tw_text__literal() - text known to be printable */
static inline void tw_text__literal(struct tw_text *t, const char *s, size_t len)
{
	if (len > (size_t)(t->end - t->at))
		len = (size_t)(t->end - t->at);
	memcpy(t->at, s, len);
	t->at += len;
}

static inline void tw_text__str(struct tw_text *t, const char *s)
{
	tw_text__literal(t, s, strlen(s));
}

void tw_text__foreign(struct tw_text *t, const void *s, size_t len);
void tw_text__u64(struct tw_text *t, uint64_t v);
void tw_text__i64(struct tw_text *t, int64_t v);
void tw_text__hex(struct tw_text *t, uint64_t v);
/* At least @width digits, zeros before them. */
void tw_text__padded(struct tw_text *t, uint64_t v, unsigned int width);

#endif
