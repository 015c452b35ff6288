/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/encode.h"

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
	p = tw_frame__add(f, TW_TLV_PART, head + len);
	if (!p)
		return 0;
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
		f->info.events = 1; /* control channels count frames */
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
