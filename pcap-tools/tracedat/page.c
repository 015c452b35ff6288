/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking one sub-buffer by the layout that the file tells, and what is wrong with it. */
#include "pcap-tools/tracedat/impl.h"

void tw_dat_ring__page(struct tw_tracedat *dat, struct tw_dat_ring *ring, const uint8_t *page, size_t len)
{
	const size_t head = dat->layout.page.data_offset;
	struct tw_tracedat_event *event = &ring->event;
	enum tw_ring_missed missed;

	if (!tw_ring_page__init(&ring->walk, &dat->layout, page, len)) {
		if (len < head)
			tw_dat__damage(dat, ring->page_offset,
				       "a sub-buffer of CPU %u has %zu bytes, not even its header", ring->cpu, len);
		else
			tw_dat__damage(dat, ring->page_offset,
				       "a sub-buffer of CPU %u claims %u bytes of events where %zu have room",
				       ring->cpu, tw_ring_page__size(&dat->layout, page), len - head);
	}
	missed = tw_ring_page__missed(&dat->layout, page, len, &event->lost_count);
	if (missed == TW_MISSED_NONE)
		return;
	event->lost = true;
	event->lost_unknown = missed == TW_MISSED_UNKNOWN;
	if (event->lost_unknown)
		event->lost_count = 0;
}

bool tw_dat_ring__entry(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	struct tw_ring_event event;
	const enum tw_ring_step step = tw_ring_page__next(&ring->walk, &dat->layout, &event);

	if (step == TW_RING_DAMAGED)
		tw_dat__damage(dat, ring->page_offset, "a sub-buffer of CPU %u has an entry that does not fit it",
			       ring->cpu);
	if (step != TW_RING_EVENT)
		return false;
	ring->event.time = tw_dat_clock__correct(&dat->clock, ring->index, event.time);
	ring->event.record = event.record;
	ring->event.len = event.len;
	return true;
}
