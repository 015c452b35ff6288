/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/events/offsets.h"

void tw_event_offsets__add(struct tw_event_offsets *offsets, const struct tw_offset_view *record)
{
	offsets->latest[offsets->n++ % TW_EVENT_OFFSETS] = (struct tw_event_offset){
		.offset = record->offset,
		.error_ns = record->error_ns,
	};
}

const struct tw_event_offset *tw_event_offsets__after(const struct tw_event_offsets *offsets, uint64_t n)
{
	if (!n || n > offsets->n || offsets->n - n >= TW_EVENT_OFFSETS)
		return NULL;
	return &offsets->latest[(n - 1) % TW_EVENT_OFFSETS];
}
