/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metadata as frames of control, filled with as many records as fit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/metadata/state.h"
#include "wire/encode.h"

struct teller {
	struct tw_metadata_frames *to;
	struct tw_frame frame;
	uint8_t *buf;
	uint32_t *part_id;
	bool begun;
};

static int teller__init(struct teller *t, struct tw_metadata *m, struct tw_metadata_frames *to)
{
	*t = (struct teller){ .to = to, .part_id = &m->part_id, .buf = malloc(to->max + TW_COPY_STEP) };
	return t->buf ? 0 : -ENOMEM;
}

static int teller__end(struct teller *t)
{
	if (!t->begun)
		return 0;
	t->begun = false;
	t->to->info.seq += t->to->info.source == TW_SOURCE_CONTROL;
	return t->to->emit(t->to->ctx, t->buf, tw_frame__end(&t->frame));
}

static void teller__begin(struct teller *t, uint64_t schema_id, uint8_t flags)
{
	struct tw_frame_info info = t->to->info;

	info.schema_id = schema_id;
	info.flags = flags;
	tw_frame__begin(&t->frame, t->buf, t->to->max, &info);
	t->begun = true;
}

/* No two pieces in one frame. */
static int tell_parts(struct teller *t, uint64_t schema_id, uint8_t flags, const struct tw_tlv_view *tlv)
{
	const uint32_t id = (*t->part_id)++;
	int code = teller__end(t);

	for (uint32_t at = 0; !code && at < tlv->len;) {
		teller__begin(t, schema_id, flags);
		at += (uint32_t)tw_frame__add_part(&t->frame, (enum tw_tlv_type)tlv->type, id, tlv->value,
						   (uint32_t)tlv->len, at);
		code = teller__end(t);
	}
	return code;
}

static bool is_of_frame(const struct teller *t, uint64_t schema_id, uint8_t flags)
{
	return t->begun && t->frame.info.schema_id == schema_id && t->frame.info.flags == flags;
}

static int tell(struct teller *t, uint64_t schema_id, uint8_t flags, const struct tw_tlv_view *tlv)
{
	const size_t len = sizeof(struct tw_tlv) + tlv->len;
	int code = 0;
	void *p;

	if (len > UINT16_MAX || sizeof(struct tw_frame_hdr) + tw_tlv__padded(len) > t->to->max)
		return tell_parts(t, schema_id, flags, tlv);
	if (!is_of_frame(t, schema_id, flags) || tlv->len > tw_frame__room(&t->frame)) {
		code = teller__end(t);
		teller__begin(t, schema_id, flags);
	}
	p = tw_frame__add(&t->frame, (enum tw_tlv_type)tlv->type, tlv->len);
	if (p && tlv->len)
		memcpy(p, tlv->value, tlv->len);
	return code;
}

static int tell_class(struct teller *t, const struct tw_item_list *list)
{
	const struct tw_item *item;
	int code = 0;

	TAILQ_FOREACH(item, list, order)
	{
		const struct tw_tlv_view tlv = { .type = item->type, .value = item->value, .len = item->len };

		if (!code)
			code = tell(t, item->schema_id, item->flags, &tlv);
	}
	return code;
}

int tw_metadata__replay(struct tw_metadata *m, struct tw_metadata_frames *frames)
{
	struct teller t;
	int code = teller__init(&t, m, frames);

	for (int i = 0; !code && i < TW_ITEM_CLASSES; i++)
		code = tell_class(&t, &m->items.lists[i]);
	if (!code)
		code = teller__end(&t);
	free(t.buf);
	return code;
}

int tw_metadata__emit_whole(struct tw_metadata *m, struct tw_metadata_frames *frames)
{
	struct teller t;
	int code = teller__init(&t, m, frames);

	if (!code)
		code = tell(&t, m->whole_frame.schema_id, m->whole_frame.flags, &m->whole);
	if (!code)
		code = teller__end(&t);
	free(t.buf);
	return code;
}
