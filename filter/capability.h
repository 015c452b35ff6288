/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tests that each back end can express: one table (capability.c), with the reason for each refusal. It is used by the back ends to
 * refuse, by the producer for pushdown, and by `filter explain`.
 */
#ifndef TW_CAPABILITY_H
#define TW_CAPABILITY_H

#include "filter/arena.h"
#include "filter/tree.h"

enum tw_back_end {
	TW_BACK_END_TRACEFS,  /* the kernel's event filters (filter/tracefs.h) */
	TW_BACK_END_PRODUCER, /* the producer's evaluator, before events are sent */
	TW_BACK_END_BPF,      /* XDP and tc (filter/bpf/program.h) */
	TW_BACK_END_U32,      /* tc's u32 classifier (filter/u32.h) */
	TW_BACK_END_PCAP,     /* libpcap's capture filters (filter/pcap.h) */
	TW_BACK_END_DISPLAY,  /* Wireshark's display filters (filter/display.h) */
	TW_BACK_END_TOOLS,    /* the evaluator with all data: refuses nothing */
};

/** tw_back_end__name() - its name in error texts: "BPF" */
const char *tw_back_end__name(enum tw_back_end back_end);

/**
 * tw_test__refusal() - why a back end cannot express a test; negation makes no difference
 *
 * Return: NULL if it can; otherwise half a sentence that follows "because": "the task's name is not in the frames".
 */
const char *tw_test__refusal(const struct tw_test *test, enum tw_back_end back_end);

/**
 * tw_node__refused() - the first test of a tree that a back end cannot express
 * @ret_why: as from tw_test__refusal()
 * Return: NULL if it can express all of them.
 */
const struct tw_test *tw_node__refused(const struct tw_node *root, enum tw_back_end back_end, const char **ret_why);

/**
 * tw_bound__check() - check that a back end can express every test of a tree
 * Return: 0; -EOPNOTSUPP, with the predicate, its column and the reason in @error.
 */
int tw_bound__check(const struct tw_bound *bound, const struct tw_node *root, enum tw_back_end back_end,
		    struct tw_error *error);

/**
 * tw_node__weaken() - the part of a tree that a back end can evaluate: true for every record for which the tree is true
 * @arena: memory for the result
 * @ret_exact: whether nothing was left out; may be NULL
 *
 * A test that it cannot express is replaced by TRUE. The rest for a later stage is tw_node__rest().
 *
 * Return: NULL without memory.
 */
const struct tw_node *tw_node__weaken(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena,
				      bool *ret_exact);

/**
 * tw_node__rest() - the rest to be evaluated for records that passed the result of tw_node__weaken(): of an AND those children that the
 * back end could not evaluate exactly, otherwise the whole tree
 * Return: TRUE if nothing is left; NULL without memory.
 */
const struct tw_node *tw_node__rest(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena);

#endif
