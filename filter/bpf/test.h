/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/bpf. Tests, and trees of them, in instructions. */
#ifndef TW_BPF_TEST_H
#define TW_BPF_TEST_H

#include "filter/bpf/asm.h"
#include "filter/tree.h"

#define TW_BPF_EXTENT_MAX   3664 /* bytes of an event's TLV that a test can look at: the window less what else is in it */
#define TW_BPF_ELEMENTS_MAX 16   /* of an array that is compared element by element */
#define TW_BPF_TEXT_MAX     255 /* bytes of a text that a dynamic field is compared with */

/* How the event is accessed. */
struct tw_bpf_access {
	/* In the packet: where to go if its linear part is too short. TW_NO_LABEL in the window, where all is there. */
	tw_label too_short;
	int load_helper; /* in the window: what copies more of the packet there */
	/*
	 * In the packet, without a slow path: each test checks itself whether the packet reaches so far. Else that is done once, before all
	 * of them, for what the furthest of them needs.
	 */
	bool checks_each;
};

/** tw_test__extent() - how many bytes of the EVENT TLV there have to be for what the test looks at, at least those of the struct */
uint32_t tw_test__extent(const struct tw_test *test);

/**
 * tw_tree__emit() - a tree of tests as jumps to one of two labels; it is neither TRUE nor FALSE
 *
 * TW_REG_FRAME and TW_REG_LENGTH are given, r1, r2, r4, r5 change, in the window r0, too.
 */
void tw_tree__emit(struct tw_asm *a, const struct tw_node *root, const struct tw_bpf_access *access, tw_label holds,
		   tw_label fails);

#endif
