/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/out.h"
#include "wire/encode.h"

_Static_assert(TW_MERGE_SLACK <= TW_HELD_SLACK, "what the header promises");

/* A LOST that tells of a hole. @head: a frame's of the channel; @seq: the channel's next number */
static int out__emit_hole(struct tw_merge *m, struct tw_merge_stream *s, struct tw_hole hole, const uint8_t *head,
			  uint64_t seq, uint64_t time)
{
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.head = head,
		.body = m->hole,
		.body_len = sizeof(struct tw_lost),
		.seq = seq,
		.base_time = time,
		.flags = head[offsetof(struct tw_frame_hdr, flags)],
		.at_base = true,
	};

	if (!m->options.tell_gaps || !hole.count)
		return 0;
	tw_store_be16(m->hole, TW_TLV_LOST);
	tw_store_be16(m->hole + offsetof(struct tw_lost, tlv.length), sizeof(struct tw_lost));
	tw_store_be16(m->hole + offsetof(struct tw_lost, where), hole.receiver ? TW_LOST_RECEIVER : TW_LOST_WIRE);
	tw_store_be64(m->hole + offsetof(struct tw_lost, count), hole.count);
	return tw_out__emit(m, s, &out);
}

int tw_out__hole(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	const struct tw_held *held = c->head;
	const struct tw_hole hole = tw_channel__give_up(c, held->seq, held->dropped);

	return out__emit_hole(m, s, hole, held->data, held->seq, held->item.time);
}

int tw_out__rest(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	const uint64_t left = tw_held__end(c->head) - c->head->seq;
	int code = 0;

	if (!left)
		return 0;
	if (tw_channel__has_hole(c))
		code = tw_out__hole(m, s, c);
	s->stats.damaged += tw_channel__use(c, (uint32_t)left);
	return code;
}

int tw_out__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time)
{
	struct tw_held *held = s->control;
	const struct tw_merged out = {
		.stream_id = s->id,
		.time = time,
		.head = held->data,
		.body = held->data + sizeof(struct tw_frame_hdr),
		.body_len = held->info.length - sizeof(struct tw_frame_hdr),
		.is_control = true,
	};
	const int code = tw_out__emit(m, s, &out);

	s->told = time;
	s->control = held->next;
	if (!s->control)
		s->control_end = &s->control;
	tw_frame_pool__give(&m->pool, held);
	return code;
}

int tw_out__owed(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c)
{
	const uint64_t last = tw_later(s->last, s->told);
	struct tw_hole hole;

	if (!tw_channel__owes(c))
		return 0;
	c->last.stream_id = s->id;
	tw_frame_hdr__emit(m->hole_head, &c->last);
	hole = tw_channel__give_up(c, c->promised, c->promised_dropped);
	return out__emit_hole(m, s, hole, m->hole_head, c->next, last ? last : s->newest);
}
