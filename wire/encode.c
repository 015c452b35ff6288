/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/encode.h"

/* Address of a field of a TLV struct in the TLV's value, which begins after the TLV header. */
#define VAL(p, type, field) ((p) + offsetof(struct type, field) - sizeof(struct tw_tlv))
#define HEAD(type)          (sizeof(struct type) - sizeof(struct tw_tlv))

void tw_frame__begin(struct tw_frame *f, void *buf, size_t cap, const struct tw_frame_info *info)
{
	f->buf = buf;
	f->cap = (uint32_t)(cap < TW_FRAME_MAX ? cap : TW_FRAME_MAX) & ~3u;
	f->len = sizeof(struct tw_frame_hdr);
	f->info = *info;
	f->info.events = 0;
}

void *tw_frame__add(struct tw_frame *f, enum tw_tlv_type type, size_t value_len)
{
	const size_t len = sizeof(struct tw_tlv) + value_len;
	const size_t padded = tw_tlv__padded(len);
	uint8_t *p;

	if (value_len > TW_FRAME_MAX || padded > f->cap - f->len)
		return NULL;
	p = f->buf + f->len;
	for (size_t i = len; i < padded; i++)
		p[i] = 0;
	tw_store_be16(p, (uint16_t)type);
	tw_store_be16(p + 2, (uint16_t)len);
	f->len += (uint32_t)padded;
	return p + sizeof(struct tw_tlv);
}

size_t tw_frame__add_part(struct tw_frame *f, enum tw_tlv_type inner, uint32_t id, const void *value, uint32_t total,
			  uint32_t offset)
{
	const size_t head = sizeof(struct tw_part) - sizeof(struct tw_tlv);
	const size_t room = tw_frame__room(f);
	size_t len = total - offset;
	uint8_t *p;

	if (room <= head || offset >= total)
		return 0;
	if (len > room - head)
		len = (room - head) & ~(size_t)3;
	if (!len)
		return 0;
	p = tw_frame__add(f, TW_TLV_PART, head + len); /* there is room for the padding: @room is a multiple of 4 */
	tw_store_be16(p, (uint16_t)inner);
	tw_store_be16(p + 2, 0);
	tw_store_be32(p + 4, id);
	tw_store_be32(p + 8, total);
	tw_store_be32(p + 12, offset);
	memcpy(p + head, (const uint8_t *)value + offset, len);
	if (inner == TW_TLV_EVENT && offset + len == total)
		f->info.events++;
	return len;
}

size_t tw_frame__end(struct tw_frame *f)
{
	f->info.length = (uint16_t)f->len;
	if (f->info.source == TW_SOURCE_CONTROL)
		f->info.events = 1; /* the control channel numbers frames */
	tw_frame_hdr__emit(f->buf, &f->info);
	return f->len;
}

void tw_frame_hdr__emit(void *hdr, const struct tw_frame_info *info)
{
	uint8_t *p = hdr;

#define AT(field) (p + offsetof(struct tw_frame_hdr, field))
	tw_store_be32(AT(magic), TW_MAGIC);
	*AT(version) = TW_VERSION;
	*AT(flags) = info->flags;
	tw_store_be16(AT(length), info->length);
	tw_store_be64(AT(stream_id), info->stream_id);
	tw_store_be64(AT(schema_id), info->schema_id);
	tw_store_be64(AT(seq), info->seq);
	tw_store_be64(AT(base_time), info->base_time);
	tw_store_be16(AT(channel), info->channel);
	tw_store_be16(AT(cpu), info->cpu);
	*AT(source) = info->source;
	*AT(reserved) = 0;
	tw_store_be16(AT(events), info->events);
#undef AT
}

bool tw_lost__emit(struct tw_frame *f, const struct tw_lost_view *lost)
{
	const int64_t delta = (int64_t)(lost->time - f->info.base_time);
	uint8_t *p;

	if (delta != (int32_t)delta)
		return false;
	p = tw_frame__add(f, TW_TLV_LOST, HEAD(tw_lost));
	if (!p)
		return false;
	tw_store_be32(VAL(p, tw_lost, time), (uint32_t)delta);
	tw_store_be16(VAL(p, tw_lost, where), lost->where);
	tw_store_be16(VAL(p, tw_lost, flags), lost->unknown ? TW_LOST_UNKNOWN : 0);
	tw_store_be64(VAL(p, tw_lost, count), lost->count);
	return true;
}

