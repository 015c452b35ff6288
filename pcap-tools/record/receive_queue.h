/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's side that receivers see: slots to receive into, several at a time, each with frames of one length that came
 * together. An inlet belongs to one thread, which it never keeps waiting but in tw_inlet__wait().
 */
#ifndef TW_INLET_H
#define TW_INLET_H

#include "pcap-tools/record/slot_queue.h"

#define TW_INLET_SLOTS 16

struct tw_inlet;

/** tw_inlet__new() - the queue outlives it. Return: NULL without memory */
struct tw_inlet *tw_inlet__new(struct tw_slot_queue *queue);

/** tw_inlet__free() - what was not flushed is lost; NULL is fine */
void tw_inlet__free(struct tw_inlet *inlet);

/**
 * tw_inlet__room() - where frames may go
 * @ret: as many places as it returns, each of what a slot holds, bytes; the same ones again until something is put there
 * Return: how many; 0 = no slot is free: flush, wait, and try again.
 */
unsigned int tw_inlet__room(struct tw_inlet *inlet, uint8_t *ret[TW_INLET_SLOTS]);

/**
 * tw_inlet__put() - frames are in the place of that number
 * @len: of all of them, bytes
 * @segment: of one of them; the last may be shorter
 */
void tw_inlet__put(struct tw_inlet *inlet, unsigned int place, size_t len, size_t segment,
		   const struct tw_arrival *arrival);

/**
 * tw_inlet__copy() - frames, at most what a slot holds, after all that was put
 * @len, @segment: as tw_inlet__put() has them
 * Return: false if no slot is free: as tw_inlet__room()
 */
bool tw_inlet__copy(struct tw_inlet *inlet, const void *frames, size_t len, size_t segment,
		    const struct tw_arrival *arrival);

/** tw_inlet__retire() - in that place a stream is over, as it has to make room for another. Return: the same */
bool tw_inlet__retire(struct tw_inlet *inlet, uint64_t stream_id);

/**
 * tw_inlet__flush() - what was put goes to the writer
 * Return: 0; -EAGAIN while no slot is free; -EBUSY if another thread is at the queue, so that it is still here; the writer's failure,
 * after which it counts what comes.
 */
int tw_inlet__flush(struct tw_inlet *inlet);

/** tw_inlet__holds() - whether something was put that is not flushed yet */
bool tw_inlet__holds(const struct tw_inlet *inlet);

/** tw_inlet__wait() - until there may be room, in poll(), for @timeout_ms at most */
void tw_inlet__wait(struct tw_inlet *inlet, int timeout_ms);

#endif
