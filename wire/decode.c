/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/decode.h"

#define HDR(p, field) ((p) + offsetof(struct tw_frame_hdr, field))
/* Address of a field of a TLV struct in the TLV's value, which begins after the TLV header. */
#define VAL(tlv, type, field) ((tlv)->value + offsetof(struct type, field) - sizeof(struct tw_tlv))
#define VALUE_MIN(type)       (sizeof(struct type) - sizeof(struct tw_tlv))

enum tw_frame_status tw_frame__parse(const void *data, size_t len, struct tw_frame_info *ret_info,
				     struct tw_cursor *ret_tlvs)
{
	const uint8_t *p = data;
	size_t length;

	if (len < sizeof(uint32_t) || tw_load_be32(p) != TW_MAGIC)
		return TW_FRAME_NOT_OURS;
	if (len < sizeof(struct tw_frame_hdr))
		return TW_FRAME_MALFORMED;
	if (*HDR(p, version) != TW_VERSION)
		return TW_FRAME_VERSION;
	length = tw_load_be16(HDR(p, length));
	if (length < sizeof(struct tw_frame_hdr) || length % 4)
		return TW_FRAME_MALFORMED;

	*ret_info = (struct tw_frame_info){
		.flags = *HDR(p, flags),
		.source = *HDR(p, source),
		.length = (uint16_t)length,
		.channel = tw_load_be16(HDR(p, channel)),
		.cpu = tw_load_be16(HDR(p, cpu)),
		.events = tw_load_be16(HDR(p, events)),
		.stream_id = tw_load_be64(HDR(p, stream_id)),
		.schema_id = tw_load_be64(HDR(p, schema_id)),
		.seq = tw_load_be64(HDR(p, seq)),
		.base_time = tw_load_be64(HDR(p, base_time)),
	};
	ret_tlvs->at = p + sizeof(struct tw_frame_hdr);
	ret_tlvs->left = (length < len ? length : len) - sizeof(struct tw_frame_hdr);
	return length <= len ? TW_FRAME_OK : TW_FRAME_TRUNCATED;
}

size_t tw_tlv__min(unsigned int type)
{
	static const uint8_t min[] = {
#define X(num, name, min_len, what) [num] = (min_len),
		TW_TLV_LIST(X)
#undef X
	};

	return type < sizeof(min) ? min[type] : sizeof(struct tw_tlv);
}

const char *tw_tlv__name(unsigned int type)
{
	static const char *const names[] = {
#define X(num, name, min_len, what) [num] = #name,
		TW_TLV_LIST(X)
#undef X
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

/* Move past a TLV and its padding. The last TLV of a truncated frame, or of a list in another TLV's value, may lack its padding. */
static void skip_padded(struct tw_cursor *c, size_t len)
{
	const size_t padded = tw_tlv__padded(len);

	tw_cursor__take(c, padded < c->left ? padded : c->left);
}

/* Read a TLV header: type, and length including the header. Return: false if the header is incomplete or the length below its minimum. */
static inline bool read_tlv_header(const struct tw_cursor *c, unsigned int *ret_type, size_t *ret_len)
{
	if (c->left < sizeof(struct tw_tlv))
		return false;
	*ret_type = tw_load_be16(c->at);
	*ret_len = tw_load_be16(c->at + 2);
	return *ret_len >= tw_tlv__min(*ret_type);
}

bool tw_cursor__next_tlv(struct tw_cursor *c, struct tw_tlv_view *ret, enum tw_frame_status *ret_status)
{
	unsigned int type;
	size_t len;

	*ret_status = c->left ? TW_FRAME_MALFORMED : TW_FRAME_OK;
	if (!read_tlv_header(c, &type, &len) || len > c->left)
		return false;
	if (type == TW_TLV_AUTH && tw_tlv__padded(len) < c->left)
		return false; /* bytes after an AUTH are not authenticated */

	ret->type = (uint16_t)type;
	ret->value = c->at + sizeof(struct tw_tlv);
	ret->len = len - sizeof(struct tw_tlv);
	skip_padded(c, len);
	*ret_status = TW_FRAME_OK;
	return true;
}

bool tw_cursor__has(struct tw_cursor tlvs, uint16_t type)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == type)
			return true;
	}
	return false;
}

