/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/bpf. Instructions that judge one event: which row decides about it. */
#ifndef TW_BPF_MATCH_H
#define TW_BPF_MATCH_H

#include "filter/bpf/asm.h"
#include "filter/bpf/chain.h"
#include "filter/bpf/way.h"

struct tw_match {
	const struct tw_chains *chains;
	const tw_label *rows; /* where to go for each row: the rules', the default's */
	struct tw_sight sight;
};

/**
 * tw_match__emit() - the registers of filter/bpf/regs.h are given; r0 to r5 change. Always goes to one of the labels
 *
 * The event's TLV is no shorter than struct tw_event.
 */
void tw_match__emit(struct tw_asm *a, const struct tw_match *match);

/** tw_tree__emit() - a tree of tests as jumps; it is neither TRUE nor FALSE */
void tw_tree__emit(struct tw_asm *a, const struct tw_node *root, const struct tw_sight *sight, tw_label holds,
		   tw_label fails);

#endif
