/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/clocks.h"

#include <errno.h>

#include "stream/identity.h"

static struct tw_report_clock *clocks__get(struct tw_report_clocks *clocks, uint64_t stream_id)
{
	size_t i = 0;

	while (i < clocks->n && clocks->of[i].stream_id != stream_id)
		i++;
	if (i == TW_STREAMS_LIVE_MAX)
		return NULL;
	if (i == clocks->n)
		clocks->of[clocks->n++] = (struct tw_report_clock){ .stream_id = stream_id };
	return &clocks->of[i];
}

static int clock__host(struct tw_report_clock *clock, struct tw_merge *merge, const struct tw_tlv_view *tlv)
{
	struct tw_identity identity = { .clock_mult = 0 };

	tw_identity__host(&identity, tlv);
	clock->mult = identity.clock_mult;
	clock->shift = identity.clock_shift;
	return tw_merge__set_scale(merge, clock->stream_id, clock->mult, (unsigned int)clock->shift);
}

static int clock__sample(struct tw_report_clock *clock, struct tw_merge *merge, const struct tw_tlv_view *tlv)
{
	const struct tw_identity counts = { .clock_mult = clock->mult, .clock_shift = clock->shift };
	const uint32_t needed = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	struct tw_clock_view sample;

	if (clock->dated || !tw_clock__parse(tlv, &sample) || (sample.valid & needed) != needed)
		return 0;
	clock->dated = true;
	return tw_merge__set_offset(merge, clock->stream_id,
				    (int64_t)(sample.reading[TW_CLOCK_REAL] -
					      tw_identity__ns(&counts, sample.reading[TW_CLOCK_TRACE])));
}

int tw_report_clocks__look(struct tw_report_clocks *clocks, struct tw_merge *merge, uint64_t stream_id,
			   struct tw_cursor tlvs)
{
	struct tw_report_clock *clock = clocks__get(clocks, stream_id);
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int code = 0;

	while (clock && !code && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_HOST)
			code = clock__host(clock, merge, &tlv);
		else if (tlv.type == TW_TLV_CLOCK)
			code = clock__sample(clock, merge, &tlv);
	}
	return code == -ENOSPC ? 0 : code;
}