bool tw_cursor__cut_tlv(const struct tw_cursor *c, size_t missing, struct tw_tlv_view *ret)
{
	unsigned int type;
	size_t len;

	if (!read_tlv_header(c, &type, &len) || len <= c->left || len - c->left > missing)
		return false;
	*ret = (struct tw_tlv_view){
		.type = (uint16_t)type,
		.value = c->at + sizeof(struct tw_tlv),
		.len = c->left - sizeof(struct tw_tlv),
	};
	return true;
}

bool tw_event__parse(const struct tw_tlv_view *tlv, uint64_t base_time, struct tw_event_view *ret)
{
	if (tlv->len < VALUE_MIN(tw_event))
		return false;
	*ret = (struct tw_event_view){
		.time = base_time + (uint64_t)(int64_t)(int32_t)tw_load_be32(VAL(tlv, tw_event, time)),
		.id = tw_load_be16(VAL(tlv, tw_event, event_id)),
		.common_flags = *VAL(tlv, tw_event, common_flags),
		.common_preempt_count = *VAL(tlv, tw_event, common_preempt_count),
		.pid = tw_load_be32(VAL(tlv, tw_event, common_pid)),
		.record = VAL(tlv, tw_event, event_id),
		.len = (uint32_t)(tlv->len - (TW_EVENT_RECORD - sizeof(struct tw_tlv))),
	};
	return true;
}

bool tw_part__parse(const struct tw_tlv_view *tlv, struct tw_part_view *ret)
{
	struct tw_part_view part;

	if (tlv->len <= VALUE_MIN(tw_part))
		return false;
	part.inner_type = tw_load_be16(VAL(tlv, tw_part, inner_type));
	if (part.inner_type == TW_TLV_PART)
		return false;
	part.id = tw_load_be32(VAL(tlv, tw_part, id));
	part.total = tw_load_be32(VAL(tlv, tw_part, total));
	part.offset = tw_load_be32(VAL(tlv, tw_part, offset));
	part.bytes = tlv->value + VALUE_MIN(tw_part);
	part.len = tlv->len - VALUE_MIN(tw_part);
	if (part.offset > part.total || part.len > part.total - part.offset)
		return false;
	*ret = part;
	return true;
}

bool tw_lost__parse(const struct tw_tlv_view *tlv, uint64_t base_time, struct tw_lost_view *ret)
{
	if (tlv->len < VALUE_MIN(tw_lost))
		return false;
	*ret = (struct tw_lost_view){
		.time = base_time + (uint64_t)(int64_t)(int32_t)tw_load_be32(VAL(tlv, tw_lost, time)),
		.where = tw_load_be16(VAL(tlv, tw_lost, where)),
		.unknown = tw_load_be16(VAL(tlv, tw_lost, flags)) & TW_LOST_UNKNOWN,
		.count = tw_load_be64(VAL(tlv, tw_lost, count)),
	};
	return true;
}

bool tw_watermark__parse(const struct tw_tlv_view *tlv, struct tw_watermark_view *ret)
{
	if (tlv->len < VALUE_MIN(tw_watermark))
		return false;
	ret->time = tw_load_be64(VAL(tlv, tw_watermark, time));
	ret->channels.at = tlv->value + VALUE_MIN(tw_watermark);
	ret->channels.left = tlv->len - VALUE_MIN(tw_watermark);
	return true;
}

bool tw_watermark__next(struct tw_cursor *c, uint16_t *ret_channel, uint64_t *ret_next_seq)
{
	const uint8_t *p = tw_cursor__take(c, sizeof(struct tw_watermark_channel));

	if (!p)
		return false;
	*ret_channel = tw_load_be16(p + offsetof(struct tw_watermark_channel, channel));
	*ret_next_seq = tw_load_be64(p + offsetof(struct tw_watermark_channel, next_seq));
	return true;
}

