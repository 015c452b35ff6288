/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each back end can express: one table (capability.c), with the reason for each refusal. The back ends refuse by it, the producer
 * pushes down by it, and `filter explain` says it.
 */
#ifndef TW_CAPABILITY_H
#define TW_CAPABILITY_H

#include "filter/arena.h"
#include "filter/tree.h"

enum tw_back_end {
	TW_BACK_END_TRACEFS,  /* the kernel's event filters (filter/tracefs.h) */
	TW_BACK_END_PRODUCER, /* the evaluator, before events are sent */
	TW_BACK_END_BPF,      /* XDP and tc (filter/bpf/program.h) */
	TW_BACK_END_U32,      /* tc's u32 classifier (filter/u32/u32.h) */
	TW_BACK_END_PCAP,     /* libpcap's capture filters (filter/pcap.h) */
	TW_BACK_END_DISPLAY,  /* Wireshark's display filters (filter/display.h) */
	TW_BACK_END_TOOLS,    /* the evaluator, where all is known: refuses nothing */
};

/** tw_back_end__name() - as error texts have it: "BPF" */
const char *tw_back_end__name(enum tw_back_end back_end);

/**
 * tw_test__refusal() - why a back end cannot express a test; negated or not, it is the same test
 *
 * Return: NULL if it can; else half a sentence that goes on after "because": "the task's name is not in the frames".
 */
const char *tw_test__refusal(const struct tw_test *test, enum tw_back_end back_end);

/**
 * tw_node__refused() - the first test of a tree that a back end cannot express
 * @ret_why: as of tw_test__refusal()
 * Return: NULL if it can express them all.
 */
const struct tw_test *tw_node__refused(const struct tw_node *root, enum tw_back_end back_end, const char **ret_why);

/**
 * tw_bound__check() - that a back end can express every test of a tree
 * Return: 0; -EOPNOTSUPP, with @error saying which predicate at which column, and why.
 */
int tw_bound__check(const struct tw_bound *bound, const struct tw_node *root, enum tw_back_end back_end,
		    struct tw_error *error);

/**
 * tw_node__weaken() - what a back end can do of a tree: true for every record for which the tree is
 * @arena: takes the result
 * @ret_exact: whether nothing had to be left out; may be NULL
 *
 * A test that it cannot express is taken for true. What is left for a later stage is tw_node__rest().
 *
 * Return: NULL without memory.
 */
const struct tw_node *tw_node__weaken(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena,
				      bool *ret_exact);

/**
 * tw_node__rest() - what is still to be asked of records that passed what tw_node__weaken() gave: of an AND those parts that the
 * back end could not do whole, else all of it
 * Return: TRUE if nothing is; NULL without memory.
 */
const struct tw_node *tw_node__rest(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena);

#endif
