/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames for tests, as a producer builds them. */
#ifndef TEST_FRAMES_H
#define TEST_FRAMES_H

#include "wire/encode.h"

#define TEST_STREAM  0x1122334455667788ull
#define TEST_CONTROL 1 /* number of control frames if it is irrelevant; 0 would be the stream's first */

/* A frame in a separate buffer. */
struct test_frame {
	struct tw_frame f;
	uint64_t stream; /* one of several streams: TEST_STREAM and the following ids */
	bool joined;     /* the stream is joined after its start: HOST and CLOCK are repetitions, not its first frame */
	uint8_t buf[TW_FRAME_MAX + TW_COPY_STEP];
};

static inline void test_frame__begin(struct test_frame *t, uint16_t channel, uint64_t seq, uint64_t base_time)
{
	const struct tw_frame_info info = {
		.stream_id = TEST_STREAM + t->stream,
		.schema_id = 7,
		.channel = channel,
		.cpu = channel ? (uint16_t)(channel - 1) : TW_CPU_NONE,
		.source = channel ? TW_SOURCE_FTRACE : TW_SOURCE_CONTROL,
		.seq = seq,
		.base_time = base_time,
	};

	tw_frame__begin(&t->f, t->buf, TW_FRAME_MAX, &info);
}

/* Add an event whose pid is @tag. @len: length of the record, bytes */
static inline bool test_frame__event(struct test_frame *t, uint64_t time, uint32_t tag, uint32_t len)
{
	uint8_t record[4096 + TW_COPY_STEP] = { 0 };

	memset(record + TW_RECORD_COMMON, (int)tag, len - TW_RECORD_COMMON);
	record[0] = 42;
	memcpy(record + 4, &tag, sizeof(tag));
	return tw_frame__add_event(&t->f, record, len, time);
}

static inline size_t test_frame__end(struct test_frame *t)
{
	if (t->f.info.source == TW_SOURCE_CONTROL)
		t->f.info.events = 1;
	return tw_frame__end(&t->f);
}

/* Make a control frame with only a watermark of @n channels. */
static inline size_t test_frame__watermark(struct test_frame *t, uint64_t time, const uint16_t *channels,
					   const uint64_t *next_seqs, size_t n)
{
	test_frame__begin(t, TW_CHANNEL_CONTROL, TEST_CONTROL, time);
	tw_watermark__emit(&t->f, time, channels, next_seqs, n);
	return test_frame__end(t);
}

/* Make a frame with HOST and CLOCK: the wall clock is @ahead ns ahead of the stream's clock. */
static inline size_t test_frame__hello(struct test_frame *t, const char *host, const char *instance, uint64_t time,
				       uint64_t ahead)
{
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)host, .len = strlen(host) },
		{ .attr = TW_HOST_INSTANCE, .value = (const uint8_t *)instance, .len = strlen(instance) },
		{ .attr = TW_HOST_CLOCK, .value = (const uint8_t *)"mono", .len = 4 },
		{ .attr = TW_HOST_EVENTS, .value = (const uint8_t *)"sched:*", .len = 7 },
		{ .attr = TW_HOST_RELEASE, .value = (const uint8_t *)"6.1.0-test", .len = 10 },
	};
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL,
		.reading = { [TW_CLOCK_TRACE] = time, [TW_CLOCK_REAL] = time + ahead },
	};

	test_frame__begin(t, TW_CHANNEL_CONTROL, t->joined ? TEST_CONTROL : 0, time);
	tw_host__emit(&t->f, attrs, sizeof(attrs) / sizeof(attrs[0]));
	tw_clock__emit(&t->f, &clock);
	return test_frame__end(t);
}

#endif
