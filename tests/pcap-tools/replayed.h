/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replayed metadata, frame by frame, in memory. */
#ifndef TEST_REPLAYED_H
#define TEST_REPLAYED_H

#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "pcap-tools/metadata/metadata.h"

struct replayed {
	uint8_t *bytes; /* frames, each after its length */
	size_t len, n, largest;
	bool unreadable;
};

static inline int replayed__take(void *ctx, const void *frame, size_t len)
{
	struct replayed *r = ctx;
	struct tw_frame_info info;
	struct tw_cursor tlvs;

	r->bytes = realloc(r->bytes, r->len + sizeof(len) + len);
	memcpy(r->bytes + r->len, &len, sizeof(len));
	memcpy(r->bytes + r->len + sizeof(len), frame, len);
	r->len += sizeof(len) + len;
	r->n++;
	r->largest = len > r->largest ? len : r->largest;
	r->unreadable |= tw_frame__parse(frame, len, &info, &tlvs) != TW_FRAME_OK || info.length != len;
	return 0;
}

/* Frames as in a file: of the test's stream, numbered from @seq on. */
static inline struct tw_metadata_frames replayed__frames(struct replayed *r, uint64_t seq, size_t max)
{
	return (struct tw_metadata_frames){
		.info = { .stream_id = TEST_STREAM, .cpu = TW_CPU_NONE, .seq = seq, .base_time = 5000 },
		.max = max,
		.emit = replayed__take,
		.ctx = r,
	};
}

/* Get the next TLV of all frames. @at, @frame and @tlvs must be 0 before the first call. */
static inline bool replayed__next(const struct replayed *r, size_t *at, struct tw_frame_info *frame,
				  struct tw_cursor *tlvs, struct tw_tlv_view *ret)
{
	enum tw_frame_status status;
	size_t len;

	while (!tw_cursor__next_tlv(tlvs, ret, &status)) {
		if (*at == r->len)
			return false;
		memcpy(&len, r->bytes + *at, sizeof(len));
		tw_frame__parse(r->bytes + *at + sizeof(len), len, frame, tlvs);
		*at += sizeof(len) + len;
	}
	return true;
}

#endif