static void emit_phc(uint8_t *p, const struct tw_phc_view *phc)
{
	memset(p, 0, sizeof(struct tw_phc));
	tw_store_be16(p + offsetof(struct tw_phc, index), phc->index);
	p[offsetof(struct tw_phc, method)] = phc->method;
	tw_store_be32(p + offsetof(struct tw_phc, error_ns), phc->error_ns);
	tw_store_be32(p + offsetof(struct tw_phc, sync_ns), phc->sync_ns);
	tw_store_be64(p + offsetof(struct tw_phc, phc), phc->phc);
	tw_store_be64(p + offsetof(struct tw_phc, trace), phc->trace);
}

bool tw_clock__emit(struct tw_frame *f, const struct tw_clock_view *clock)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_CLOCK, HEAD(tw_clock_tlv) + clock->n_phcs * sizeof(struct tw_phc));

	if (!p)
		return false;
	tw_store_be32(VAL(p, tw_clock_tlv, valid), clock->valid);
	tw_store_be32(VAL(p, tw_clock_tlv, error_ns), clock->error_ns);
	tw_store_be32(VAL(p, tw_clock_tlv, sync_ns), clock->sync_ns);
#define X(bit, name, field, what) tw_store_be64(VAL(p, tw_clock_tlv, field), clock->reading[bit]);
	TW_CLOCK_LIST(X)
#undef X
	tw_store_be32(VAL(p, tw_clock_tlv, tai_offset), (uint32_t)clock->tai_offset);
	tw_store_be16(VAL(p, tw_clock_tlv, leap), clock->leap);
	tw_store_be16(VAL(p, tw_clock_tlv, phcs), clock->n_phcs);
	p += HEAD(tw_clock_tlv);
	for (int i = 0; i < clock->n_phcs; i++, p += sizeof(struct tw_phc))
		emit_phc(p, &clock->phcs[i]);
	return true;
}

bool tw_comm__emit(struct tw_frame *f, const struct tw_comm_view *comm)
{
	const size_t head = offsetof(struct tw_comm, name) - sizeof(struct tw_tlv);
	const size_t len = comm->len < TW_COMM_MAX ? comm->len : TW_COMM_MAX - 1;
	const size_t padded = tw_tlv__padded(len + 1); /* at least one NUL */
	uint8_t *p = tw_frame__add(f, TW_TLV_COMM, head + padded);

	if (!p)
		return false;
	memset(p, 0, head + padded);
	*VAL(p, tw_comm, origin) = comm->origin;
	tw_store_be64(VAL(p, tw_comm, time), comm->time);
	tw_store_be32(VAL(p, tw_comm, pid), comm->pid);
	tw_store_be32(VAL(p, tw_comm, tgid), comm->tgid);
	memcpy(VAL(p, tw_comm, name), comm->name, len);
	return true;
}

bool tw_symbol__emit(struct tw_frame *f, const struct tw_symbol_view *symbol)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_SYMBOL, HEAD(tw_symbol_tlv) + symbol->len);

	if (!p)
		return false;
	tw_store_be32(VAL(p, tw_symbol_tlv, size), symbol->size);
	tw_store_be64(VAL(p, tw_symbol_tlv, address), symbol->address);
	memcpy(p + HEAD(tw_symbol_tlv), symbol->name, symbol->len);
	return true;
}

bool tw_end__emit(struct tw_frame *f)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_END, HEAD(tw_end));

	if (p)
		tw_store_be32(p, 0);
	return p;
}

bool tw_time_sync__emit(struct tw_frame *f, const struct tw_time_sync_view *exchange)
{
	const size_t len = exchange->is_short ? TW_TIME_SYNC_MIN - sizeof(struct tw_tlv) : HEAD(tw_time_sync);
	uint8_t *p = tw_frame__add(f, TW_TLV_TIME_SYNC, len);

	if (!p)
		return false;
	tw_store_be32(VAL(p, tw_time_sync, id), exchange->id);
	tw_store_be64(VAL(p, tw_time_sync, asked), exchange->asked);
	tw_store_be64(VAL(p, tw_time_sync, received), exchange->received);
	tw_store_be64(VAL(p, tw_time_sync, answered), exchange->answered);
	if (exchange->is_short)
		return true;
	*VAL(p, tw_time_sync, received_by) = exchange->received_by;
	*VAL(p, tw_time_sync, answered_by) = exchange->answered_by;
	*VAL(p, tw_time_sync, sent_by) = exchange->sent_by;
	*VAL(p, tw_time_sync, reserved) = 0;
	tw_store_be32(VAL(p, tw_time_sync, previous), exchange->previous);
	tw_store_be64(VAL(p, tw_time_sync, sent), exchange->sent);
	return true;
}