bool tw_schema_tlv__parse(const struct tw_tlv_view *tlv, struct tw_schema_view *ret)
{
	if (tlv->len < VALUE_MIN(tw_schema_tlv))
		return false;
	*ret = (struct tw_schema_view){
		.kind = *VAL(tlv, tw_schema_tlv, kind),
		.encoding = *VAL(tlv, tw_schema_tlv, encoding),
		.event_id = tw_load_be16(VAL(tlv, tw_schema_tlv, event_id)),
		.raw_length = tw_load_be32(VAL(tlv, tw_schema_tlv, raw_length)),
		.index = tw_load_be32(VAL(tlv, tw_schema_tlv, index)),
		.total = tw_load_be32(VAL(tlv, tw_schema_tlv, total)),
		.data = tlv->value + VALUE_MIN(tw_schema_tlv),
		.len = tlv->len - VALUE_MIN(tw_schema_tlv),
	};
	return true;
}

bool tw_host__next(struct tw_cursor *c, struct tw_attr_view *ret)
{
	size_t len;

	if (c->left < sizeof(struct tw_tlv))
		return false;
	len = tw_load_be16(c->at + 2);
	if (len < sizeof(struct tw_tlv) || len > c->left)
		return false;
	ret->attr = tw_load_be16(c->at);
	ret->value = c->at + sizeof(struct tw_tlv);
	ret->len = len - sizeof(struct tw_tlv);
	skip_padded(c, len);
	return true;
}

static struct tw_phc_view parse_phc(const uint8_t *p)
{
	return (struct tw_phc_view){
		.index = tw_load_be16(p + offsetof(struct tw_phc, index)),
		.method = p[offsetof(struct tw_phc, method)],
		.error_ns = tw_load_be32(p + offsetof(struct tw_phc, error_ns)),
		.sync_ns = tw_load_be32(p + offsetof(struct tw_phc, sync_ns)),
		.phc = tw_load_be64(p + offsetof(struct tw_phc, phc)),
		.trace = tw_load_be64(p + offsetof(struct tw_phc, trace)),
	};
}

bool tw_clock__parse(const struct tw_tlv_view *tlv, struct tw_clock_view *ret)
{
	const uint8_t *p = tlv->value + VALUE_MIN(tw_clock_tlv);

	if (tlv->len < TW_CLOCK_MIN - sizeof(struct tw_tlv))
		return false;
	*ret = (struct tw_clock_view){ 0 };
	ret->valid = tw_load_be32(VAL(tlv, tw_clock_tlv, valid));
	ret->error_ns = tw_load_be32(VAL(tlv, tw_clock_tlv, error_ns));
	ret->sync_ns = tw_load_be32(VAL(tlv, tw_clock_tlv, sync_ns));
#define X(bit, name, field, what) ret->reading[bit] = tw_load_be64(VAL(tlv, tw_clock_tlv, field));
	TW_CLOCK_LIST(X)
#undef X
	if (tlv->len < VALUE_MIN(tw_clock_tlv))
		return true;
	ret->tai_offset = (int32_t)tw_load_be32(VAL(tlv, tw_clock_tlv, tai_offset));
	ret->leap = tw_load_be16(VAL(tlv, tw_clock_tlv, leap));
	ret->n_phcs = tw_load_be16(VAL(tlv, tw_clock_tlv, phcs));
	if ((tlv->len - VALUE_MIN(tw_clock_tlv)) / sizeof(struct tw_phc) < ret->n_phcs)
		return false;
	ret->n_phcs = ret->n_phcs < TW_PHC_MAX ? ret->n_phcs : TW_PHC_MAX;
	for (int i = 0; i < ret->n_phcs; i++, p += sizeof(struct tw_phc))
		ret->phcs[i] = parse_phc(p);
	return true;
}

