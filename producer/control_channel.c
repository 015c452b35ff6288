/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/control_channel.h"

#include <stdlib.h>

#include "producer/counter.h"
#include "wire/encode.h"

void tw_control_channel__init(struct tw_control_channel *control, struct tw_frame_writer *writer)
{
	*control = (struct tw_control_channel){
		.writer = writer,
		.channel = { .number = TW_CHANNEL_CONTROL, .cpu = TW_CPU_NONE, .source = TW_SOURCE_CONTROL },
	};
}

/* A record of the control channel. @data: the struct for this type in wire/decode.h; for HOST and STATS, an array of @n structs */
struct control_record {
	enum tw_tlv_type type;
	const void *data;
	size_t n;
};

static bool emit(struct tw_frame *f, const struct control_record *r)
{
	switch (r->type) {
	case TW_TLV_HOST:
		return tw_host__emit(f, r->data, r->n);
	case TW_TLV_CLOCK:
		return tw_clock__emit(f, r->data);
	case TW_TLV_SCHEMA:
		return tw_schema_tlv__emit(f, r->data);
	case TW_TLV_COMM:
		return tw_comm__emit(f, r->data);
	case TW_TLV_SYMBOL:
		return tw_symbol__emit(f, r->data);
	case TW_TLV_STATS:
		return tw_stats__emit(f, r->data, r->n);
	default:
		return tw_end__emit(f);
	}
}

/* Counts a record that cannot be sent, and leaves a gap in the numbers of the channel. */
static void shed(struct tw_control_channel *c)
{
	c->channel.next_seq++;
	tw_counter__add(&c->channel.shed, 1);
}

/* Sends the value of a record in PART records. Return: whether all PART records were sent */
static bool send_pieces(struct tw_control_channel *c, enum tw_tlv_type type, const uint8_t *value, uint32_t len)
{
	uint32_t at = 0;
	size_t n = 1;

	c->writer->part_id++;
	while (at < len && n && tw_frame_writer__begin(c->writer, &c->channel, c->time)) {
		n = tw_frame__add_part(&c->writer->frame, type, c->writer->part_id, value, len, at);
		at += (uint32_t)n;
	}
	return len && at == len;
}

/* Builds in memory a record that is larger than a frame, and sends it in PART records. Return: whether all PART records were sent */
static bool send_parts(struct tw_control_channel *c, const struct control_record *record)
{
	uint8_t *whole = malloc(TW_FRAME_MAX + TW_COPY_STEP);
	struct tw_tlv_view tlv = { 0 };
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	struct tw_frame f;
	bool sent;

	if (!whole)
		return false;
	tw_frame__begin(&f, whole, TW_FRAME_MAX, &c->writer->frame.info);
	tlvs = (struct tw_cursor){ .at = whole + f.len };
	if (emit(&f, record)) {
		tlvs.left = f.len - sizeof(struct tw_frame_hdr);
		tw_cursor__next_tlv(&tlvs, &tlv, &status);
	}
	sent = send_pieces(c, record->type, tlv.value, (uint32_t)tlv.len);
	free(whole);
	return sent;
}

static void send_record(struct tw_control_channel *c, const struct control_record *record)
{
	if (c->writer->channel == &c->channel && emit(&c->writer->frame, record))
		return;
	if (!tw_frame_writer__begin(c->writer, &c->channel, c->time) ||
	    (!emit(&c->writer->frame, record) && !send_parts(c, record)))
		shed(c);
}

void tw_control_channel__host(struct tw_control_channel *c, const struct tw_attr_view *attrs, size_t n)
{
	send_record(c, &(struct control_record){ TW_TLV_HOST, attrs, n });
}

void tw_control_channel__clock(struct tw_control_channel *c, const struct tw_clock_view *sample)
{
	send_record(c, &(struct control_record){ TW_TLV_CLOCK, sample, 1 });
}

/* Sends a long SCHEMA record in PART records. Records of other types are never longer than the limit of a TLV. */
static void send_large_text(struct tw_control_channel *c, const struct tw_schema_view *text)
{
	uint8_t *value = malloc(TW_SCHEMA_HEAD + text->len);

	if (value)
		tw_schema_tlv__lay_out(value, text);
	if (!value || !send_pieces(c, TW_TLV_SCHEMA, value, (uint32_t)(TW_SCHEMA_HEAD + text->len)))
		shed(c);
	free(value);
}

void tw_control_channel__texts(struct tw_control_channel *c, const struct tw_schema_texts *texts)
{
	for (size_t i = 0; i < texts->records.n; i++) {
		const struct tw_schema_view *record = &texts->records.items[i];

		if (record->len > TW_FRAME_MAX / 2)
			send_large_text(c, record);
		else
			send_record(c, &(struct control_record){ TW_TLV_SCHEMA, record, 1 });
	}
}

void tw_control_channel__task(struct tw_control_channel *c, const struct tw_producer_task *task)
{
	const struct tw_comm_view comm = {
		.origin = task->origin,
		.time = task->time,
		.pid = task->pid,
		.tgid = task->tgid,
		.name = (const uint8_t *)task->name,
		.len = strnlen(task->name, sizeof(task->name)),
	};

	send_record(c, &(struct control_record){ TW_TLV_COMM, &comm, 1 });
}

void tw_control_channel__symbol(struct tw_control_channel *c, const struct tw_symbol_view *symbol)
{
	send_record(c, &(struct control_record){ TW_TLV_SYMBOL, symbol, 1 });
}

void tw_control_channel__stats(struct tw_control_channel *c, const struct tw_stat_view *stats, size_t n)
{
	send_record(c, &(struct control_record){ TW_TLV_STATS, stats, n });
}

void tw_control_channel__last(struct tw_control_channel *c)
{
	send_record(c, &(struct control_record){ .type = TW_TLV_END });
}

void tw_control_channel__end(struct tw_control_channel *c)
{
	if (c->writer->channel == &c->channel)
		tw_frame_writer__end(c->writer);
}
