/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: keys of tc's u32 classifier, which needs no BPF on the target and can be offloaded to NICs. A key compares a masked word at
 * a fixed offset; all keys of a match must be equal. A rule has several matches, one of which must apply.
 *
 * For frames of one event after plain Ethernet. A word is compared without a test of the record's length, which every record written by
 * a kernel has.
 */
#ifndef TW_FILTER_U32_H
#define TW_FILTER_U32_H

#include "base/line.h"
#include "filter/tree.h"

#define TW_U32_KEYS_MAX    128 /* keys of one match, the kernel's limit */
#define TW_CUBE_VALUE_MAX  512 /* bytes of a compared value */
#define TW_U32_MATCHES_MAX 64  /* matches of one rule */

struct tw_u32_key {
	uint32_t value, mask; /* host byte order of the word read as big-endian */
	uint32_t offset;      /* offset from the end of the Ethernet header, a multiple of 4 */
};

struct tw_u32_match {
	struct tw_u32_key *keys; /* sorted by offset, one for each word */
	unsigned int n;
};

struct tw_u32 {
	struct tw_u32_match *matches;
	unsigned int n; /* 0 = nothing matches */
};

/**
 * tw_u32__compile() - the matches for an expression
 *
 * An order of numbers and a negation become several masked equalities, each a separate match, within the limit.
 *
 * @schema_id: 0 = any
 * @ret: free with tw_u32__fini()
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(), also if it would need too many matches or keys; -ENOMEM.
 */
int tw_u32__compile(const struct tw_bound *bound, uint64_t schema_id, struct tw_u32 *ret, struct tw_error *error);

void tw_u32__fini(struct tw_u32 *u32);

/* True for every event, because each has a CPU: the match for events without a rule. */
#define TW_U32_ANY_EVENT "cpu >= 0"

/**
 * tw_u32__control() - the match for control frames of any schema, which are sent both ways: receivers after a redirection need them to
 * decode events
 *
 * Return: static, not to be freed.
 */
const struct tw_u32_match *tw_u32__control(void);

/** tw_u32_match__emit() - append a match in tc's command-line syntax: `match u32 0x.. 0x.. at 4 match ...` */
void tw_u32_match__emit(const struct tw_u32_match *match, struct tw_line *line);

#endif
