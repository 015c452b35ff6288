/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room: metadata.c takes, replay.c tells. */
#ifndef TW_METADATA_STATE_H
#define TW_METADATA_STATE_H

#include "pcap-tools/metadata/items.h"
#include "pcap-tools/metadata/metadata.h"
#include "wire/parts.h"

struct tw_metadata {
	struct tw_items items;
	size_t limit; /* bytes */
	struct tw_parts *parts;
	bool ended;
	struct tw_frame_info whole_frame; /* of the last piece of what follows */
	struct tw_tlv_view whole;         /* put together, and not told yet; the parts' memory */
	uint32_t part_id;
	struct tw_metadata_stats stats;
};

#endif
