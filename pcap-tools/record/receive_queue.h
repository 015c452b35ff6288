/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's interface for receivers: several slots at a time to receive into. A filled slot contains frames of one length that
 * arrived together. A receive queue belongs to one thread, which never blocks except in tw_receive_queue__wait().
 */
#ifndef TW_RECEIVE_QUEUE_H
#define TW_RECEIVE_QUEUE_H

#include "pcap-tools/record/slot_queue.h"

#define TW_RECEIVE_QUEUE_SLOTS 16 /* largest number of places */

struct tw_receive_queue;

/** tw_receive_queue__new() - @slots: must outlive the receive queue. Return: NULL without memory */
struct tw_receive_queue *tw_receive_queue__new(struct tw_slot_queue *slots);

/** tw_receive_queue__free() - frames that were not flushed are lost; NULL is fine */
void tw_receive_queue__free(struct tw_receive_queue *queue);

/**
 * tw_receive_queue__room() - get places to receive frames into
 * @ret: the places, each with the size of a slot. A place is returned by each call until tw_receive_queue__put() fills it
 *
 * Return: number of places; 0 = no slot is free: flush, wait, and try again.
 */
unsigned int tw_receive_queue__room(struct tw_receive_queue *queue, uint8_t *ret[TW_RECEIVE_QUEUE_SLOTS]);

/**
 * tw_receive_queue__put() - append a filled place to the queue
 * @place: its index in the result of tw_receive_queue__room()
 * @len: length of all frames in it, bytes
 * @segment: length of each frame, bytes; the last frame may be shorter
 */
void tw_receive_queue__put(struct tw_receive_queue *queue, unsigned int place, size_t len, size_t segment,
			   const struct tw_arrival *arrival);

/**
 * tw_receive_queue__copy() - append a copy of frames to the queue
 * @len, @segment: as for tw_receive_queue__put(); @len is at most the size of a slot
 * Return: false if no slot is free: flush, wait, and try again
 */
bool tw_receive_queue__copy(struct tw_receive_queue *queue, const void *frames, size_t len, size_t segment,
			    const struct tw_arrival *arrival);

/** tw_receive_queue__retire() - append a message that admission has evicted a stream. Return: false if no slot is free */
bool tw_receive_queue__retire(struct tw_receive_queue *queue, uint64_t stream_id);

/**
 * tw_receive_queue__flush() - pass the queue to the writer
 * Return: 0; -EAGAIN if the queue was passed and no slot is free; -EBUSY if another thread has the lock of the slots: nothing was
 * passed; the writer's failure, after which the writer only counts frames.
 */
int tw_receive_queue__flush(struct tw_receive_queue *queue);

/** tw_receive_queue__holds() - whether the queue contains slots that were not flushed */
bool tw_receive_queue__holds(const struct tw_receive_queue *queue);

/** tw_receive_queue__wait() - wait in poll() for a free slot, at most @timeout_ms */
void tw_receive_queue__wait(struct tw_receive_queue *queue, int timeout_ms);

#endif
