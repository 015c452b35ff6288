/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Out-of-band frames, as a packed archive has them: how times stand, and what explains the stream, said again in each file. */
#include "pcap-tools/archive/archive_impl.h"

/* What receivers and producers say to each other, which was for then. */
static bool is_talk(const struct tw_tlv_view *tlv)
{
	return tlv->type == TW_TLV_TIME_SYNC || tlv->type == TW_TLV_METADATA_REQUEST || tlv->type == TW_TLV_REFUSED;
}

/* Return: whether it says anything that is to be written again. OFFSET is written before the packets for which it holds. */
static bool take_offsets(struct tw_archive *a, struct tw_archive_stream *s, struct tw_cursor tlvs)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	bool more = false;

	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type != TW_TLV_OFFSET)
			more |= !is_talk(&tlv);
		else if (tw_offset__parse(&tlv, &s->stated))
			s->to_state = s->given = true;
	}
	if (s->given) {
		if (s->placed && s->offset != s->stated.offset)
			tw_archive__has_moved(a, s);
		s->offset = s->stated.offset;
	}
	return more;
}

int tw_archive__out_of_band(struct tw_archive *a, const struct tw_frame_info *info, const uint8_t *frame,
			    struct tw_cursor tlvs)
{
	struct tw_archive_stream *s = tw_archive__find(a, info->stream_id);
	const struct tw_merged out = {
		.stream_id = info->stream_id,
		.time = info->base_time,
		.head = frame,
		.body = tlvs.at,
		.body_len = tlvs.left,
		.is_control = true,
	};

	if (!s || !take_offsets(a, s, tlvs) || a->lost || tw_archive__is_full(a))
		return 0;
	return tw_archive__write(a, s, &out);
}
