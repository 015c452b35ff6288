/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/receive_queue.h"

#include <stdlib.h>
#include <string.h>

struct tw_receive_queue {
	struct tw_slot_queue *slots;
	struct tw_slot *places[TW_RECEIVE_QUEUE_SLOTS]; /* for tw_receive_queue__room(); NULL = no slot, or in filled */
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
	tw_slot_list__append(&queue->unused, &queue->filled);
	tw_slot_queue__give(queue->slots, &queue->unused);
	free(queue);
}

static struct tw_slot *queue__slot(struct tw_receive_queue *queue)
{
	if (!queue->unused.first)
		tw_slot_queue__try_take(queue->slots, TW_RECEIVE_QUEUE_SLOTS, &queue->unused);
	return tw_slot_list__pop(&queue->unused);
}

/* Takes the slot of the last place after @place, to close a gap in the places when no slot is free. Return: NULL if there is none */
static struct tw_slot *queue__move(struct tw_receive_queue *queue, unsigned int place)
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
			*place = queue__slot(queue);
		if (!*place)
			*place = queue__move(queue, n);
		if (!*place)
			break;
		ret[n] = (*place)->data;
	}
	return n;
}

void tw_receive_queue__put(struct tw_receive_queue *queue, unsigned int place, size_t len, size_t segment,
			   const struct tw_arrival *arrival)
{
	tw_slot_list__push_frames(&queue->filled, queue->places[place], len, segment, arrival);
	queue->places[place] = NULL;
}

bool tw_receive_queue__copy(struct tw_receive_queue *queue, const void *frames, size_t len, size_t segment,
			    const struct tw_arrival *arrival)
{
	struct tw_slot *slot = queue__slot(queue);

	if (!slot)
		return false;
	memcpy(slot->data, frames, len);
	tw_slot_list__push_frames(&queue->filled, slot, len, segment, arrival);
	return true;
}

bool tw_receive_queue__retire(struct tw_receive_queue *queue, uint64_t stream_id)
{
	struct tw_slot *slot = queue__slot(queue);

	if (!slot)
		return false;
	tw_slot_list__push_frames(&queue->filled, slot, 0, 1, &(struct tw_arrival){ 0 });
	slot->retires = true;
	slot->stream_id = stream_id;
	return true;
}

int tw_receive_queue__flush(struct tw_receive_queue *queue)
{
	return tw_slot_queue__try_put(queue->slots, &queue->filled);
}

bool tw_receive_queue__holds(const struct tw_receive_queue *queue)
{
	return queue->filled.first;
}

void tw_receive_queue__wait(struct tw_receive_queue *queue, int timeout_ms)
{
	tw_slot_queue__wait_for_unused(queue->slots, timeout_ms);
}
