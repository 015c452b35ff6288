/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded pool of slots for frames, and the queue that passes filled slots from many threads to one, the reader. Producers fill slots
 * through a sink, receivers through a receive queue. Both sides move whole lists under one lock, so the lock is taken once for each batch,
 * and a waiting reader is woken once. A receiver's thread must not wait for the lock: it only tries to take the lock, and waits for
 * unused slots in poll().
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
	size_t len;                /* length of all frames in it, bytes */
	size_t segment;            /* length of each frame, bytes; the last frame may be shorter */
	struct tw_arrival arrival; /* all zero = the frames were made on this machine */
	bool retires;              /* the slot is a message without frames: admission has evicted a stream */
	uint64_t stream_id;        /* the evicted stream; valid if retires */
	uint8_t *data;

	/* Used only by the reader. */
	struct tw_borrowed_buffer buffer; /* lends the slot to the merge */
	struct tw_recorder *recorder;     /* the recorder to which the merge returns the slot */
	bool borrowed;                    /* the merge still uses frames in the slot */
};

/** tw_slot__frames() - number of frames in a slot; a frame may have length 0 */
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

/** tw_slot_list__push() - append a slot; tw_slot_list__pop(): unlink the first one, NULL if the list is empty */
void tw_slot_list__push(struct tw_slot_list *list, struct tw_slot *slot);
struct tw_slot *tw_slot_list__pop(struct tw_slot_list *list);

struct tw_slot_queue {
	pthread_mutex_t lock;
	int filled_fd, unused_fd; /* eventfds: wake the reader, and the thread that waits for unused slots */
	atomic_bool wants_unused; /* a thread waits for unused slots */
	struct tw_slot_list unused, filled;
	struct tw_slot *slots;
	uint8_t *memory;
	const uint8_t *cold; /* address in `memory`: slots from there on are taken last */
	bool waiting;        /* the reader waits for filled slots */
	bool ended;          /* no more filled slots will come */
	int err;             /* -errno of the reader's first failure; 0 = none */
};

/** tw_slot_queue__init() - make a queue with @count slots of @size bytes. Return: 0, -ENOMEM, errors of eventfd() */
int tw_slot_queue__init(struct tw_slot_queue *q, uint32_t count, size_t size);

/** tw_slot_queue__fini() - release the members of a queue that no thread uses */
void tw_slot_queue__fini(struct tw_slot_queue *q);

/** tw_slot_queue__take() - move up to @n unused slots to @list; does not wait for slots */
void tw_slot_queue__take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list);

/** tw_slot_queue__give() - return the slots of @list as unused; the list becomes empty */
void tw_slot_queue__give(struct tw_slot_queue *q, struct tw_slot_list *list);

/** tw_slot_queue__frames() - number of frames in filled slots that the reader has not taken */
uint64_t tw_slot_queue__frames(struct tw_slot_queue *q);

/**
 * tw_slot_queue__wait() - move all filled slots to @ret, waiting for them at most @timeout_ms; called by the reader
 * Return: false if the queue has ended and is empty.
 */
bool tw_slot_queue__wait(struct tw_slot_queue *q, uint32_t timeout_ms, struct tw_slot_list *ret);

/** tw_slot_queue__end() - end the queue: no more filled slots will come */
void tw_slot_queue__end(struct tw_slot_queue *q);

/** tw_slot_queue__fail() - set the reader's failure; the first one is kept */
void tw_slot_queue__fail(struct tw_slot_queue *q, int err);

/**
 * tw_slot_sink__new() - make a sink for a producer's thread; each of its slots has one frame
 * @queue: must outlive the sink
 * @batch: number of slots that the sink takes and passes on at a time
 * @frame_max: size of a slot, bytes
 * Return: NULL without memory.
 */
struct tw_sink *tw_slot_sink__new(struct tw_slot_queue *queue, uint32_t batch, size_t frame_max);

/*
 * A receive queue gives a receiver several slots at a time, into which the receiver receives frames. A filled slot contains frames of one
 * length that arrived together. A receive queue belongs to one thread. Only tw_receive_queue__wait() and tw_receive_queue__free()
 * may block.
 */
#define TW_RECEIVE_QUEUE_SLOTS 16 /* largest number of slots to receive into */

struct tw_receive_queue;

/** tw_receive_queue__new() - make a receive queue. @slots: must outlive the receive queue. Return: NULL without memory */
struct tw_receive_queue *tw_receive_queue__new(struct tw_slot_queue *slots);

/** tw_receive_queue__free() - free the queue; frames that were not flushed are lost; NULL is fine */
void tw_receive_queue__free(struct tw_receive_queue *queue);

/**
 * tw_receive_queue__room() - get free slots to receive frames into
 * @ret: the memory of the slots. Later calls return a slot again until tw_receive_queue__put() appends it
 *
 * Return: number of slots; 0 = no slot is free: flush, wait, and try again.
 */
unsigned int tw_receive_queue__room(struct tw_receive_queue *queue, uint8_t *ret[TW_RECEIVE_QUEUE_SLOTS]);

/**
 * tw_receive_queue__put() - append a filled slot to the queue
 * @place: index of the slot in the result of tw_receive_queue__room()
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
 * tw_receive_queue__flush() - pass the filled slots to the reader
 * Return: 0; -EAGAIN if the slots were passed and no slot is free; -EBUSY if another thread has the lock of the slots: nothing was
 * passed; the reader's failure, after which the reader only counts frames.
 */
int tw_receive_queue__flush(struct tw_receive_queue *queue);

/** tw_receive_queue__holds() - whether the queue contains slots that were not flushed */
bool tw_receive_queue__holds(const struct tw_receive_queue *queue);

/** tw_receive_queue__wait() - wait in poll() for a free slot, at most @timeout_ms; one thread at a time */
void tw_receive_queue__wait(struct tw_receive_queue *queue, int timeout_ms);

#endif
