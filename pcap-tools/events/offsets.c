/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/events/offsets.h"

void tw_event_offsets__add(struct tw_event_offsets *offsets, const struct tw_identity *id,
			   const struct tw_offset_view *record)
{
	offsets->latest[offsets->n % TW_EVENT_OFFSETS] = (struct tw_event_offset){
		.from = tw_identity__ns(id, record->time),
		.offset = record->offset,
		.error_ns = record->error_ns,
	};
	offsets->n++;
	offsets->is_full |= offsets->n == TW_EVENT_OFFSETS;
}

const struct tw_event_offset *tw_event_offsets__at(const struct tw_event_offsets *offsets, uint64_t ns)
{
	const uint32_t kept = offsets->is_full ? TW_EVENT_OFFSETS : offsets->n;

	for (uint32_t i = 1; i <= kept; i++) {
		const struct tw_event_offset *offset = &offsets->latest[(offsets->n - i) % TW_EVENT_OFFSETS];

		if (offset->from <= ns)
			return offset;
	}
	return NULL;
}
