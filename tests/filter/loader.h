/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads a generated program with its maps, and runs it on packets with BPF_PROG_TEST_RUN. Only tests use it; xdp/ has the real loader. */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/bpf/program.h"

#define LOADER_STREAMS 64 /* entries of the counters' map, unless said otherwise */

struct loaded {
	int program;
	int maps[TW_BPF_MAPS]; /* -1 if the program does not use it */
	unsigned int rows, cpus;
	uint8_t hook;
	struct tw_counter *scratch; /* room for the rows of all CPUs */
};

/* The result of a run. */
struct loader_run {
	uint32_t retval; /* XDP_PASS, TC_ACT_SHOT ... */
	uint32_t mark;   /* tc: skb->mark after the run */
	uint32_t len;    /* size of the packet after the run */
	uint32_t ns;     /* time of all repeated runs */
};

/**
 * loader__load() - create the maps and load the program with them
 * @streams: entries of the counters' map
 * @ret: the caller frees it with loader__unload()
 *
 * Return: 0; or -errno, after printing the end of the verifier's log to stderr.
 */
int loader__load(const struct tw_rules *rules, const struct tw_bpf_options *options,
		 const struct tw_bpf_program *program, unsigned int streams, struct loaded *ret);

/** loader__build() - tw_bpf__generate() and loader__load(); @err may be NULL */
int loader__build(const struct tw_rules *rules, const struct tw_bpf_options *options, struct loaded *ret,
		  struct tw_error *err);

/** loader__unload() - close the program and the maps; @loaded may be zeroed */
void loader__unload(struct loaded *loaded);

/**
 * loader__run() - run the program on a packet
 * @packet: from the Ethernet header on, at least 14 bytes; changed by the program
 * @room: size of the buffer; in XDP, the kernel splits a packet larger than a page into fragments
 * @repeat: number of runs, at least 1; ret->ns is the time of all runs
 *
 * Return: 0 or -errno.
 */
int loader__run(const struct loaded *loaded, void *packet, size_t len, size_t room, unsigned int repeat,
		struct loader_run *ret);

/**
 * loader__rows() - get the counters of a stream and channel, summed over all CPUs
 * @rows: room for tw_rules__rows() rows
 * Return: 0, -ENOENT if there are none.
 */
int loader__rows(const struct loaded *loaded, const struct tw_counter_key *key, struct tw_counter *rows);

/** loader__overflow() - get the counters of the streams for which the map had no room */
int loader__overflow(const struct loaded *loaded, struct tw_counter *rows);

/** loader__zero() - set the counters of a key to zero, whether it exists or not. Return: 0 or -errno */
int loader__zero(const struct loaded *loaded, const struct tw_counter_key *key);

/** loader__forget() - remove a key from the counters. Return: 0, -ENOENT */
int loader__forget(const struct loaded *loaded, const struct tw_counter_key *key);

/** loader__is_blank() - whether no stream and channel is counted */
bool loader__is_blank(const struct loaded *loaded);

#endif
