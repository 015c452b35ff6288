/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/bpf. Generates the instructions of tests and trees. */
#ifndef TW_BPF_TEST_H
#define TW_BPF_TEST_H

#include "filter/bpf/asm.h"
#include "filter/tree.h"

#define TW_BPF_EXTENT_MAX   3664 /* bytes of an event's TLV that a test can read: the window less its other content */
#define TW_BPF_ELEMENTS_MAX 16   /* elements of an array that are compared one by one */
#define TW_BPF_TEXT_MAX     255  /* bytes of a value that is compared with a dynamic field */

/* How the event is accessed. */
struct tw_bpf_access {
	/* In the packet: target if its linear part is too short. TW_NO_LABEL in the window, which has the whole event. */
	tw_label too_short;
	int load_helper; /* in the window: copies more of the packet there */
	/*
	 * In the packet, without a slow path: each test checks the end of the packet itself. Otherwise one check before all tests covers
	 * the one that reads furthest.
	 */
	bool checks_each;
};

/** tw_test__extent() - bytes of the EVENT TLV that the test needs, at least those of the struct */
uint32_t tw_test__extent(const struct tw_test *test);

/**
 * tw_tree__emit() - a tree of tests as jumps to one of two labels; the tree is neither TRUE nor FALSE
 *
 * TW_REG_FRAME and TW_REG_LENGTH must be set; r1, r2, r4, r5 change, in the window r0, too.
 */
void tw_tree__emit(struct tw_asm *a, const struct tw_node *root, const struct tw_bpf_access *access, tw_label holds,
		   tw_label fails);

#endif
