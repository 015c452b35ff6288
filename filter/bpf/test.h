/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/, except tw_tree__emit() at tracepoints. Generates the instructions of tests and trees. */
#ifndef TW_BPF_TEST_H
#define TW_BPF_TEST_H

#include "filter/bpf/asm.h"
#include "filter/tree.h"

#define TW_BPF_EXTENT_MAX   3664 /* bytes of an event's TLV that a test can read; they fit the window */
#define TW_BPF_ELEMENTS_MAX 16   /* elements of an array that a test can compare */
#define TW_BPF_TEXT_MAX     255  /* bytes of a value that is compared with a text of variable length */

/* A program at a tracepoint. It reads the event in its context, which has the layout of the format text, and in the byte order of this host. */
struct tw_bpf_tracepoint {
	uint8_t context; /* register with the address of the context */
	/* Offsets of copies on the stack, which the program makes before the tests: common_pid (4 bytes) and the CPU's number (2 bytes). */
	int pid, cpu;
};

/* How the generated code accesses the event. */
struct tw_bpf_access {
	const struct tw_bpf_tracepoint
		*tracepoint; /* NULL = the event is in a frame; otherwise, the members below are not used */
	/* Event in the packet: target if the linear part of the packet is too short. Event in the window: TW_NO_LABEL. */
	tw_label too_short;
	int load_helper; /* event in the window: BPF helper that copies more bytes of the packet to the window */
	/*
	 * True: each test itself checks that the packet is long enough, because an offloaded program has no slow path. False: one check
	 * before all tests covers all of them.
	 */
	bool checks_each;
};

/**
 * tw_test__extent() - Return: number of bytes, from the beginning of the EVENT TLV, that the test reads; at least sizeof(struct tw_event).
 * Of a text at a variable offset, only the word with the location is included.
 */
uint32_t tw_test__extent(const struct tw_test *test);

/**
 * tw_tree__emit() - generate code that evaluates a tree and jumps to @holds or @fails; the tree is neither TRUE nor FALSE
 *
 * TW_REG_FRAME and TW_REG_LENGTH must be set, unless the program is at a tracepoint. The code changes r1, r2, r4 and r5, and r0 if the event
 * is in the window.
 */
void tw_tree__emit(struct tw_asm *a, const struct tw_node *root, const struct tw_bpf_access *access, tw_label holds,
		   tw_label fails);

#endif
