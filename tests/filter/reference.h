/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expected result of a classifier, as defined by filter/rules.h, in plain C: wire/decode.h parses frames, and the evaluator evaluates
 * events. The generated programs are compared with this result.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/bpf/program.h"
#include "filter/rules.h"

#define REFERENCE_ROWS (TW_RULES_MAX + 1 + TW_COUNT_MORE)

struct reference_result {
	uint8_t action;  /* enum tw_action */
	uint32_t arg;    /* the mark, or the interface */
	bool is_control; /* a control frame of the stream: in tc it is sent to every interface of a redirect rule, too */
	bool is_counted; /* false = not a frame; key and rows are zero */
	struct tw_counter_key key;
	struct tw_counter rows[REFERENCE_ROWS]; /* what the packet adds to the rows of its key; see tw_rules__rows() */
};

/**
 * reference__classify() - the expected result for a packet
 * @rules: their bound filters are prepared (tw_bound__prepare())
 * @options: hook and udp_port are used; not offload
 * @packet: from the Ethernet header on; events become FILTERED in it, and checksums are corrected
 */
void reference__classify(const struct tw_rules *rules, const struct tw_bpf_options *options, uint8_t *packet,
			 size_t len, struct reference_result *ret);

/** reference__retval() - return value of a program for an action: XDP_PASS, TC_ACT_SHOT ... */
uint32_t reference__retval(uint8_t hook, uint8_t action);

#endif
