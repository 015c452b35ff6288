/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which tests (struct tw_test) each back end can express. A table in capability.c lists the tests that a back end refuses, with the
 * reasons. The back ends refuse expressions by this table, the producer uses it for pushdown, and `tracewire filter explain` shows the
 * reasons.
 */
#ifndef TW_CAPABILITY_H
#define TW_CAPABILITY_H

#include "filter/arena.h"
#include "filter/tree.h"

enum tw_back_end {
	TW_BACK_END_TRACEFS,    /* the kernel's event filters (filter/tracefs.h) */
	TW_BACK_END_PRODUCER,   /* the evaluator in the producer, before events are sent */
	TW_BACK_END_BPF,        /* XDP and tc (filter/bpf/program.h) */
	TW_BACK_END_U32,        /* tc's u32 classifier (filter/u32.h) */
	TW_BACK_END_PCAP,       /* libpcap's capture filters (filter/pcap.h) */
	TW_BACK_END_DISPLAY,    /* Wireshark's display filters (filter/display.h) */
	TW_BACK_END_TRACEPOINT, /* BPF programs at tracepoints (filter/bpf/test.h) */
	TW_BACK_END_TOOLS,      /* the evaluator in the tools, which refuses no test */
};

/** tw_back_end__name() - Return: the name of a back end for error texts, such as "BPF" */
const char *tw_back_end__name(enum tw_back_end back_end);

/**
 * tw_test__refusal() - find the reason why a back end cannot express a test; the reason is the same for a negated test
 *
 * Return: NULL if the back end can express it; otherwise a clause to follow "because", such as "the task's name is not in the frames".
 */
const char *tw_test__refusal(const struct tw_test *test, enum tw_back_end back_end);

/**
 * tw_node__refused() - find the first test of a tree that a back end cannot express
 * @ret_why: the reason, as from tw_test__refusal()
 * Return: the test; NULL if the back end can express all tests.
 */
const struct tw_test *tw_node__refused(const struct tw_node *root, enum tw_back_end back_end, const char **ret_why);

/**
 * tw_bound__check() - check that a back end can express every test of a tree
 * Return: 0; -EOPNOTSUPP, with the predicate, its column and the reason in @error.
 */
int tw_bound__check(const struct tw_bound *bound, const struct tw_node *root, enum tw_back_end back_end,
		    struct tw_error *error);

/**
 * tw_node__weaken() - copy a tree, with TRUE in place of each test that a back end cannot express
 * @arena: memory for the copied nodes; they refer to the tests of @root
 * @ret_exact: whether no test was replaced; may be NULL
 *
 * The copy is true for every record for which @root is true, and perhaps for other records. Therefore a later stage must evaluate the tree
 * of tw_node__rest().
 *
 * Return: the copy; NULL if out of memory, or if more than TW_TREE_DEPTH_MAX ANDs and ORs are nested.
 */
struct tw_node *tw_node__weaken(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena,
				bool *ret_exact);

/**
 * tw_node__weaken_by() - the same for something that is no back end
 * @can: whether it can express a test; called with @ctx
 */
struct tw_node *tw_node__weaken_by(const struct tw_node *root, bool (*can)(const struct tw_test *test, void *ctx),
				   void *ctx, struct tw_arena *arena, bool *ret_exact);

/**
 * tw_node__rest() - make the tree that a later stage must evaluate for records that passed the tree of tw_node__weaken()
 *
 * If the back end can express all tests, the result is TRUE. If it cannot, and the root is an AND, the result has only those children of
 * the root that contain a test which the back end cannot express. In all other cases, the result is the whole tree.
 *
 * Return: the tree; NULL as from tw_node__weaken().
 */
const struct tw_node *tw_node__rest(const struct tw_node *root, enum tw_back_end back_end, struct tw_arena *arena);

#endif
