/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares a classifier in the kernel with the reference. If they differ, each function fails the running cmocka test. */
#ifndef TESTS_FILTER_BPF_CHECK_H
#define TESTS_FILTER_BPF_CHECK_H

#include "tests/filter/bpf_frames.h"
#include "tests/filter/loader.h"
#include "tests/filter/reference.h"

#define BPF_CHECK_RULES 4

/* Rules for the events of formats.h. */
struct classifier {
	struct {
		const char *text;
		uint8_t action;
		uint32_t arg;
	} rules[BPF_CHECK_RULES];
	uint8_t default_action;
	uint32_t default_arg;
	bool any_schema;
};

struct under_test {
	const struct classifier *classifier;
	struct tw_rule rule[BPF_CHECK_RULES];
	struct tw_rules rules;
	struct tw_bpf_options options;
	struct loaded loaded;
};

/** bpf_check__bind() - bind the rules; bpf_check__set_up(): also generate the program, and load it */
void bpf_check__bind(struct under_test *t, const struct tw_schema *schema, const struct classifier *classifier);
void bpf_check__set_up(struct under_test *t, const struct tw_schema *schema, const struct classifier *classifier,
		       const struct tw_bpf_options *options);
void bpf_check__tear_down(struct under_test *t);

/** bpf_check__packet() - compare verdict, mark, bytes and counters for a packet. @what: printed if they differ */
void bpf_check__packet(const struct under_test *t, const struct packet *packet, const char *what);

/** bpf_check__counters() - check that the counters of the packet's stream and channel have the expected values */
void bpf_check__counters(const struct under_test *t, const struct reference_result *expected, const char *what);

#endif
