/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control frames and PARTs of a conversion. */
#include <stdlib.h>

#include "pcap-tools/convert/impl.h"

#define GATHER_LEN    8192 /* bytes of a control frame, if its last record is not long */
#define SCHEMA_FIELDS (sizeof(struct tw_schema_tlv) - sizeof(struct tw_tlv))

static struct tw_frame_info control_info(const struct tw_convert *c, struct convert_stream *s)
{
	return (struct tw_frame_info){
		.flags = c->frame_flags,
		.source = TW_SOURCE_CONTROL,
		.channel = TW_CHANNEL_CONTROL,
		.cpu = TW_CPU_NONE,
		.stream_id = s->id,
		.schema_id = c->schema_id,
		.seq = s->control_seq,
		.base_time = c->time,
	};
}

static void write_frame(struct tw_convert *c, struct convert_stream *s, struct tw_frame *frame)
{
	const size_t len = tw_frame__end(frame);
	uint8_t *p = tw_convert__packet(c, len);

	if (!p)
		return;
	memcpy(p, frame->buf, len);
	tw_convert__commit(c, s, frame->info.base_time, len);
}

void tw_convert__end_control(struct tw_convert *c)
{
	struct convert_stream *s = c->gathering;

	c->gathering = NULL;
	if (!s || c->frame.len == sizeof(struct tw_frame_hdr))
		return;
	write_frame(c, s, &c->frame);
	s->control_seq++;
}

/* The frame that the stream's next record goes into. */
static struct tw_frame *gather(struct tw_convert *c, struct convert_stream *s)
{
	if (c->gathering == s && c->frame.len < GATHER_LEN && c->frame.info.base_time == c->time)
		return &c->frame;
	tw_convert__end_control(c);
	tw_frame__begin(&c->frame, c->frame_bytes, TW_FRAME_MAX, &(struct tw_frame_info){ 0 });
	c->frame.info = control_info(c, s);
	c->gathering = s;
	return &c->frame;
}

/* For records that may not fit behind others: once more, alone. */
#define EMIT(c, s, emit)                            \
	do {                                        \
		struct tw_frame *f = gather(c, s);  \
		if (!(emit)) {                      \
			tw_convert__end_control(c); \
			f = gather(c, s);           \
			(void)(emit);               \
		}                                   \
	} while (0)

void tw_convert__host(struct tw_convert *c, struct convert_stream *s, const struct tw_attr_view *attrs, size_t n)
{
	EMIT(c, s, tw_host__emit(f, attrs, n));
}

void tw_convert__clock(struct tw_convert *c, struct convert_stream *s, const struct tw_clock_view *clock)
{
	EMIT(c, s, tw_clock__emit(f, clock));
}

void tw_convert__comm(struct tw_convert *c, struct convert_stream *s, const struct tw_comm_view *comm)
{
	EMIT(c, s, tw_comm__emit(f, comm));
}

void tw_convert__symbol(struct tw_convert *c, struct convert_stream *s, const struct tw_symbol_view *symbol)
{
	EMIT(c, s, tw_symbol__emit(f, symbol));
}

void tw_convert__parts(struct tw_convert *c, struct convert_stream *s, struct tw_frame_info *info,
		       enum tw_tlv_type inner, const uint8_t *value, uint32_t len)
{
	uint32_t at = 0;
	size_t n = 1;

	s->part_id++;
	while (at < len && n) {
		struct tw_frame frame;

		tw_frame__begin(&frame, c->frame_bytes, TW_FRAME_MAX, info);
		n = tw_frame__add_part(&frame, inner, s->part_id, value, len, at);
		at += (uint32_t)n;
		write_frame(c, s, &frame);
		info->seq += info->source == TW_SOURCE_CONTROL;
	}
}

/* Longer than a frame: laid out as its value. */
static void schema__parts(struct tw_convert *c, struct convert_stream *s, const struct tw_schema_view *schema)
{
	const size_t len = SCHEMA_FIELDS + schema->len;
	struct tw_frame_info info;
	uint8_t *value = malloc(len);

	if (!value)
		return;
	tw_convert__end_control(c);
	info = control_info(c, s);
	value[0] = schema->kind;
	value[1] = schema->encoding;
	tw_store_be16(value + 2, schema->event_id);
	tw_store_be32(value + 4, schema->raw_length);
	tw_store_be32(value + 8, schema->index);
	tw_store_be32(value + 12, schema->total);
	memcpy(value + SCHEMA_FIELDS, schema->data, schema->len);
	tw_convert__parts(c, s, &info, TW_TLV_SCHEMA, value, (uint32_t)len);
	s->control_seq = info.seq;
	free(value);
}

void tw_convert__schema(struct tw_convert *c, struct convert_stream *s, const struct tw_schema_view *schema)
{
	if (tw_schema_tlv__emit(gather(c, s), schema))
		return;
	tw_convert__end_control(c);
	if (!tw_schema_tlv__emit(gather(c, s), schema))
		schema__parts(c, s, schema);
}
