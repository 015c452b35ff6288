/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's side that producers see: a sink (transport/sink.h) of slots, each with one frame. */
#ifndef TW_SLOT_SINK_H
#define TW_SLOT_SINK_H

#include "pcap-tools/record/slot_queue.h"
#include "transport/sink.h"

/**
 * tw_slot_sink__new() - for one thread; the queue outlives it
 * @batch: slots that it takes and hands over at a time
 * @frame_max: what a slot has room for, bytes
 * Return: NULL without memory.
 */
struct tw_sink *tw_slot_sink__new(struct tw_slot_queue *queue, uint32_t batch, size_t frame_max);

#endif
