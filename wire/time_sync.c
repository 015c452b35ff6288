/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/time_sync.h"

/* Write a frame with a TIME_SYNC and a number in a TLV of @type; @type 0 = only the TIME_SYNC. */
static size_t write_frame(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *sync, unsigned int type,
			  uint16_t number)
{
	const struct tw_frame_info info = {
		.source = TW_SOURCE_OUT_OF_BAND,
		.channel = TW_CHANNEL_OUT_OF_BAND,
		.cpu = TW_CPU_NONE,
		.stream_id = stream_id,
	};
	struct tw_frame frame;

	tw_frame__begin(&frame, buf, TW_TIME_SYNC_ROOM - TW_COPY_STEP, &info);
	tw_time_sync__emit(&frame, sync);
	if (type)
		tw_number_tlv__emit(&frame, (enum tw_tlv_type)type, number);
	return tw_frame__end(&frame);
}

size_t tw_time_sync_frame__request(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *request,
				   uint16_t metadata)
{
	return write_frame(buf, stream_id, request, metadata ? TW_TLV_METADATA_REQUEST : 0, metadata);
}

size_t tw_time_sync_frame__refuse(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *request,
				  uint16_t why)
{
	return write_frame(buf, stream_id, request, TW_TLV_REFUSED, why);
}

size_t tw_time_sync_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *sync)
{
	return write_frame(buf, stream_id, sync, 0, 0);
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

static uint16_t largest_request(const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	uint16_t max = 0, what;

	while (tw_number_tlv__next(&list, &what))
		max = what > max && what <= TW_METADATA_REQUEST_ALL ? what : max;
	return max;
}

static uint16_t first_reason(const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	uint16_t why;

	return tw_number_tlv__next(&list, &why) ? why : 0;
}

/* Return: the largest value that @number() returns for a TLV of @type in an out-of-band frame; 0 if there is no such TLV. */
static uint16_t largest_of(const uint8_t *data, size_t len, enum tw_tlv_type type,
			   uint16_t (*number)(const struct tw_tlv_view *tlv))
{
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;
	uint16_t max = 0;

	if (tw_frame__parse(data, len, &info, &tlvs) != TW_FRAME_OK || info.source != TW_SOURCE_OUT_OF_BAND)
		return 0;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		const uint16_t n = tlv.type == type ? number(&tlv) : 0;

		max = n > max ? n : max;
	}
	return max;
}

uint16_t tw_time_sync_frame__metadata_request(const uint8_t *data, size_t len)
{
	return largest_of(data, len, TW_TLV_METADATA_REQUEST, largest_request);
}

uint16_t tw_time_sync_frame__refused(const uint8_t *data, size_t len)
{
	return largest_of(data, len, TW_TLV_REFUSED, first_reason);
}
