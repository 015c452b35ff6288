/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "walk.h"

#include <stdlib.h>

#include "wire/schema_text.h"

struct walk {
	const uint8_t *begin, *end;
	uint64_t base_time;
};

static volatile uint8_t touched;

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void touch(const struct walk *w, const uint8_t *p, size_t len)
{
	uint8_t sum = 0;

	require(p >= w->begin && p <= w->end && len <= (size_t)(w->end - p));
	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + p[i]);
	touched = sum;
}

static void walk_event(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_event_view event;

	if (!tw_event__parse(tlv, w->base_time, &event))
		return;
	require(event.len >= TW_RECORD_COMMON);
	touch(w, event.record, event.len);
}

static void walk_part(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	if (!tw_part__parse(tlv, &part))
		return;
	require(part.len >= 1 && part.inner_type != TW_TLV_PART);
	require((uint64_t)part.offset + part.len <= part.total);
	touch(w, part.bytes, part.len);
}

static void walk_lost(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	tw_lost__parse(tlv, w->base_time, &lost);
}

static void walk_watermark(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_watermark_view mark;
	uint16_t channel;
	uint64_t next_seq;
	size_t left;

	if (!tw_watermark__parse(tlv, &mark))
		return;
	do {
		left = mark.channels.left;
		touch(w, mark.channels.at, left);
	} while (tw_watermark__next(&mark.channels, &channel, &next_seq) && mark.channels.left < left);
	require(mark.channels.left < sizeof(struct tw_watermark_channel));
}

/* The text of a plain payload lies in the payload itself, that of a compressed payload in @buf. */
static void walk_text(const struct walk *w, const struct tw_schema_view *schema)
{
	static char buf[TW_SCHEMA_RAW_MAX];
	const struct walk inside = { (uint8_t *)buf, (uint8_t *)buf + sizeof(buf), 0 };
	struct tw_schema_text text;
	struct tw_error err;

	if (tw_schema_text__expand(schema, buf, sizeof(buf), &text, &err))
		return;
	if (schema->encoding != TW_ENCODING_PLAIN)
		w = &inside;
	touch(w, (const uint8_t *)text.system, strlen(text.system) + 1);
	touch(w, (const uint8_t *)text.text, text.len);
}

static void walk_group(const struct walk *w, const struct tw_schema_view *schema)
{
	static char buf[TW_SCHEMA_GROUP_MAX];
	const struct walk inside = { (uint8_t *)buf, (uint8_t *)buf + sizeof(buf), 0 };
	struct tw_schema_group group;
	struct tw_schema_view text;
	struct tw_error err;

	if (tw_schema_group__expand(schema, buf, sizeof(buf), &group, &err))
		return;
	while (tw_schema_group__next(&group, &text))
		walk_text(schema->encoding == TW_ENCODING_PLAIN ? w : &inside, &text);
}

static void walk_schema(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view schema;

	if (!tw_schema_tlv__parse(tlv, &schema))
		return;
	touch(w, schema.data, schema.len);
	if (schema.kind == TW_SCHEMA_GROUP)
		walk_group(w, &schema);
	else
		walk_text(w, &schema);
}

static void walk_host(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_cursor c = { tlv->value, tlv->len };
	struct tw_attr_view attr;
	size_t left = c.left;

	while (tw_host__next(&c, &attr)) {
		require(c.left < left);
		left = c.left;
		touch(w, attr.value, attr.len);
	}
}

static void walk_clock(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_clock_view clock;

	(void)w;
	tw_clock__parse(tlv, &clock);
}

static void walk_comm(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_comm_view comm;

	if (!tw_comm__parse(tlv, &comm))
		return;
	require(comm.len <= TW_COMM_MAX);
	touch(w, comm.name, comm.len);
}

static void walk_symbol(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_symbol_view symbol;

	if (tw_symbol__parse(tlv, &symbol))
		touch(w, symbol.name, symbol.len);
}

static void walk_stats(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_cursor c = { tlv->value, tlv->len };
	struct tw_stat_view stat;
	size_t left = c.left;

	(void)w;
	while (tw_stats__next(&c, &stat)) {
		require(c.left < left);
		left = c.left;
	}
	require(c.left < sizeof(struct tw_stat));
}

static void walk_exchange(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_time_sync_view exchange;

	(void)w;
	tw_time_sync__parse(tlv, &exchange);
}

static void walk_want(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_cursor c = { tlv->value, tlv->len };
	size_t left = c.left;
	uint16_t what;

	(void)w;
	while (tw_number_tlv__next(&c, &what)) {
		require(c.left < left);
		left = c.left;
	}
}

static void walk_refused(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_cursor c = { tlv->value, tlv->len };
	size_t left = c.left;
	uint16_t why;

	(void)w;
	while (tw_number_tlv__next(&c, &why)) {
		require(c.left < left);
		left = c.left;
	}
}

static void walk_offset(const struct walk *w, const struct tw_tlv_view *tlv)
{
	struct tw_offset_view offset;

	(void)w;
	tw_offset__parse(tlv, &offset);
}

/* Passes a TLV to every parse function. No parse function may rely on the type or the minimum length of its TLV. */
static void walk_tlv(const struct walk *w, const struct tw_tlv_view *tlv)
{
	touch(w, tlv->value, tlv->len);
	walk_event(w, tlv);
	walk_part(w, tlv);
	walk_lost(w, tlv);
	walk_watermark(w, tlv);
	walk_schema(w, tlv);
	walk_host(w, tlv);
	walk_clock(w, tlv);
	walk_comm(w, tlv);
	walk_symbol(w, tlv);
	walk_stats(w, tlv);
	walk_exchange(w, tlv);
	walk_want(w, tlv);
	walk_refused(w, tlv);
	walk_offset(w, tlv);
}

enum tw_frame_status walk__frame(const uint8_t *data, size_t len, size_t *ret_tlvs)
{
	struct walk w = { data, data + len, 0 };
	enum tw_frame_status status, end;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_cursor c;
	size_t left;

	*ret_tlvs = 0;
	status = tw_frame__parse(data, len, &info, &c);
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return status;
	w.base_time = info.base_time;
	touch(&w, c.at, c.left);
	for (left = c.left; tw_cursor__next_tlv(&c, &tlv, &end); left = c.left) {
		require(end == TW_FRAME_OK && c.left < left);
		walk_tlv(&w, &tlv);
		++*ret_tlvs;
	}
	require((end == TW_FRAME_OK) == (c.left == 0));
	if (tw_cursor__cut_tlv(&c, info.length, &tlv)) {
		require(end != TW_FRAME_OK);
		walk_tlv(&w, &tlv);
	}
	return status == TW_FRAME_OK ? end : status;
}
