/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/hold.h"

#include <errno.h>
#include <stdlib.h>

/* Before each frame. */
struct head {
	uint64_t time;
	uint32_t len;
	bool is_event;
};

static uint8_t *hold__room(struct tw_hold *hold, size_t len)
{
	const size_t need = hold->len + len;
	uint8_t *bytes;

	if (hold->bytes && need <= hold->cap)
		return hold->bytes + hold->len;
	bytes = realloc(hold->bytes, 2 * need);
	if (!bytes)
		return NULL;
	hold->bytes = bytes;
	hold->cap = 2 * need;
	return bytes + hold->len;
}

int tw_hold__put(struct tw_hold *hold, const struct tw_merged *out)
{
	const struct head head = {
		.time = out->time,
		.len = (uint32_t)tw_merged__len(out),
		.is_event = out->is_event,
	};
	uint8_t *p = hold__room(hold, sizeof(head) + head.len + TW_MERGE_SLACK);

	if (!p)
		return -ENOMEM;
	memcpy(p, &head, sizeof(head));
	tw_merged__copy(out, p + sizeof(head));
	hold->len += sizeof(head) + head.len;
	return 0;
}

bool tw_hold__next(const struct tw_hold *hold, size_t *at, struct tw_hold_packet *ret)
{
	struct head head;

	if (*at >= hold->len)
		return false;
	memcpy(&head, hold->bytes + *at, sizeof(head));
	*ret = (struct tw_hold_packet){
		.time = head.time,
		.frame = hold->bytes + *at + sizeof(head),
		.len = head.len,
		.is_event = head.is_event,
	};
	*at += sizeof(head) + head.len;
	return true;
}

void tw_hold__fini(struct tw_hold *hold)
{
	free(hold->bytes);
	*hold = (struct tw_hold){ .len = 0 };
}
