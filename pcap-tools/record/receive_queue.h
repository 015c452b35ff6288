/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's interface for receivers: slots to receive into, several at a time, each with frames of one length that arrived
 * together. A receive queue belongs to one thread, which never blocks except in tw_receive_queue__wait().
 */
#ifndef TW_RECEIVE_QUEUE_H
#define TW_RECEIVE_QUEUE_H

#include "pcap-tools/record/slot_queue.h"

#define TW_RECEIVE_QUEUE_SLOTS 16

struct tw_receive_queue;

/** tw_receive_queue__new() - the slots must outlive it. Return: NULL without memory */
struct tw_receive_queue *tw_receive_queue__new(struct tw_slot_queue *slots);

/** tw_receive_queue__free() - free it; frames that were not flushed are lost; NULL is fine */
void tw_receive_queue__free(struct tw_receive_queue *queue);

/**
 * tw_receive_queue__room() - places for frames
 * @ret: as many places as it returns, each with the size of a slot, bytes; the same ones again until one is filled
 *
 * Return: number of places; 0 = no slot is free: flush, wait, and try again.
 */
unsigned int tw_receive_queue__room(struct tw_receive_queue *queue, uint8_t *ret[TW_RECEIVE_QUEUE_SLOTS]);

/**
 * tw_receive_queue__put() - the place of that number is filled
 * @len: of all frames, bytes
 * @segment: of one of them; the last may be shorter
 */
void tw_receive_queue__put(struct tw_receive_queue *queue, unsigned int place, size_t len, size_t segment,
			   const struct tw_arrival *arrival);

/**
 * tw_receive_queue__copy() - copy frames, at most the size of a slot, after all that was put
 * @len, @segment: as for tw_receive_queue__put()
 * Return: false if no slot is free: as tw_receive_queue__room()
 */
bool tw_receive_queue__copy(struct tw_receive_queue *queue, const void *frames, size_t len, size_t segment,
			    const struct tw_arrival *arrival);

/** tw_receive_queue__retire() - in this place of the sequence a stream is over, because it was evicted. Return: the same */
bool tw_receive_queue__retire(struct tw_receive_queue *queue, uint64_t stream_id);

/**
 * tw_receive_queue__flush() - pass what was put to the writer
 * Return: 0; -EAGAIN while no slot is free; -EBUSY if another thread has the queue's lock, and nothing was passed; the writer's failure,
 * after which the writer only counts frames.
 */
int tw_receive_queue__flush(struct tw_receive_queue *queue);

/** tw_receive_queue__holds() - whether something was put and not flushed */
bool tw_receive_queue__holds(const struct tw_receive_queue *queue);

/** tw_receive_queue__wait() - wait for room in poll(), at most @timeout_ms */
void tw_receive_queue__wait(struct tw_receive_queue *queue, int timeout_ms);

#endif