bool tw_comm__parse(const struct tw_tlv_view *tlv, struct tw_comm_view *ret)
{
	const size_t head = offsetof(struct tw_comm, name) - sizeof(struct tw_tlv);
	const uint8_t *name;

	if (tlv->len < head || tlv->len - head > TW_COMM_MAX)
		return false;
	name = tlv->value + head;
	*ret = (struct tw_comm_view){
		.origin = *VAL(tlv, tw_comm, origin),
		.time = tw_load_be64(VAL(tlv, tw_comm, time)),
		.pid = tw_load_be32(VAL(tlv, tw_comm, pid)),
		.tgid = tw_load_be32(VAL(tlv, tw_comm, tgid)),
		.name = name,
		.len = strnlen((const char *)name, tlv->len - head),
	};
	return true;
}

bool tw_symbol__parse(const struct tw_tlv_view *tlv, struct tw_symbol_view *ret)
{
	if (tlv->len < VALUE_MIN(tw_symbol_tlv))
		return false;
	*ret = (struct tw_symbol_view){
		.size = tw_load_be32(VAL(tlv, tw_symbol_tlv, size)),
		.address = tw_load_be64(VAL(tlv, tw_symbol_tlv, address)),
		.name = tlv->value + VALUE_MIN(tw_symbol_tlv),
		.len = tlv->len - VALUE_MIN(tw_symbol_tlv),
	};
	return true;
}

bool tw_time_sync__parse(const struct tw_tlv_view *tlv, struct tw_time_sync_view *ret)
{
	if (tlv->len < TW_TIME_SYNC_MIN - sizeof(struct tw_tlv))
		return false;
	*ret = (struct tw_time_sync_view){
		.id = tw_load_be32(VAL(tlv, tw_time_sync, id)),
		.asked = tw_load_be64(VAL(tlv, tw_time_sync, asked)),
		.received = tw_load_be64(VAL(tlv, tw_time_sync, received)),
		.answered = tw_load_be64(VAL(tlv, tw_time_sync, answered)),
		.is_short = tlv->len < VALUE_MIN(tw_time_sync),
	};
	if (ret->is_short)
		return true;
	ret->received_by = *VAL(tlv, tw_time_sync, received_by);
	ret->answered_by = *VAL(tlv, tw_time_sync, answered_by);
	ret->sent_by = *VAL(tlv, tw_time_sync, sent_by);
	ret->previous = tw_load_be32(VAL(tlv, tw_time_sync, previous));
	ret->sent = tw_load_be64(VAL(tlv, tw_time_sync, sent));
	return true;
}

bool tw_offset__parse(const struct tw_tlv_view *tlv, struct tw_offset_view *ret)
{
	if (tlv->len < VALUE_MIN(tw_offset))
		return false;
	*ret = (struct tw_offset_view){
		.kind = tw_load_be16(VAL(tlv, tw_offset, kind)),
		.method = tw_load_be16(VAL(tlv, tw_offset, method)),
		.time = tw_load_be64(VAL(tlv, tw_offset, time)),
		.offset = (int64_t)tw_load_be64(VAL(tlv, tw_offset, offset)),
		.step = (int64_t)tw_load_be64(VAL(tlv, tw_offset, step)),
		.error_ns = tw_load_be64(VAL(tlv, tw_offset, error_ns)),
		.drift = (int32_t)tw_load_be32(VAL(tlv, tw_offset, drift)),
		.by = { *VAL(tlv, tw_offset, asked_by), *VAL(tlv, tw_offset, received_by),
			*VAL(tlv, tw_offset, answered_by), *VAL(tlv, tw_offset, arrived_by) },
	};
	return true;
}

bool tw_number_tlv__next(struct tw_cursor *c, uint16_t *ret)
{
	const uint8_t *p = tw_cursor__take(c, sizeof(*ret));

	if (!p)
		return false;
	*ret = tw_load_be16(p);
	return true;
}

bool tw_stats__next(struct tw_cursor *c, struct tw_stat_view *ret)
{
	const uint8_t *p = tw_cursor__take(c, sizeof(struct tw_stat));

	if (!p)
		return false;
	ret->stat = tw_load_be16(p + offsetof(struct tw_stat, stat));
	ret->channel = tw_load_be16(p + offsetof(struct tw_stat, channel));
	ret->value = tw_load_be64(p + offsetof(struct tw_stat, value));
	return true;
}
