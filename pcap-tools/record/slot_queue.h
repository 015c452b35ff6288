/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded pool of slots for frames and the queue through which filled ones go from many threads to one. Both sides move whole lists
 * under one lock, so that its cost is per batch, and a waiting reader is woken once. A receiver, which must not wait for anybody
 * but for what it receives, tries to take the lock, and waits for unused slots in poll().
 */
#ifndef TW_SLOT_QUEUE_H
#define TW_SLOT_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcap-tools/merge/merge.h"
#include "transport/sink.h"

struct tw_recorder;

struct tw_slot {
	struct tw_slot *next;
	size_t len;                /* of the frames in it, bytes */
	size_t segment;            /* of one of them; the last may be shorter */
	struct tw_arrival arrival; /* all zero: it was made here */
	bool retires;              /* no frames are in it: a stream has given its place away */
	uint64_t stream_id;        /* with that */
	uint8_t *data;
	struct tw_borrowed_buffer buffer; /* this and what follows is the reader's: the merge borrows it */
	struct tw_recorder *recorder;     /* that it returns to */
	bool borrowed;                    /* the merge has frames in it, though all of them were looked at */
};

/** tw_slot__frames() - how many are in it; one without bytes is a frame, too */
static inline uint64_t tw_slot__frames(const struct tw_slot *slot)
{
	if (slot->retires)
		return 0;
	return slot->segment && slot->len ? (slot->len + slot->segment - 1) / slot->segment : 1;
}

struct tw_slot_list {
	struct tw_slot *first, *last;
	uint32_t n;
};

void tw_slot_list__append(struct tw_slot_list *list, struct tw_slot_list *more);
void tw_slot_list__push(struct tw_slot_list *list, struct tw_slot *slot);
struct tw_slot *tw_slot_list__pop(struct tw_slot_list *list);

/** tw_slot_list__push_frames() - a slot that was filled, as struct tw_slot has it */
void tw_slot_list__push_frames(struct tw_slot_list *list, struct tw_slot *slot, size_t len, size_t segment,
			       const struct tw_arrival *arrival);

struct tw_slot_queue {
	pthread_mutex_t lock;
	int filled_fd, unused_fd; /* eventfds: wake the reader, and the thread that waits for unused slots */
	atomic_bool wants_unused; /* somebody does */
	struct tw_slot_list unused, filled;
	struct tw_slot *slots;
	uint8_t *memory;
	const uint8_t *cold; /* from here on it is used only if nothing else is left */
	bool waiting;        /* the reader sleeps */
	bool ended;
	int err; /* the reader's failure */
};

/** tw_slot_queue__init() - @count slots of @size bytes. Return: 0, -ENOMEM, what eventfd() said */
int tw_slot_queue__init(struct tw_slot_queue *q, uint32_t count, size_t size);

/** tw_slot_queue__fini() - of an initialised queue that no thread uses any more */
void tw_slot_queue__fini(struct tw_slot_queue *q);

/** tw_slot_queue__take() - up to @n unused slots more in @list; 0 come if there are none */
void tw_slot_queue__take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list);

/** tw_slot_queue__give() - the slots of @list are unused again; it becomes empty */
void tw_slot_queue__give(struct tw_slot_queue *q, struct tw_slot_list *list);

/** tw_slot_queue__try_take() and tw_slot_queue__try_put() - the same without waiting. Return: -EBUSY, if another thread has the lock */
int tw_slot_queue__try_take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list);
int tw_slot_queue__try_put(struct tw_slot_queue *q, struct tw_slot_list *list);

/** tw_slot_queue__wait_for_unused() - in poll() only, for @timeout_ms at most; one thread at a time */
void tw_slot_queue__wait_for_unused(struct tw_slot_queue *q, int timeout_ms);

/** tw_slot_queue__frames() - in slots that were filled and not taken by the reader */
uint64_t tw_slot_queue__frames(struct tw_slot_queue *q);

/**
 * tw_slot_queue__wait() - the reader: all filled slots, after waiting for @timeout_ms for some
 * Return: false once the queue has ended and is empty.
 */
bool tw_slot_queue__wait(struct tw_slot_queue *q, uint32_t timeout_ms, struct tw_slot_list *ret);

/** tw_slot_queue__end() - no more will be put */
void tw_slot_queue__end(struct tw_slot_queue *q);

/** tw_slot_queue__fail() - the reader's failure; the first one counts */
void tw_slot_queue__fail(struct tw_slot_queue *q, int err);

/**
 * tw_slot_sink__new() - a sink of slots, each with one frame, for a producer's thread
 * @queue: outlives it
 * @batch: slots that it takes and hands over at a time
 * @frame_max: what a slot has room for, bytes
 * Return: NULL without memory.
 */
struct tw_sink *tw_slot_sink__new(struct tw_slot_queue *queue, uint32_t batch, size_t frame_max);

#endif
