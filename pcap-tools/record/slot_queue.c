/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/slot_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

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

int tw_slot_queue__init(struct tw_slot_queue *q, uint32_t count, size_t size)
{
	const size_t step = (size + SLOT_ALIGN - 1) & ~(size_t)(SLOT_ALIGN - 1);
	const size_t bytes = count * step, hot = bytes < HOT_BYTES ? bytes : HOT_BYTES;
	pthread_condattr_t attr;

	*q = (struct tw_slot_queue){ .code = 0 };
	q->slots = calloc(count, sizeof(*q->slots));
	q->memory = tw_large__alloc(bytes, hot);
	if (!q->slots || !q->memory) {
		free(q->slots);
		free(q->memory);
		return -ENOMEM;
	}
	q->cold = q->memory + hot;
	for (uint32_t i = 0; i < count; i++) {
		q->slots[i].data = q->memory + i * step;
		tw_slot_list__push(&q->unused, &q->slots[i]);
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->filled_came, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void tw_slot_queue__fini(struct tw_slot_queue *q)
{
	pthread_cond_destroy(&q->filled_came);
	pthread_mutex_destroy(&q->lock);
	free(q->slots);
	free(q->memory);
}

void tw_slot_queue__take(struct tw_slot_queue *q, uint32_t n, struct tw_slot_list *list)
{
	pthread_mutex_lock(&q->lock);
	while (n-- && q->unused.first)
		tw_slot_list__push(list, tw_slot_list__pop(&q->unused));
	pthread_mutex_unlock(&q->lock);
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
}

int tw_slot_queue__put(struct tw_slot_queue *q, struct tw_slot_list *list)
{
	bool wake;
	int code;

	pthread_mutex_lock(&q->lock);
	tw_slot_list__append(q->code ? &q->unused : &q->filled, list);
	code = q->code;
	if (!code && !q->unused.first)
		code = -EAGAIN;
	wake = q->waiting && q->filled.first;
	if (wake)
		q->waiting = false;
	pthread_mutex_unlock(&q->lock);
	if (wake)
		pthread_cond_signal(&q->filled_came);
	return code;
}

static struct timespec after_ms(uint32_t ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += ms / 1000;
	ts.tv_nsec += (long)(ms % 1000) * 1000000;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	return ts;
}

bool tw_slot_queue__wait(struct tw_slot_queue *q, uint32_t timeout_ms, struct tw_slot_list *ret)
{
	const struct timespec until = after_ms(timeout_ms);
	bool more;

	pthread_mutex_lock(&q->lock);
	while (!q->filled.first && !q->ended) {
		q->waiting = true;
		if (pthread_cond_timedwait(&q->filled_came, &q->lock, &until) == ETIMEDOUT)
			break;
	}
	q->waiting = false;
	more = q->filled.first || !q->ended;
	tw_slot_list__append(ret, &q->filled);
	pthread_mutex_unlock(&q->lock);
	return more;
}

void tw_slot_queue__end(struct tw_slot_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->ended = true;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->filled_came);
}

void tw_slot_queue__fail(struct tw_slot_queue *q, int code)
{
	pthread_mutex_lock(&q->lock);
	if (!q->code)
		q->code = code;
	pthread_mutex_unlock(&q->lock);
}
