/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/time_sync.h"

#include "wire/encode.h"

static void begin(struct tw_frame *frame, uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *exchange)
{
	const struct tw_frame_info info = {
		.source = TW_SOURCE_OUT_OF_BAND,
		.channel = TW_CHANNEL_OUT_OF_BAND,
		.cpu = TW_CPU_NONE,
		.stream_id = stream_id,
	};

	tw_frame__begin(frame, buf, TW_TIME_SYNC_ROOM - TW_COPY_STEP, &info);
	tw_time_sync__emit(frame, exchange);
}

size_t tw_time_sync_frame__ask(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *question,
			       uint16_t want)
{
	struct tw_frame frame;

	begin(&frame, buf, stream_id, question);
	if (want)
		tw_metadata_request__emit(&frame, (enum tw_metadata_request)want);
	return tw_frame__end(&frame);
}

size_t tw_time_sync_frame__refuse(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *question,
				  uint16_t why)
{
	struct tw_frame frame;

	begin(&frame, buf, stream_id, question);
	tw_refused__emit(&frame, (enum tw_refused_why)why);
	return tw_frame__end(&frame);
}

size_t tw_time_sync_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *exchange)
{
	return tw_time_sync_frame__ask(buf, stream_id, exchange, 0);
}

bool tw_time_sync_frame__read(const uint8_t *data, size_t len, uint64_t *ret_stream, struct tw_time_sync_view *ret)
{
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;

	if (tw_frame__parse(data, len, &info, &tlvs) != TW_FRAME_OK || info.source != TW_SOURCE_OUT_OF_BAND)
		return false;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type != TW_TLV_TIME_SYNC)
			continue;
		*ret_stream = info.stream_id;
		return tw_time_sync__parse(&tlv, ret);
	}
	return false;
}

static uint16_t most_wanted(const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	uint16_t most = 0, what;

	while (tw_metadata_request__next(&list, &what))
		most = what > most && what <= TW_METADATA_REQUEST_ALL ? what : most;
	return most;
}

static uint16_t first_reason(const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	uint16_t why;

	return tw_refused__next(&list, &why) ? why : 0;
}

/* The largest number that such a frame has in TLVs of that type. */
static uint16_t most_of(const uint8_t *data, size_t len, enum tw_tlv_type type,
			uint16_t (*number)(const struct tw_tlv_view *tlv))
{
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;
	uint16_t most = 0;

	if (tw_frame__parse(data, len, &info, &tlvs) != TW_FRAME_OK || info.source != TW_SOURCE_OUT_OF_BAND)
		return 0;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		const uint16_t n = tlv.type == type ? number(&tlv) : 0;

		most = n > most ? n : most;
	}
	return most;
}

uint16_t tw_time_sync_frame__metadata_request(const uint8_t *data, size_t len)
{
	return most_of(data, len, TW_TLV_METADATA_REQUEST, most_wanted);
}

uint16_t tw_time_sync_frame__refused(const uint8_t *data, size_t len)
{
	return most_of(data, len, TW_TLV_REFUSED, first_reason);
}
