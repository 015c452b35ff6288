/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/slot_queue.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "pcap-tools/large.h"

#define SLOT_ALIGN 64                /* bytes: a cache line */
#define HOT_BYTES  ((size_t)8 << 20) /* bytes of the pool that are sufficient while the reader keeps up */

static void slot_list__append(struct tw_slot_list *list, struct tw_slot_list *more)
{
	if (!more->first)
		return;
	if (list->last)
		list->last->next = more->first;
	else
		list->first = more->first;
	list->last = more->last;
	list->n += more->n;
	*more = (struct tw_slot_list){ .n = 0 };
}

void tw_slot_list__push(struct tw_slot_list *list, struct tw_slot *slot)
{
	struct tw_slot_list one = { .first = slot, .last = slot, .n = 1 };

	slot->next = NULL;
	slot_list__append(list, &one);
}

/* Appends a filled slot. @len, @segment, @arrival: as in struct tw_slot */
static void slot_list__push_frames(struct tw_slot_list *list, struct tw_slot *slot, size_t len, size_t segment,
				   const struct tw_arrival *arrival)
{
	slot->len = len;
	slot->segment = segment;
	slot->arrival = *arrival;
	slot->retires = false;
	tw_slot_list__push(list, slot);
}

struct tw_slot *tw_slot_list__pop(struct tw_slot_list *list)
{
	struct tw_slot *slot = list->first;

	if (!slot)
		return NULL;
	list->first = slot->next;
	if (!list->first)
		list->last = NULL;
	list->n--;
	return slot;
}

