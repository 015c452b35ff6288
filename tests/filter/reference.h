/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a classifier has to do with a packet, as filter/rules.h says it and in plain C: frames come through wire/decode.h, events
 * through the evaluator. The generated programs are held against this.
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
	uint8_t action; /* enum tw_action */
	uint32_t arg;   /* the mark, or the interface */
	bool is_control; /* a control frame of the stream: in tc it goes to every interface that a rule redirects to, too */
	bool is_counted; /* false = not ours; key and rows are zero */
	struct tw_counter_key key;
	struct tw_counter rows[REFERENCE_ROWS]; /* what the packet adds to the rows of its key; see tw_rules__rows() */
};

/**
 * reference__classify() - what has to happen to a packet
 * @rules: their bound filters are prepared (tw_bound__prepare())
 * @options: hook and udp_port matter; not offload
 * @packet: from the Ethernet header on; events become FILTERED in it, checksums follow
 */
void reference__classify(const struct tw_rules *rules, const struct tw_bpf_options *options, uint8_t *packet,
			 size_t len, struct reference_result *ret);

/** reference__retval() - what a program returns for an action: XDP_PASS, TC_ACT_SHOT ... */
uint32_t reference__retval(uint8_t hook, uint8_t action);

#endif
