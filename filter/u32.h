/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: keys of tc's u32 classifier, which needs no BPF in the kernel and can be offloaded to NICs. A key compares a masked 32-bit word
 * at a fixed offset. A match applies if, for each of its keys, the frame's masked word equals the key's value. A rule applies if at least
 * one of its matches applies.
 *
 * A rule can match only frames with one event, directly after an Ethernet header. The record's length is not tested before a
 * word is compared, because a record written by a kernel always contains all fields that have fixed offsets.
 */
#ifndef TW_FILTER_U32_H
#define TW_FILTER_U32_H

#include "base/line.h"
#include "filter/tree.h"

#define TW_U32_KEYS_MAX    128 /* keys of one match; the command `tc` accepts no more */
#define TW_CUBE_VALUE_MAX  512 /* bytes of a compared value, including a NUL after it */
#define TW_U32_MATCHES_MAX 64  /* matches of one rule */

struct tw_u32_key {
	uint32_t value, mask; /* host byte order; the word of the frame is read as big-endian */
	uint32_t offset;      /* offset of the word from the end of the Ethernet header, bytes; a multiple of 4 */
};

struct tw_u32_match {
	struct tw_u32_key *keys; /* sorted by offset, at most one for each word */
	unsigned int n;
};

struct tw_u32 {
	struct tw_u32_match *matches;
	unsigned int n; /* 0 = nothing matches */
};

/**
 * tw_u32__compile() - make the matches for an expression
 *
 * An ordered comparison of numbers, or a negation, may become several masked equalities; each of them is in a match of its own.
 *
 * @schema_id: the schema of the frames; 0 = any
 * @ret: free with tw_u32__fini()
 *
 * Return: 0; -EOPNOTSUPP as from tw_bound__check(), or if the expression needs too many matches or keys; -ENOMEM.
 */
int tw_u32__compile(const struct tw_bound *bound, uint64_t schema_id, struct tw_u32 *ret, struct tw_error *error);

/** tw_u32__fini() - free the matches, and set @u32 to zero */
void tw_u32__fini(struct tw_u32 *u32);

/* An expression that is true for every event, because every event has a CPU. It is compiled to the match of the default action. */
#define TW_U32_ANY_EVENT "cpu >= 0"

/**
 * tw_u32__control() - Return: the match for control frames of any schema; static, must not be freed
 *
 * If rules redirect events to an interface, receivers there need the control frames to decode the events.
 */
const struct tw_u32_match *tw_u32__control(void);

/** tw_u32_match__emit() - append a match in tc's command-line syntax: `match u32 0x.. 0x.. at 4 match ...` */
void tw_u32_match__emit(const struct tw_u32_match *match, struct tw_line *line);

#endif
