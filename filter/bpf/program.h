/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A classifier as eBPF instructions, generated without a compiler: for XDP, and for tc as direct action. Both give the same frames the
 * same verdicts. xdp/ loads and attaches it.
 *
 * Frames are found after Ethernet with up to two VLAN tags, and as payload of UDP over IPv4 (no fragments) and IPv6 (no extension
 * headers). Other packets pass and are not counted. A frame with a truncated header or of another version passes, and is counted under
 * the key of zeros.
 *
 * In tc a program passes a packet with TC_ACT_UNSPEC, so that later classifiers see it with its mark. It must be loaded under a
 * GPL-compatible licence, and for XDP, where not offloaded, with BPF_F_XDP_HAS_FRAGS.
 *
 * An event that becomes FILTERED in a UDP datagram with a checksum changes the checksum. tc corrects it. XDP cannot see whether the
 * kernel still has to complete it: in IPv4 it clears the checksum (0), and in IPv6 it cannot change the datagram.
 */
#ifndef TW_BPF_PROGRAM_H
#define TW_BPF_PROGRAM_H

#include <linux/bpf.h>

#include "filter/rules.h"
#include "filter/tree.h"

#define TW_BPF_INSNS_MAX 30000 /* jumps reach 32767 */

enum tw_hook {
	TW_HOOK_XDP,
	TW_HOOK_TC,
};

/* Maps that a program uses. */
enum tw_bpf_map {
	TW_MAP_COUNTERS, /* PERCPU_HASH: struct tw_counter_key -> rows of struct tw_counter. Offloaded: ARRAY of one entry, without a key */
	TW_MAP_BLANK, /* ARRAY of one entry with the size of all rows, zeros: the initial value of a new entry of COUNTERS. Not offloaded */
	TW_MAP_OVERFLOW, /* PERCPU_ARRAY of one entry, the same rows: for streams without room in COUNTERS. Not offloaded */
	TW_MAP_WINDOW, /* PERCPU_ARRAY of one entry of TW_BPF_WINDOW bytes: frames that are not in one piece are copied to it. Not offloaded */
	TW_BPF_MAPS,
};
#define TW_BPF_WINDOW 4096 /* tests can read slightly fewer bytes of an event */

/* An LD_IMM64 that loads a map's file descriptor: imm of its first instruction, with src_reg BPF_PSEUDO_MAP_FD. */
struct tw_bpf_map_use {
	uint32_t insn;
	uint8_t map; /* enum tw_bpf_map */
};

struct tw_bpf_options {
	uint8_t hook; /* enum tw_hook */
	bool offload; /* for a NIC: one-event frames after plain Ethernet only, no loop, no helper except the look-up */
	uint16_t udp_port; /* of frames in UDP; 0 = do not match UDP */
};

struct tw_bpf_program {
	struct bpf_insn *insns;
	uint32_t n;
	/*
	 * Offset of the second function, which bpf_loop() calls for each TLV of a frame; 0 = there is none. The kernel requires BTF for
	 * it: func_info of two functions, this one static.
	 */
	uint32_t record_function;
	struct tw_bpf_map_use *map_uses;
	uint32_t n_map_uses;
};

/**
 * tw_bpf__generate() - compile a classifier
 * @ret: free with tw_bpf_program__fini()
 *
 * Return: 0; -EOPNOTSUPP if it cannot be expressed, with the predicate, its column and the reason; -E2BIG, -ENOMEM.
 */
int tw_bpf__generate(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_bpf_program *ret,
		     struct tw_error *error);

void tw_bpf_program__fini(struct tw_bpf_program *program);

#endif
