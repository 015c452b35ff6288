/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets with events for an expression, one event in each packet or several. */
#ifndef FRAMES_H
#define FRAMES_H

#include "filter/evaluate.h"
#include "records.h"

#define FRAMES_STREAM  0x1122334455667788ull
#define FRAMES_LEN_MAX 3400 /* longest packet that XDP has in one piece */
#define FRAMES_ETH     14

struct made_frame {
	uint8_t data[FRAMES_LEN_MAX + TW_COPY_STEP]; /* from the Ethernet header on */
	size_t len;
	bool is_single; /* the frame begins with its only event, which is of the rules' schema */
	bool is_whole;  /* the last record of the frame is whole, see struct made_record */
};

struct frame_options {
	struct record_options record;
	uint8_t percent_packed;
	bool only_ours; /* no frames of another schema or byte order */
};

/** frame__make() - make a random packet */
void frame__make(struct made_frame *frame, const struct expression *e, const struct frame_options *options,
		 struct chance *chance);

/** frame__event() - get the first event of the packet, as a receiver passes it to the evaluator */
struct tw_filter_event frame__event(const struct made_frame *frame);

#endif
