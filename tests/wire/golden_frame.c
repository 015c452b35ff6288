/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "golden_frame.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

void golden__begin(struct golden_frame *g, const char *name, const struct tw_frame_info *info)
{
	assert_int_equal(golden__load(name, &g->golden), 0);
	memset(g->buf, 0xee, sizeof(g->buf));
	tw_frame__begin(&g->frame, g->buf, g->golden.len, info);
}

void golden__expect_built(struct golden_frame *g)
{
	assert_int_equal(tw_frame__end(&g->frame), g->golden.len);
	assert_memory_equal(g->buf, g->golden.data, g->golden.len);
}

struct tw_cursor golden__expect_header(const struct golden_frame *g, const struct tw_frame_info *info, uint16_t events)
{
	struct tw_frame_info read;
	struct tw_cursor c;

	assert_int_equal(tw_frame__parse(g->golden.data, g->golden.len, &read, &c), TW_FRAME_OK);
	assert_int_equal(read.flags, info->flags);
	assert_int_equal(read.source, info->source);
	assert_int_equal(read.length, g->golden.len);
	assert_int_equal(read.channel, info->channel);
	assert_int_equal(read.cpu, info->cpu);
	assert_int_equal(read.events, events);
	assert_int_equal(read.stream_id, info->stream_id);
	assert_int_equal(read.schema_id, info->schema_id);
	assert_int_equal(read.seq, info->seq);
	assert_int_equal(read.base_time, info->base_time);
	return c;
}

struct tw_tlv_view golden__next(struct tw_cursor *c, enum tw_tlv_type type)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	assert_true(tw_cursor__next_tlv(c, &tlv, &status));
	assert_int_equal(status, TW_FRAME_OK);
	assert_int_equal(tlv.type, type);
	return tlv;
}

void golden__expect_end(struct tw_cursor *c)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	assert_false(tw_cursor__next_tlv(c, &tlv, &status));
	assert_int_equal(status, TW_FRAME_OK);
}