bool tw_offset__emit(struct tw_frame *f, const struct tw_offset_view *offset)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_OFFSET, HEAD(tw_offset));

	if (!p)
		return false;
	tw_store_be16(VAL(p, tw_offset, kind), offset->kind);
	tw_store_be16(VAL(p, tw_offset, method), offset->method);
	tw_store_be64(VAL(p, tw_offset, time), offset->time);
	tw_store_be64(VAL(p, tw_offset, offset), (uint64_t)offset->offset);
	tw_store_be64(VAL(p, tw_offset, step), (uint64_t)offset->step);
	tw_store_be64(VAL(p, tw_offset, error_ns), offset->error_ns);
	tw_store_be32(VAL(p, tw_offset, drift), (uint32_t)offset->drift);
	*VAL(p, tw_offset, asked_by) = offset->by.asked;
	*VAL(p, tw_offset, received_by) = offset->by.received;
	*VAL(p, tw_offset, answered_by) = offset->by.answered;
	*VAL(p, tw_offset, arrived_by) = offset->by.arrived;
	return true;
}

bool tw_number_tlv__emit(struct tw_frame *f, enum tw_tlv_type type, uint16_t number)
{
	uint8_t *p = tw_frame__add(f, type, sizeof(number));

	if (p)
		tw_store_be16(p, number);
	return p;
}

void tw_schema_tlv__lay_out(void *buf, const struct tw_schema_view *schema)
{
	uint8_t *p = buf;

	*VAL(p, tw_schema_tlv, kind) = schema->kind;
	*VAL(p, tw_schema_tlv, encoding) = schema->encoding;
	tw_store_be16(VAL(p, tw_schema_tlv, event_id), schema->event_id);
	tw_store_be32(VAL(p, tw_schema_tlv, raw_length), schema->raw_length);
	tw_store_be32(VAL(p, tw_schema_tlv, index), schema->index);
	tw_store_be32(VAL(p, tw_schema_tlv, total), schema->total);
	if (schema->len) /* data may be NULL if len is 0 */
		memcpy(p + TW_SCHEMA_HEAD, schema->data, schema->len);
}

bool tw_schema_tlv__emit(struct tw_frame *f, const struct tw_schema_view *schema)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_SCHEMA, TW_SCHEMA_HEAD + schema->len);

	if (!p)
		return false;
	tw_schema_tlv__lay_out(p, schema);
	return true;
}

bool tw_host__emit(struct tw_frame *f, const struct tw_attr_view *attrs, size_t n)
{
	size_t len = 0;
	uint8_t *p;

	for (size_t i = 0; i < n; i++)
		len += sizeof(struct tw_tlv) + tw_tlv__padded(attrs[i].len);
	p = tw_frame__add(f, TW_TLV_HOST, len);
	if (!p)
		return false;
	memset(p, 0, len);
	for (size_t i = 0; i < n; i++) {
		tw_store_be16(p, attrs[i].attr);
		tw_store_be16(p + 2, (uint16_t)(sizeof(struct tw_tlv) + attrs[i].len));
		memcpy(p + sizeof(struct tw_tlv), attrs[i].value, attrs[i].len);
		p += sizeof(struct tw_tlv) + tw_tlv__padded(attrs[i].len);
	}
	return true;
}

bool tw_stats__emit(struct tw_frame *f, const struct tw_stat_view *stats, size_t n)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_STATS, n * sizeof(struct tw_stat));

	if (!p)
		return false;
	for (size_t i = 0; i < n; i++, p += sizeof(struct tw_stat)) {
		tw_store_be16(p + offsetof(struct tw_stat, stat), stats[i].stat);
		tw_store_be16(p + offsetof(struct tw_stat, channel), stats[i].channel);
		tw_store_be64(p + offsetof(struct tw_stat, value), stats[i].value);
	}
	return true;
}

bool tw_watermark__emit(struct tw_frame *f, uint64_t time, const uint16_t *channels, const uint64_t *next_seqs,
			size_t n)
{
	uint8_t *p = tw_frame__add(f, TW_TLV_WATERMARK, HEAD(tw_watermark) + n * sizeof(struct tw_watermark_channel));

	if (!p)
		return false;
	tw_store_be64(VAL(p, tw_watermark, time), time);
	p += HEAD(tw_watermark);
	for (size_t i = 0; i < n; i++, p += sizeof(struct tw_watermark_channel)) {
		tw_store_be16(p + offsetof(struct tw_watermark_channel, channel), channels[i]);
		tw_store_be16(p + offsetof(struct tw_watermark_channel, reserved), 0);
		tw_store_be64(p + offsetof(struct tw_watermark_channel, next_seq), next_seqs[i]);
	}
	return true;
}
