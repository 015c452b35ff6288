/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of one stream that wait in memory until it is known who sent them and what its clock means. */
#ifndef TW_HOLD_H
#define TW_HOLD_H

#include "pcap-tools/merge/merge.h"

/* Zeroed = empty. */
struct tw_hold {
	uint8_t *bytes;
	size_t len, cap;
};

struct tw_hold_packet {
	uint64_t time; /* in the stream's clock */
	const uint8_t *frame;
	uint32_t len;
	bool is_event;
};

/** tw_hold__put() - keep a copy behind the others. Return: 0, -ENOMEM */
int tw_hold__put(struct tw_hold *hold, const struct tw_merged *out);

/** tw_hold__next() - read the packet at @at, which goes on to the next and begins with 0. Return: false at the end */
bool tw_hold__next(const struct tw_hold *hold, size_t *at, struct tw_hold_packet *ret);

/** tw_hold__fini() - frees them; it is empty again */
void tw_hold__fini(struct tw_hold *hold);

#endif
