/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/slot_queue.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/large.h"

#define SLOT_ALIGN 64
#define HOT_BYTES  ((size_t)8 << 20) /* in the slots that are used as long as the reader keeps up */

void tw_slot_list__append(struct tw_slot_list *list, struct tw_slot_list *more)
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
	tw_slot_list__append(list, &one);
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

/* A counter that is full has woken everybody. */
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

static int queue__alloc(struct tw_slot_queue *q, uint32_t count, size_t step)
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

static int queue__open_events(struct tw_slot_queue *q)
{
	q->filled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	q->unused_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return q->filled_fd < 0 || q->unused_fd < 0 ? -errno : 0;
}

int tw_slot_queue__init(struct tw_slot_queue *q, uint32_t count, size_t size)
{
	const size_t step = (size + SLOT_ALIGN - 1) & ~(size_t)(SLOT_ALIGN - 1);
	int err;

	*q = (struct tw_slot_queue){ .filled_fd = -1, .unused_fd = -1 };
	pthread_mutex_init(&q->lock, NULL);
	err = queue__alloc(q, count, step);
	if (!err)
		err = queue__open_events(q);
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

static void queue__take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list)
{
	while (n-- && q->unused.first)
		tw_slot_list__push(list, tw_slot_list__pop(&q->unused));
	pthread_mutex_unlock(&q->lock);
}

void tw_slot_queue__take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list)
{
	pthread_mutex_lock(&q->lock);
	queue__take(q, n, list);
}

int tw_slot_queue__try_take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list)
{
	if (pthread_mutex_trylock(&q->lock))
		return -EBUSY;
	queue__take(q, n, list);
	return 0;
}

void tw_slot_queue__give(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	struct tw_slot_list hot = { .n = 0 }, cold = { .n = 0 };
	struct tw_slot *slot;

	while ((slot = tw_slot_list__pop(list)))
		tw_slot_list__push(slot->data < q->cold ? &hot : &cold, slot);
	pthread_mutex_lock(&q->lock);
	tw_slot_list__append(&hot, &q->unused); /* in front: those used last are still in the cache */
	tw_slot_list__append(&hot, &cold);
	q->unused = hot;
	pthread_mutex_unlock(&q->lock);
	if (atomic_exchange(&q->wants_unused, false))
		wake(q->unused_fd);
}

void tw_slot_queue__wait_for_unused(struct tw_slot_queue *q, int timeout_ms)
{
	bool some;

	atomic_store(&q->wants_unused, true);
	if (pthread_mutex_trylock(&q->lock)) {
		timeout_ms = 1; /* the thread that has the lock is about to change something */
	} else {
		some = q->unused.first;
		pthread_mutex_unlock(&q->lock);
		if (some)
			return;
	}
	wait_for(q->unused_fd, timeout_ms);
}

static int queue__put(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	bool wakes;
	int code;

	tw_slot_list__append(&q->filled, list);
	code = q->code;
	if (!code && !q->unused.first)
		code = -EAGAIN;
	wakes = q->waiting && q->filled.first;
	if (wakes)
		q->waiting = false;
	pthread_mutex_unlock(&q->lock);
	if (wakes)
		wake(q->filled_fd);
	return code;
}

int tw_slot_queue__put(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	pthread_mutex_lock(&q->lock);
	return queue__put(q, list);
}

int tw_slot_queue__try_put(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	return pthread_mutex_trylock(&q->lock) ? -EBUSY : queue__put(q, list);
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
	tw_slot_list__append(ret, &q->filled);
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

void tw_slot_queue__fail(struct tw_slot_queue *q, int code)
{
	pthread_mutex_lock(&q->lock);
	if (!q->code)
		q->code = code;
	pthread_mutex_unlock(&q->lock);
}
