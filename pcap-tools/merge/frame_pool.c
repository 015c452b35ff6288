/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/queued_frame.h"

#include <stdlib.h>

#define LEAST_SIZE 256
#define UNUSED_MAX (8u << 20) /* bytes kept for later; more goes back to the heap */

void tw_frame_pool__fini(struct tw_frame_pool *pool)
{
	for (int i = 0; i < TW_FRAME_POOL_CLASSES; i++) {
		while (pool->unused[i]) {
			struct tw_held *held = pool->unused[i];

			pool->unused[i] = held->next;
			free(held);
		}
	}
}

static struct tw_held *pool__buffer(struct tw_frame_pool *pool, size_t need)
{
	uint8_t size_class = 0;
	struct tw_held *held;

	while ((size_t)LEAST_SIZE << size_class < need)
		size_class++;
	held = pool->unused[size_class];
	if (held) {
		pool->unused[size_class] = held->next;
		pool->unused_bytes -= held->size;
		return held;
	}
	held = malloc((size_t)LEAST_SIZE << size_class);
	if (!held)
		return NULL;
	held->size = (uint32_t)LEAST_SIZE << size_class;
	held->size_class = size_class;
	return held;
}

static void held__put(struct tw_held *held, const void *data, size_t len, struct tw_loan *loan)
{
	held->loan = loan;
	held->lent = loan ? (uint32_t)len : 0;
	held->data = loan ? data : held->copy;
	if (loan) {
		loan->users++;
		return;
	}
	memcpy(held->copy, data, len);
	memset(held->copy + len, 0, TW_HELD_SLACK);
}

struct tw_held *tw_frame_pool__take(struct tw_frame_pool *pool, const struct tw_frame_info *info, const void *data,
				    size_t len, struct tw_loan *loan)
{
	struct tw_held *held = pool__buffer(pool, sizeof(*held) + (loan ? 0 : len + TW_HELD_SLACK));

	if (!held)
		return NULL;
	held->next = held->prev = NULL;
	held->info = *info;
	held->seq = info->seq;
	held->started = held->late = false;
	held->dropped = 0;
	held->item = (struct tw_item){ .time = info->base_time };
	held__put(held, data, len, loan);
	held->rest.at = held->data + sizeof(struct tw_frame_hdr);
	held->rest.left = len - sizeof(struct tw_frame_hdr);
	pool->held_bytes += held->size + held->lent;
	return held;
}

void tw_frame_pool__give(struct tw_frame_pool *pool, struct tw_held *held)
{
	pool->held_bytes -= held->size + held->lent;
	if (held->loan)
		tw_loan__end(held->loan);
	if (pool->unused_bytes + held->size > UNUSED_MAX) {
		free(held);
		return;
	}
	held->next = pool->unused[held->size_class];
	pool->unused[held->size_class] = held;
	pool->unused_bytes += held->size;
}
