/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/exchange.h"

#include "wire/emit.h"

size_t tw_exchange_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_exchange_view *exchange)
{
	const struct tw_frame_info info = {
		.source = TW_SOURCE_ASIDE,
		.channel = TW_CHANNEL_ASIDE,
		.cpu = TW_CPU_NONE,
		.stream_id = stream_id,
	};
	struct tw_frame frame;

	tw_frame__begin(&frame, buf, TW_EXCHANGE_BYTES, &info);
	tw_exchange__emit(&frame, exchange);
	return tw_frame__end(&frame);
}

bool tw_exchange_frame__read(const uint8_t *data, size_t len, uint64_t *ret_stream, struct tw_exchange_view *ret)
{
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_cursor tlvs;

	if (tw_frame__parse(data, len, &info, &tlvs) != TW_FRAME_OK || info.source != TW_SOURCE_ASIDE)
		return false;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type != TW_TLV_EXCHANGE)
			continue;
		*ret_stream = info.stream_id;
		return tw_exchange__parse(&tlv, ret);
	}
	return false;
}
