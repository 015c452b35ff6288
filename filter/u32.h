/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Back end: keys of tc's u32 classifier, which needs no BPF on the target and is what NICs can offload. A key compares a word at a
 * fixed offset under a mask; all keys of a match have to hold. A rule is a few matches, one of which has to.
 *
 * For frames of one event behind plain Ethernet. A word is compared without asking whether the record reaches so far: true
 * of every record that a kernel wrote.
 */
#ifndef TW_FILTER_U32_H
#define TW_FILTER_U32_H

#include "base/line.h"
#include "filter/tree.h"

#define TW_U32_KEYS_MAX    128 /* of one match, as the kernel has it */
#define TW_CUBE_VALUE_MAX  512 /* bytes of one comparison */
#define TW_U32_MATCHES_MAX 64  /* of one rule */

struct tw_u32_key {
	uint32_t value, mask; /* host byte order of the word as it is read big-endian */
	uint32_t offset;      /* from behind the Ethernet header, a multiple of 4 */
};

struct tw_u32_match {
	struct tw_u32_key *keys; /* by offset, one for each word */
	unsigned int n;
};

struct tw_u32 {
	struct tw_u32_match *matches;
	unsigned int n; /* 0 = nothing can match */
};

/**
 * tw_u32__compile() - the matches for an expression
 *
 * An order of numbers and an opposite are several equalities under masks, each a match of its own: as many as there may be.
 *
 * @schema_id: 0 = whatever it is
 * @ret: free with tw_u32__fini()
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(), also where it would take more matches or keys than there may be; -ENOMEM.
 */
int tw_u32__compile(const struct tw_bound *bound, uint64_t schema_id, struct tw_u32 *ret, struct tw_error *error);

void tw_u32__fini(struct tw_u32 *u32);

/* True of every event there is, as each has a CPU: what matches where no rule did. */
#define TW_U32_ANY_EVENT "cpu >= 0"

/**
 * tw_u32__control() - the match for control frames, of whatever schema: without them nobody behind a redirection could decode,
 * so that they go both ways
 *
 * Return: nobody's to free.
 */
const struct tw_u32_match *tw_u32__control(void);

/** tw_u32_match__emit() - append a match as tc's command line has it: `match u32 0x.. 0x.. at 4 match ...` */
void tw_u32_match__emit(const struct tw_u32_match *match, struct tw_line *line);

#endif
