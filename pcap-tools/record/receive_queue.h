/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's side that receivers see: slots to receive into, several at a time, each with frames of one length that came
 * together. A receive queue belongs to one thread, which it never keeps waiting but in tw_receive_queue__wait().
 */
#ifndef TW_RECEIVE_QUEUE_H
#define TW_RECEIVE_QUEUE_H

#include "pcap-tools/record/slot_queue.h"

#define TW_RECEIVE_QUEUE_SLOTS 16

struct tw_receive_queue;

/** tw_receive_queue__new() - the slots outlive it. Return: NULL without memory */
struct tw_receive_queue *tw_receive_queue__new(struct tw_slot_queue *slots);

/** tw_receive_queue__free() - what was not flushed is lost; NULL is fine */
void tw_receive_queue__free(struct tw_receive_queue *queue);

/**
 * tw_receive_queue__room() - where frames may go
 * @ret: as many places as it returns, each of what a slot holds, bytes; the same ones again until something is put there
 * Return: how many; 0 = no slot is free: flush, wait, and try again.
 */
unsigned int tw_receive_queue__room(struct tw_receive_queue *queue, uint8_t *ret[TW_RECEIVE_QUEUE_SLOTS]);

/**
 * tw_receive_queue__put() - frames are in the place of that number
 * @len: of all of them, bytes
 * @segment: of one of them; the last may be shorter
 */
void tw_receive_queue__put(struct tw_receive_queue *queue, unsigned int place, size_t len, size_t segment,
			   const struct tw_arrival *arrival);

/**
 * tw_receive_queue__copy() - frames, at most what a slot holds, after all that was put
 * @len, @segment: as tw_receive_queue__put() has them
 * Return: false if no slot is free: as tw_receive_queue__room()
 */
bool tw_receive_queue__copy(struct tw_receive_queue *queue, const void *frames, size_t len, size_t segment,
			    const struct tw_arrival *arrival);

/** tw_receive_queue__retire() - in that place a stream is over, as it has to make room for another. Return: the same */
bool tw_receive_queue__retire(struct tw_receive_queue *queue, uint64_t stream_id);

/**
 * tw_receive_queue__flush() - what was put goes to the writer
 * Return: 0; -EAGAIN while no slot is free; -EBUSY if another thread is at the queue, so that it is still here; the writer's failure,
 * after which it counts what comes.
 */
int tw_receive_queue__flush(struct tw_receive_queue *queue);

/** tw_receive_queue__holds() - whether something was put that is not flushed yet */
bool tw_receive_queue__holds(const struct tw_receive_queue *queue);

/** tw_receive_queue__wait() - until there may be room, in poll(), for @timeout_ms at most */
void tw_receive_queue__wait(struct tw_receive_queue *queue, int timeout_ms);

#endif
