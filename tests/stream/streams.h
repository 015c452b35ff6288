/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds metadata frames and updates the streams of a struct tw_streams with them. Include it after cmocka.h. */
#ifndef TEST_STREAMS_H
#define TEST_STREAMS_H

#include <stdlib.h>

#include "stream/streams.h"
#include "tests/pcap-tools/explained.h"

#define SCHEMA 7 /* the schema id that test_frame__begin() sets */

static struct tw_streams *streams;
static struct test_frame frame;

static inline int learning__setup(void **state)
{
	(void)state;
	streams = tw_streams__new(NULL);
	return !streams;
}

static inline int learning__teardown(void **state)
{
	(void)state;
	tw_streams__free(streams);
	return 0;
}

static inline void begin(uint64_t stream, uint64_t schema)
{
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
	frame.f.info.stream_id = stream;
	frame.f.info.schema_id = schema;
}

/* Passes the built frame to its stream, in memory of exactly its size. Return: the stream */
static inline struct tw_stream *learn(void)
{
	const size_t len = test_frame__end(&frame);
	uint8_t *copy = malloc(len);
	struct tw_stream *stream;
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	assert_non_null(copy);
	memcpy(copy, frame.buf, len);
	assert_int_equal(tw_frame__parse(copy, len, &info, &tlvs), TW_FRAME_OK);
	stream = tw_streams__get(streams, info.stream_id);
	while (stream && tw_cursor__next_tlv(&tlvs, &tlv, &status))
		tw_stream__update(stream, &info, &tlv);
	free(copy);
	return stream;
}

/* Passes a TLV to @stream, with its value in memory of exactly its size. */
static inline void learn_value(struct tw_stream *stream, uint16_t type, const void *value, size_t len)
{
	const struct tw_frame_info info = { .stream_id = stream->id, .schema_id = SCHEMA };
	uint8_t *copy = malloc(len ? len : 1);
	const struct tw_tlv_view tlv = { .type = type, .value = copy, .len = len };

	assert_non_null(copy);
	if (len)
		memcpy(copy, value, len);
	tw_stream__update(stream, &info, &tlv);
	free(copy);
}

static inline struct tw_stream *learn_comm(uint64_t id, uint32_t pid, uint64_t time, const char *name)
{
	begin(id, SCHEMA);
	explained__comm(&frame, pid, time, name);
	return learn();
}

static inline struct tw_stream *learn_symbol(uint64_t id, uint64_t address, uint32_t size, const char *name)
{
	begin(id, SCHEMA);
	explained__symbol(&frame, address, size, name);
	return learn();
}

static inline struct tw_stream *learn_text(uint64_t id, uint64_t schema_id, uint8_t kind, uint16_t event_id,
					   const char *text, bool compressed)
{
	static uint8_t payload[8192];
	const struct tw_schema_view view =
		explained__schema(kind, event_id, text, strlen(text), compressed, payload, sizeof(payload));

	begin(id, schema_id);
	assert_true(tw_schema_tlv__emit(&frame.f, &view));
	return learn();
}

/* Passes the format of an event to the stream @id. */
static inline struct tw_stream *learn_event(uint64_t id, uint64_t schema_id, uint16_t event_id, const char *name)
{
	char text[2048];

	assert_true(explained__format(text, sizeof(text), event_id, name) > 0);
	return learn_text(id, schema_id, TW_SCHEMA_EVENT, event_id, text, false);
}

static inline struct tw_streams_stats stats_now(void)
{
	struct tw_streams_stats stats;

	tw_streams__stats(streams, &stats);
	assert_true(stats.memory <= TW_STREAMS_MEMORY_MAX);
	return stats;
}

#endif
