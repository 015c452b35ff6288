/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/sequence.h"

#define GAPS_KEPT 16 /* the last ones of a channel, to tell a late frame from a doubled one */

struct gap {
	uint64_t from, to; /* numbers missing: from, up to but not including to */
};

struct tw_channel {
	uint64_t next;
	struct gap gaps[GAPS_KEPT]; /* a ring */
	uint32_t n_gaps;
};

static struct tw_channel *new_channel(struct tw_stream *stream, uint16_t number)
{
	struct tw_channel *channel;

	if (!tw_capture__allow(sizeof(*channel) + tw_table16__growth(&stream->channels, number)))
		return NULL;
	channel = wmem_new0(wmem_file_scope(), struct tw_channel);
	tw_table16__put(&stream->channels, number, channel);
	return channel;
}

static const struct tw_sequence_note *note(enum tw_sequence_kind kind, uint64_t missing)
{
	struct tw_sequence_note *made = wmem_new(wmem_file_scope(), struct tw_sequence_note);

	*made = (struct tw_sequence_note){ .kind = (uint8_t)kind, .missing = missing };
	return made;
}

static bool fills_gap(const struct tw_channel *channel, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < GAPS_KEPT && i < channel->n_gaps; i++)
		if (from >= channel->gaps[i].from && to <= channel->gaps[i].to)
			return true;
	return false;
}

const struct tw_sequence_note *tw_stream__check_sequence(struct tw_stream *stream, const struct tw_frame_info *frame)
{
	struct tw_channel *channel = tw_table16__get(&stream->channels, frame->channel);
	const uint64_t from = frame->seq, to = frame->seq + frame->events;
	uint64_t expected;

	if (!channel) {
		channel = new_channel(stream, frame->channel);
		if (channel)
			channel->next = to;
		return NULL;
	}
	expected = channel->next;
	if (from == expected || !frame->events) {
		channel->next = from == expected ? to : expected;
		return NULL;
	}
	if (from > expected) {
		channel->gaps[channel->n_gaps++ % GAPS_KEPT] = (struct gap){ expected, from };
		channel->next = to;
		return note(TW_SEQUENCE_GAP, from - expected);
	}
	if (to > expected)
		channel->next = to;
	return note(fills_gap(channel, from, to) ? TW_SEQUENCE_REORDERED : TW_SEQUENCE_DUPLICATE, 0);
}
