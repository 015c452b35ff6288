/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes HOST, CLOCK, SCHEMA, COMM, SYMBOL, STATS and END records to the frames of the control channel. A record that is larger than a
 * frame is divided into PART records.
 */
#ifndef TW_CONTROL_CHANNEL_H
#define TW_CONTROL_CHANNEL_H

#include "producer/frame_writer.h"
#include "producer/schema_texts.h"
#include "producer/tasks.h"
#include "wire/decode.h"

struct tw_control_channel {
	struct tw_frame_writer *writer;
	struct tw_producer_channel channel;
	uint64_t time; /* base time of the next frames; set by the metadata sender */
};

/** tw_control_channel__init() - initialise; @writer is borrowed */
void tw_control_channel__init(struct tw_control_channel *control, struct tw_frame_writer *writer);

/*
 * Each function adds records of one type. A record that cannot be sent is counted as shed, and leaves a gap in the numbers of the channel.
 */
void tw_control_channel__host(struct tw_control_channel *control, const struct tw_attr_view *attrs, size_t n);
void tw_control_channel__clock(struct tw_control_channel *control, const struct tw_clock_view *sample);
void tw_control_channel__texts(struct tw_control_channel *control, const struct tw_schema_texts *texts);
void tw_control_channel__task(struct tw_control_channel *control, const struct tw_producer_task *task);
void tw_control_channel__symbol(struct tw_control_channel *control, const struct tw_symbol_view *symbol);
void tw_control_channel__stats(struct tw_control_channel *control, const struct tw_stat_view *stats, size_t n);
void tw_control_channel__last(struct tw_control_channel *control); /* END: the producer has stopped */

/** tw_control_channel__end() - commit the open frame if it belongs to the control channel, so that the next flush sends its records */
void tw_control_channel__end(struct tw_control_channel *control);

#endif
