/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t ethernet[FRAMES_ETH] = {
	2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff
};

static struct tw_frame_info draw_info(const struct expression *e, const struct frame_options *options,
				      struct chance *chance)
{
	const struct wanted *cpu = wanted__draw(e, TW_ON_CPU, NULL, chance);
	struct tw_frame_info info = {
		.flags = e->pool->big_endian ? TW_FLAG_BODY_BE : 0,
		.source = TW_SOURCE_FTRACE,
		.stream_id = FRAMES_STREAM,
		.schema_id = e->pool->schema_id,
		.seq = chance__below(chance, 1000000),
		.base_time = RECORDS_T0 + RECORDS_T_SPAN / 2,
	};

	info.cpu = (uint16_t)chance__below(chance, RECORDS_CPUS);
	if (cpu && chance__percent(chance, 60))
		info.cpu = cpu->number == TW_CPU_NONE ? 0 : (uint16_t)cpu->number; /* an event's ring has a CPU */
	info.channel = (uint16_t)(1 + chance__below(chance, RECORDS_CPUS));
	if (!options->only_ours && chance__percent(chance, 3))
		info.schema_id ^= 1ull << chance__below(chance, 64);
	if (!options->only_ours && chance__percent(chance, 2))
		info.flags ^= TW_FLAG_BODY_BE;
	return info;
}

static void add_watermark(struct tw_frame *f)
{
	const size_t len = sizeof(struct tw_watermark) - sizeof(struct tw_tlv) + sizeof(struct tw_watermark_channel);
	uint8_t *value = tw_frame__add(f, TW_TLV_WATERMARK, len);

	if (value)
		memset(value, 0, len);
}

static void add_lost(struct tw_frame *f)
{
	uint8_t *value = tw_frame__add(f, TW_TLV_LOST, sizeof(struct tw_lost) - sizeof(struct tw_tlv));

	if (value) {
		memset(value, 0, sizeof(struct tw_lost) - sizeof(struct tw_tlv));
		tw_store_be16(value + 4, TW_LOST_RING);
	}
}

static bool is_of_schema(const struct tw_frame_info *info, const struct expression *e)
{
	return info->schema_id == e->pool->schema_id &&
	       (info->flags & TW_FLAG_BODY_BE) == (e->pool->big_endian ? TW_FLAG_BODY_BE : 0);
}

void frame__make(struct made_frame *frame, const struct expression *e, const struct frame_options *options,
		 struct chance *chance)
{
	const struct tw_frame_info info = draw_info(e, options, chance);
	uint32_t n = chance__percent(chance, options->percent_packed) ? 2 + chance__below(chance, 8) : 1;
	struct made_record record;
	struct tw_frame f;

	memset(frame, 0, sizeof(*frame));
	memcpy(frame->data, ethernet, sizeof(ethernet));
	tw_frame__begin(&f, frame->data + FRAMES_ETH, FRAMES_LEN_MAX - FRAMES_ETH, &info);
	frame->is_single = n == 1 && is_of_schema(&info, e);
	if (n > 1 && chance__percent(chance, 10))
		add_lost(&f);
	for (; n; n--) {
		record__make(&record, e, &options->record, chance);
		if (!tw_frame__add_event(&f, record.data, record.len, record.time))
			break;
		frame->is_whole = record.is_whole;
	}
	if (chance__percent(chance, 15))
		add_watermark(&f);
	frame->len = FRAMES_ETH + tw_frame__end(&f);
}

/* Finds the first event of a frame. Other records may precede it. */
static bool find_event(const struct made_frame *frame, struct tw_frame_info *info, struct tw_event_view *view)
{
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	if (tw_frame__parse(frame->data + FRAMES_ETH, frame->len - FRAMES_ETH, info, &tlvs))
		return false;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		if (tlv.type == TW_TLV_EVENT)
			return tw_event__parse(&tlv, info->base_time, view);
	return false;
}

struct tw_filter_event frame__event(const struct made_frame *frame)
{
	struct tw_frame_info info;
	struct tw_event_view view;

	if (find_event(frame, &info, &view))
		return tw_filter_event__of_view(&view, info.cpu);
	fprintf(stderr, "proof: a frame without an event\n");
	exit(1);
}
