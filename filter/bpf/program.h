/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generates a classifier as eBPF instructions, without a compiler: for XDP, and for tc with direct action. A frame has the same verdict
 * in both, with the exceptions below. xdp/ loads and attaches the program.
 *
 * Frames are found after an Ethernet header with up to two VLAN tags, and as payload of UDP over IPv4 (without fragments) or IPv6 (without
 * extension headers). Other packets pass and are not counted. A frame with a truncated header or another version passes; it is counted as
 * unreadable, under a key of zeros. In tc, a packet with several datagrams (GSO) also passes and is counted as unreadable.
 *
 * In tc, a program passes a packet with TC_ACT_UNSPEC, so that later classifiers see it with its mark. The program must be loaded with a
 * GPL-compatible licence. For XDP it must be loaded with BPF_F_XDP_HAS_FRAGS, unless it is offloaded.
 *
 * If an event in a UDP datagram is changed to FILTERED, the UDP checksum must be corrected. A program in tc does so. A program in
 * XDP cannot know whether the kernel still has to complete the checksum. Over IPv4, it therefore sets the checksum to 0. Over IPv6, it does
 * not change a datagram that has a checksum.
 */
#ifndef TW_BPF_PROGRAM_H
#define TW_BPF_PROGRAM_H

#include <linux/bpf.h>

#include "filter/rules.h"
#include "filter/tree.h"

#define TW_BPF_INSNS_MAX 30000 /* instructions of a program; a jump spans at most 32767 */

enum tw_hook {
	TW_HOOK_XDP,
	TW_HOOK_TC,
};

/* Maps that a classifier uses. An offloaded program uses COUNTERS only. */
enum tw_bpf_map {
	TW_MAP_COUNTERS, /* PERCPU_HASH: struct tw_counter_key -> rows of struct tw_counter. Offloaded: ARRAY of one entry with the rows */
	TW_MAP_BLANK,    /* ARRAY of one entry: rows of zeros, the initial value of a new entry of COUNTERS */
	TW_MAP_OVERFLOW, /* PERCPU_ARRAY of one entry: the rows of all streams and channels without room in COUNTERS */
	TW_MAP_WINDOW, /* PERCPU_ARRAY of one entry of TW_BPF_WINDOW bytes: the slow path copies parts of the frame to it */
	TW_BPF_MAPS,
};
#define TW_BPF_WINDOW 4096 /* bytes; a test can read TW_BPF_EXTENT_MAX bytes of an event */

/* A use of a map: an LD_IMM64 whose imm must be set to the map's file descriptor. */
struct tw_bpf_map_use {
	uint32_t insn; /* index of the LD_IMM64 */
	uint16_t map;  /* number of the map among those of the program; of a classifier: enum tw_bpf_map */
};

struct tw_bpf_options {
	uint8_t hook; /* enum tw_hook */
	bool offload; /* for a NIC: only frames with one event after an Ethernet header; no loop, no helper but the map look-up */
	uint16_t udp_port; /* destination port of frames in UDP; 0 = do not look for frames in UDP */
};

struct tw_bpf_program {
	struct bpf_insn *insns;
	uint32_t n;
	/*
	 * Index of the first instruction of the record function, which bpf_loop() calls for each TLV of a frame; 0 = there is no such
	 * function. The kernel requires BTF func_info for both functions of the program; the record function must be static in it.
	 */
	uint32_t record_function;
	struct tw_bpf_map_use *map_uses;
	uint32_t n_map_uses;
};

/**
 * tw_bpf__generate() - compile a classifier
 * @ret: free with tw_bpf_program__fini()
 *
 * Return: 0; -EOPNOTSUPP if a rule cannot be expressed, with the predicate, its column and the reason in @error, or if the hook or the NIC
 * does not support an action; -E2BIG, -ENOMEM.
 */
int tw_bpf__generate(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_bpf_program *ret,
		     struct tw_error *error);

/** tw_bpf_program__fini() - free the memory of a program, and set @program to zero */
void tw_bpf_program__fini(struct tw_bpf_program *program);

#endif
