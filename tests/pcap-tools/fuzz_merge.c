/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames from a stranger into the merge. The input: options in one byte, then frames, each behind a 16-bit big-endian length.
 * What comes out must be frames that parse, with one TLV where one is promised; and the books must balance.
 */
#include <stdlib.h>

#include "pcap-tools/merge/merge.h"
#include "wire/decode.h"

static uint8_t frame[TW_FRAME_MAX + TW_MERGE_SLACK];

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int emit(void *ctx, const struct tw_merged *out)
{
	struct tw_frame_info info;
	enum tw_frame_status status;
	struct tw_event_view event;
	struct tw_tlv_view tlv;
	struct tw_cursor rest;

	(void)ctx;
	check(tw_merged__len(out) <= TW_FRAME_MAX);
	tw_merged__copy(out, frame);
	check(tw_frame__parse(frame, tw_merged__len(out), &info, &rest) == TW_FRAME_OK);
	check(info.length == tw_merged__len(out) && info.stream_id == out->stream_id);
	check(tw_cursor__next_tlv(&rest, &tlv, &status));
	if (out->is_control)
		return 0;
	check(!rest.left && tlv.type != TW_TLV_WATERMARK && tlv.type != TW_TLV_PAD && tlv.type != TW_TLV_FILTERED);
	if (!out->is_event)
		return 0;
	check(tlv.type == TW_TLV_EVENT && tw_event__parse(&tlv, info.base_time, &event));
	check(event.time == out->time && info.base_time == out->time && info.events == 1);
	return 0;
}

static void feed(struct tw_merge *m, struct tw_cursor *input)
{
	const uint8_t *p;

	while ((p = tw_cursor__take(input, sizeof(uint16_t)))) {
		size_t len = tw_load_be16(p);

		if (len > input->left)
			len = input->left;
		check(!tw_merge__frame(m, tw_cursor__take(input, len), len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_cursor input = { .at = data, .left = size };
	const uint8_t *first = tw_cursor__take(&input, 1);
	struct tw_merge_options options = { .wait_ns = 1000, .emit = emit };
	struct tw_merge_stats stats;
	struct tw_merge *m;

	if (!first)
		return 0;
	options.from_start = *first & 1;
	options.memory = *first & 2 ? 4096 : 0;
	if (tw_merge__new(&options, &m, NULL))
		return 0;
	feed(m, &input);
	check(!tw_merge__flush(m));
	tw_merge__stats(m, &stats);
	check(!stats.held);
	check(stats.events_in ==
	      stats.events_out + stats.filtered + stats.duplicates + stats.incomplete + stats.malformed_events);
	tw_merge__free(m);
	return 0;
}
