/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A classifier as eBPF instructions, made without a compiler: for XDP, and for tc as direct action. The same frames get the same
 * verdicts from both. Loading and attaching is xdp/'s.
 *
 * Frames are found behind Ethernet, up to two VLAN tags, and as payload of UDP over IPv4 (no fragments) and IPv6 (no extension
 * headers). What is not ours passes uncounted. A frame whose header is cut or of another version passes, and is counted under the
 * key of zeros.
 *
 * A program passes a packet in tc by TC_ACT_UNSPEC, so that classifiers behind it see it and its mark. It is loaded under a
 * licence that is the GPL's, for XDP with BPF_F_XDP_HAS_FRAGS, where not offloaded.
 *
 * An event that becomes FILTERED in a UDP datagram with a checksum changes that: tc keeps it right; XDP, which cannot see whether
 * the kernel has yet to finish it, leaves it out (0) in IPv4, and cannot change the datagram in IPv6.
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

/* Maps that a program refers to. */
enum tw_bpf_map {
	TW_MAP_COUNTERS, /* PERCPU_HASH: struct tw_counter_key -> rows of struct tw_counter. Offloaded: ARRAY of one entry, no key */
	TW_MAP_BLANK, /* ARRAY of one entry as large as a row set, zeros: what a new entry of COUNTERS begins as. Not offloaded */
	TW_MAP_OVERFLOW, /* PERCPU_ARRAY of one entry, the same rows: for streams that COUNTERS has no room for. Not offloaded */
	TW_MAP_WINDOW, /* PERCPU_ARRAY of one entry of TW_BPF_WINDOW bytes: where frames not in one piece are read to. Not offloaded */
	TW_BPF_MAPS,
};
#define TW_BPF_WINDOW 4096 /* tests can look at a little less of an event */

/* An LD_IMM64 that takes a map's file descriptor: its first instruction's imm, with src_reg BPF_PSEUDO_MAP_FD. */
struct tw_bpf_map_use {
	uint32_t insn;
	uint8_t map; /* enum tw_bpf_map */
};

struct tw_bpf_options {
	uint8_t hook;      /* enum tw_hook */
	bool offload;      /* for a NIC: one-event frames behind plain Ethernet only, no loop, no helper but look-up */
	uint16_t udp_port; /* of frames in UDP; 0 = not looked for */
};

struct tw_bpf_program {
	struct bpf_insn *insns;
	uint32_t n;
	/*
	 * Where the second function begins, which bpf_loop() calls for each TLV of a frame; 0 = there is none. The kernel wants BTF for it:
	 * func_info of two functions, this one static.
	 */
	uint32_t record_function;
	struct tw_bpf_map_use *map_uses;
	uint32_t n_map_uses;
};

/**
 * tw_bpf__generate() - compile a classifier
 * @ret: free with tw_bpf_program__fini()
 *
 * Return: 0; -EOPNOTSUPP where it cannot be expressed, saying which predicate at which column and why; -E2BIG, -ENOMEM.
 */
int tw_bpf__generate(const struct tw_rules *rules, const struct tw_bpf_options *options, struct tw_bpf_program *ret,
		     struct tw_error *error);

void tw_bpf_program__fini(struct tw_bpf_program *program);

#endif