/* Ignores EAGAIN: an eventfd whose counter is at its maximum is readable, so its waiters are awake. */
static void wake(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void wait_for(int fd, int timeout_ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	uint64_t times;

	if (poll(&ready, 1, timeout_ms) > 0)
		while (read(fd, &times, sizeof(times)) < 0 && errno == EINTR)
			;
}

static int slot_queue__alloc(struct tw_slot_queue *q, uint32_t count, size_t step)
{
	const size_t bytes = count * step, hot = bytes < HOT_BYTES ? bytes : HOT_BYTES;

	q->slots = calloc(count, sizeof(*q->slots));
	q->memory = tw_large__alloc(bytes, hot);
	if (!q->slots || !q->memory)
		return -ENOMEM;
	q->cold = q->memory + hot;
	for (uint32_t i = 0; i < count; i++) {
		q->slots[i].data = q->memory + i * step;
		tw_slot_list__push(&q->unused, &q->slots[i]);
	}
	return 0;
}

int tw_slot_queue__init(struct tw_slot_queue *q, uint32_t count, size_t size)
{
	const size_t step = (size + SLOT_ALIGN - 1) & ~(size_t)(SLOT_ALIGN - 1);
	int err;

	*q = (struct tw_slot_queue){ .filled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
				     .unused_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	err = q->filled_fd < 0 || q->unused_fd < 0 ? -errno : 0;
	pthread_mutex_init(&q->lock, NULL);
	if (!err)
		err = slot_queue__alloc(q, count, step);
	if (err)
		tw_slot_queue__fini(q);
	return err;
}

void tw_slot_queue__fini(struct tw_slot_queue *q)
{
	pthread_mutex_destroy(&q->lock);
	if (q->filled_fd >= 0)
		close(q->filled_fd);
	if (q->unused_fd >= 0)
		close(q->unused_fd);
	free(q->slots);
	free(q->memory);
}

/* Called with the lock, which it releases. */
static void slot_queue__take_and_unlock(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list)
{
	while (n-- && q->unused.first)
		tw_slot_list__push(list, tw_slot_list__pop(&q->unused));
	pthread_mutex_unlock(&q->lock);
}

void tw_slot_queue__take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list)
{
	pthread_mutex_lock(&q->lock);
	slot_queue__take_and_unlock(q, n, list);
}

void tw_slot_queue__give(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	struct tw_slot_list hot = { .n = 0 }, cold = { .n = 0 };
	struct tw_slot *slot;

	while ((slot = tw_slot_list__pop(list)))
		tw_slot_list__push(slot->data < q->cold ? &hot : &cold, slot);
	pthread_mutex_lock(&q->lock);
	slot_list__append(&hot, &q->unused); /* hot slots first: the most recently used ones are still in the cache */
	slot_list__append(&hot, &cold);
	q->unused = hot;
	pthread_mutex_unlock(&q->lock);
	if (atomic_exchange(&q->wants_unused, false))
		wake(q->unused_fd);
}

/*
 * Passes the filled slots of @list to the reader and wakes it; the list becomes empty. After a failure, the reader only counts the frames.
 * Called with the lock, which it releases. Return: 0; -EAGAIN if no slot is unused; the reader's failure.
 */
static int slot_queue__put_and_unlock(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	bool wakes;
	int err;

	slot_list__append(&q->filled, list);
	err = q->err;
	if (!err && !q->unused.first)
		err = -EAGAIN;
	wakes = q->waiting && q->filled.first;
	if (wakes)
		q->waiting = false;
	pthread_mutex_unlock(&q->lock);
	if (wakes)
		wake(q->filled_fd);
	return err;
}

static int slot_queue__put(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	pthread_mutex_lock(&q->lock);
	return slot_queue__put_and_unlock(q, list);
}

bool tw_slot_queue__wait(struct tw_slot_queue *q, uint32_t timeout_ms, struct tw_slot_list *ret)
{
	bool more;

	pthread_mutex_lock(&q->lock);
	if (!q->filled.first && !q->ended) {
		q->waiting = true;
		pthread_mutex_unlock(&q->lock);
		wait_for(q->filled_fd, (int)timeout_ms);
		pthread_mutex_lock(&q->lock);
	}
	q->waiting = false;
	more = q->filled.first || !q->ended;
	slot_list__append(ret, &q->filled);
	pthread_mutex_unlock(&q->lock);
	return more;
}

uint64_t tw_slot_queue__frames(struct tw_slot_queue *q)
{
	uint64_t n = 0;

	pthread_mutex_lock(&q->lock);
	for (const struct tw_slot *slot = q->filled.first; slot; slot = slot->next)
		n += tw_slot__frames(slot);
	pthread_mutex_unlock(&q->lock);
	return n;
}

void tw_slot_queue__end(struct tw_slot_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->ended = true;
	pthread_mutex_unlock(&q->lock);
	wake(q->filled_fd);
}

void tw_slot_queue__fail(struct tw_slot_queue *q, int err)
{
	pthread_mutex_lock(&q->lock);
	if (!q->err)
		q->err = err;
	pthread_mutex_unlock(&q->lock);
}

struct slot_sink {
	struct tw_sink sink;
	struct tw_slot_queue *queue;
	uint32_t batch;
	struct tw_slot *current;               /* reserved and not committed; NULL = none */
	struct tw_slot_list unused, committed; /* slots taken for further frames; slots not passed to the reader yet */
	struct tw_sink_stats stats;
};

static void *sink__reserve(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	if (s->current)
		return s->current->data;
	if (!s->unused.first)
		tw_slot_queue__take(s->queue, s->batch, &s->unused);
	s->current = tw_slot_list__pop(&s->unused);
	if (s->current)
		return s->current->data;
	s->stats.waits++;
	return NULL;
}

static void sink__commit(struct tw_sink *sink, size_t len)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	slot_list__push_frames(&s->committed, s->current, len, len, &(struct tw_arrival){ 0 });
	s->current = NULL;
	s->stats.frames++;
	s->stats.bytes += len;
	if (s->committed.n >= s->batch)
		slot_queue__put(s->queue, &s->committed);
}

static int sink__flush(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;
	const int err = slot_queue__put(s->queue, &s->committed);

	return err == -EAGAIN && s->unused.first ? 0 : err;
}

static void sink__stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	*ret = ((struct slot_sink *)sink)->stats;
}

static void sink__give_up(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	for (const struct tw_slot *slot = s->committed.first; slot; slot = slot->next)
		tw_sink_stats__drop(&s->stats, slot->data);
	slot_list__append(&s->unused, &s->committed);
}

static void sink__close(struct tw_sink *sink)
{
	struct slot_sink *s = (struct slot_sink *)sink;

	if (s->current)
		tw_slot_list__push(&s->unused, s->current);
	slot_list__append(&s->unused, &s->committed);
	tw_slot_queue__give(s->queue, &s->unused);
	free(s);
}

struct tw_sink *tw_slot_sink__new(struct tw_slot_queue *queue, uint32_t batch, size_t frame_max)
{
	static const struct tw_sink_ops ops = {
		.reserve = sink__reserve,
		.commit = sink__commit,
		.flush = sink__flush,
		.stats = sink__stats,
		.give_up = sink__give_up,
		.close = sink__close,
	};
	struct slot_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink = (struct tw_sink){ .ops = &ops, .frame_max = frame_max, .how = "pcapng file" };
	s->queue = queue;
	s->batch = batch;
	return &s->sink;
}

