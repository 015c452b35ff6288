/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/receive_queue.h"

#include <stdlib.h>
#include <string.h>

struct tw_inlet {
	struct tw_slot_queue *queue;
	struct tw_slot *places[TW_INLET_SLOTS]; /* NULL: the frames that were there are in filled */
	struct tw_slot_list unused, filled;
};

struct tw_inlet *tw_inlet__new(struct tw_slot_queue *queue)
{
	struct tw_inlet *inlet = calloc(1, sizeof(*inlet));

	if (inlet)
		inlet->queue = queue;
	return inlet;
}

void tw_inlet__free(struct tw_inlet *inlet)
{
	if (!inlet)
		return;
	for (unsigned int i = 0; i < TW_INLET_SLOTS; i++) {
		if (inlet->places[i])
			tw_slot_list__push(&inlet->unused, inlet->places[i]);
	}
	tw_slot_list__append(&inlet->unused, &inlet->filled);
	tw_slot_queue__give(inlet->queue, &inlet->unused);
	free(inlet);
}

static struct tw_slot *inlet__slot(struct tw_inlet *inlet)
{
	if (!inlet->unused.first)
		tw_slot_queue__try_take(inlet->queue, TW_INLET_SLOTS, &inlet->unused);
	return tw_slot_list__pop(&inlet->unused);
}

/* The last slot behind a place without one, when the pool is used up. */
static struct tw_slot *inlet__move(struct tw_inlet *inlet, unsigned int place)
{
	for (unsigned int i = TW_INLET_SLOTS - 1; i > place; i--) {
		struct tw_slot *slot = inlet->places[i];

		inlet->places[i] = NULL;
		if (slot)
			return slot;
	}
	return NULL;
}

unsigned int tw_inlet__room(struct tw_inlet *inlet, uint8_t *ret[TW_INLET_SLOTS])
{
	unsigned int n = 0;

	for (; n < TW_INLET_SLOTS; n++) {
		struct tw_slot **place = &inlet->places[n];

		if (!*place)
			*place = inlet__slot(inlet);
		if (!*place)
			*place = inlet__move(inlet, n);
		if (!*place)
			break;
		ret[n] = (*place)->data;
	}
	return n;
}

static void inlet__fill(struct tw_inlet *inlet, struct tw_slot *slot, size_t len, size_t segment,
			const struct tw_arrival *arrival)
{
	slot->len = len;
	slot->segment = segment;
	slot->arrival = *arrival;
	slot->retires = false;
	tw_slot_list__push(&inlet->filled, slot);
}

void tw_inlet__put(struct tw_inlet *inlet, unsigned int place, size_t len, size_t segment,
		   const struct tw_arrival *arrival)
{
	struct tw_slot *slot = inlet->places[place];

	inlet__fill(inlet, slot, len, segment, arrival);
	inlet->places[place] = NULL;
}

bool tw_inlet__copy(struct tw_inlet *inlet, const void *frames, size_t len, size_t segment,
		    const struct tw_arrival *arrival)
{
	struct tw_slot *slot = inlet__slot(inlet);

	if (!slot)
		return false;
	memcpy(slot->data, frames, len);
	inlet__fill(inlet, slot, len, segment, arrival);
	return true;
}

bool tw_inlet__retire(struct tw_inlet *inlet, uint64_t stream_id)
{
	const struct tw_arrival now = { .now = 0 };
	struct tw_slot *slot = inlet__slot(inlet);

	if (!slot)
		return false;
	inlet__fill(inlet, slot, 0, 1, &now);
	slot->retires = true;
	slot->stream_id = stream_id;
	return true;
}

int tw_inlet__flush(struct tw_inlet *inlet)
{
	return tw_slot_queue__try_put(inlet->queue, &inlet->filled);
}

bool tw_inlet__holds(const struct tw_inlet *inlet)
{
	return inlet->filled.first;
}

void tw_inlet__wait(struct tw_inlet *inlet, int timeout_ms)
{
	tw_slot_queue__wait_for_unused(inlet->queue, timeout_ms);
}
