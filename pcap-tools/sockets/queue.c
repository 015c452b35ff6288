/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/sockets/queue.h"

#include <errno.h>
#include <stdlib.h>

#define ROOM_MIN 8
#define HALF     (1u << 31) /* of all positions */

uint32_t tw_socket_queue__search(const struct tw_socket_queue *queue, uint32_t position)
{
	uint32_t low = 0, high = queue->n;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (tw_socket_position__is_after(position, tw_socket_queue__at(queue, middle)->position))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t tw_socket_queue__find(const struct tw_socket_queue *queue, uint32_t position)
{
	const uint32_t i = tw_socket_queue__search(queue, position);

	return i < queue->n && tw_socket_queue__at(queue, i)->position == position ? i : queue->n;
}

static int grow(struct tw_socket_queue *queue)
{
	const uint32_t room = queue->room ? 2 * queue->room : ROOM_MIN;
	struct tw_socket_message *items;

	if (queue->n < queue->room)
		return 0;
	items = malloc(room * sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < queue->n; i++)
		items[i] = *tw_socket_queue__at(queue, i);
	free(queue->items);
	queue->items = items;
	queue->room = room;
	queue->first = 0;
	return 0;
}

static void forget_first(struct tw_socket_queue *queue)
{
	queue->first++;
	queue->n--;
	queue->forgotten++;
}

static bool is_newest(const struct tw_socket_queue *queue, uint32_t position)
{
	return queue->n && tw_socket_queue__at(queue, queue->n - 1)->position - position >= HALF;
}

/*
 * Makes room in a full queue, and removes messages that are so old that their positions cannot be compared with the new one: all positions
 * in a queue are less than HALF apart.
 */
static void forget_old(struct tw_socket_queue *queue, uint32_t position)
{
	while (is_newest(queue, position) && position - tw_socket_queue__at(queue, 0)->position >= HALF)
		forget_first(queue);
	if (queue->n == TW_SOCKET_QUEUE_MAX)
		forget_first(queue);
}

static void insert(struct tw_socket_queue *queue, uint32_t i, uint32_t position)
{
	for (uint32_t k = queue->n++; k > i; k--)
		*tw_socket_queue__at(queue, k) = *tw_socket_queue__at(queue, k - 1);
	*tw_socket_queue__at(queue, i) = (struct tw_socket_message){ .position = position, .carrier = position };
}

int tw_socket_queue__add(struct tw_socket_queue *queue, uint32_t position, uint32_t *ret)
{
	int err;

	*ret = tw_socket_queue__find(queue, position);
	if (*ret < queue->n || tw_socket_queue__is_done(queue, position))
		return 0;
	if (queue->n == TW_SOCKET_QUEUE_MAX && !is_newest(queue, position) &&
	    !tw_socket_queue__search(queue, position)) {
		queue->forgotten++;
		return 0;
	}
	forget_old(queue, position);
	err = grow(queue);
	if (err)
		return err;
	*ret = tw_socket_queue__search(queue, position);
	insert(queue, *ret, position);
	return 0;
}

void tw_socket_queue__remove(struct tw_socket_queue *queue, uint32_t i)
{
	/* Mostly, the first one is removed. */
	for (; i; i--)
		*tw_socket_queue__at(queue, i) = *tw_socket_queue__at(queue, i - 1);
	queue->first++;
	queue->n--;
}

bool tw_socket_queue__is_done(const struct tw_socket_queue *queue, uint32_t position)
{
	return queue->has_done && !tw_socket_position__is_after(position, queue->done);
}

void tw_socket_queue__set_done(struct tw_socket_queue *queue, uint32_t position)
{
	if (!tw_socket_queue__is_done(queue, position))
		queue->done = position;
	queue->has_done = true;
}

void tw_socket_queue__forget(struct tw_socket_queue *queue)
{
	queue->forgotten += queue->n;
	queue->n = 0;
	queue->has_done = false;
}