struct tw_receive_queue {
	struct tw_slot_queue *slots;
	struct tw_slot *places[TW_RECEIVE_QUEUE_SLOTS]; /* slots to receive into; NULL = no slot, or in `filled` */
	struct tw_slot_list unused, filled;
};

struct tw_receive_queue *tw_receive_queue__new(struct tw_slot_queue *slots)
{
	struct tw_receive_queue *queue = calloc(1, sizeof(*queue));

	if (queue)
		queue->slots = slots;
	return queue;
}

void tw_receive_queue__free(struct tw_receive_queue *queue)
{
	if (!queue)
		return;
	for (unsigned int i = 0; i < TW_RECEIVE_QUEUE_SLOTS; i++) {
		if (queue->places[i])
			tw_slot_list__push(&queue->unused, queue->places[i]);
	}
	slot_list__append(&queue->unused, &queue->filled);
	tw_slot_queue__give(queue->slots, &queue->unused);
	free(queue);
}

static struct tw_slot *receive_queue__slot(struct tw_receive_queue *queue)
{
	if (!queue->unused.first && !pthread_mutex_trylock(&queue->slots->lock))
		slot_queue__take_and_unlock(queue->slots, TW_RECEIVE_QUEUE_SLOTS, &queue->unused);
	return tw_slot_list__pop(&queue->unused);
}

/* Takes the last slot after @place, to close a gap in `places` when no other slot is free. Return: NULL if there is no such slot */
static struct tw_slot *receive_queue__move(struct tw_receive_queue *queue, unsigned int place)
{
	for (unsigned int i = TW_RECEIVE_QUEUE_SLOTS - 1; i > place; i--) {
		struct tw_slot *slot = queue->places[i];

		queue->places[i] = NULL;
		if (slot)
			return slot;
	}
	return NULL;
}

unsigned int tw_receive_queue__room(struct tw_receive_queue *queue, uint8_t *ret[TW_RECEIVE_QUEUE_SLOTS])
{
	unsigned int n = 0;

	for (; n < TW_RECEIVE_QUEUE_SLOTS; n++) {
		struct tw_slot **place = &queue->places[n];

		if (!*place)
			*place = receive_queue__slot(queue);
		if (!*place)
			*place = receive_queue__move(queue, n);
		if (!*place)
			break;
		ret[n] = (*place)->data;
	}
	return n;
}

void tw_receive_queue__put(struct tw_receive_queue *queue, unsigned int place, size_t len, size_t segment,
			   const struct tw_arrival *arrival)
{
	slot_list__push_frames(&queue->filled, queue->places[place], len, segment, arrival);
	queue->places[place] = NULL;
}

bool tw_receive_queue__copy(struct tw_receive_queue *queue, const void *frames, size_t len, size_t segment,
			    const struct tw_arrival *arrival)
{
	struct tw_slot *slot = receive_queue__slot(queue);

	if (!slot)
		return false;
	memcpy(slot->data, frames, len);
	slot_list__push_frames(&queue->filled, slot, len, segment, arrival);
	return true;
}

bool tw_receive_queue__retire(struct tw_receive_queue *queue, uint64_t stream_id)
{
	struct tw_slot *slot = receive_queue__slot(queue);

	if (!slot)
		return false;
	slot_list__push_frames(&queue->filled, slot, 0, 1, &(struct tw_arrival){ 0 });
	slot->retires = true;
	slot->stream_id = stream_id;
	return true;
}

int tw_receive_queue__flush(struct tw_receive_queue *queue)
{
	if (pthread_mutex_trylock(&queue->slots->lock))
		return -EBUSY;
	return slot_queue__put_and_unlock(queue->slots, &queue->filled);
}

bool tw_receive_queue__holds(const struct tw_receive_queue *queue)
{
	return queue->filled.first;
}

void tw_receive_queue__wait(struct tw_receive_queue *queue, int timeout_ms)
{
	struct tw_slot_queue *q = queue->slots;
	bool some;

	atomic_store(&q->wants_unused, true);
	if (pthread_mutex_trylock(&q->lock)) {
		timeout_ms = 1; /* the thread that has the lock may be returning slots: try again soon */
	} else {
		some = q->unused.first;
		pthread_mutex_unlock(&q->lock);
		if (some)
			return;
	}
	wait_for(q->unused_fd, timeout_ms);
}
