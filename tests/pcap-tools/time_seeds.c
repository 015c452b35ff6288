/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time_seeds DIR: seeds of fuzz_time: captures with OFFSET and CLOCK records, and with pairs of events in each order. */
#include <stdio.h>
#include <stdlib.h>

#include "captures.h"
#include "explained.h"

static struct test_frame frame;
static struct made made;

static void put(uint64_t time)
{
	uint8_t packet[4096];
	const size_t len = test_frame__end(&frame);

	memset(packet, 0, 12);
	tw_store_be16(packet + 12, TW_ETHERTYPE);
	memcpy(packet + 14, frame.buf, len);
	made__packet(&made, 0, time, packet, (uint32_t)len + 14);
}

static void put_stream(uint64_t stream)
{
	uint8_t buf[2048];
	char text[1024];
	const size_t len = explained__format(text, sizeof(text), 42, "event");
	const struct tw_schema_view view = explained__schema(TW_SCHEMA_EVENT, 42, text, len, false, buf, sizeof(buf));
	const struct tw_offset_view offset = {
		.kind = TW_OFFSET_START, .method = TW_OFFSET_BY_TIME_SYNC, .offset = 5, .step = 3, .error_ns = 10
	};

	frame.stream = stream;
	test_frame__hello(&frame, "host", "one", 1000, 5);
	put(1000);
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 1, 1000);
	tw_schema_tlv__emit(&frame.f, &view);
	put(1000);
	test_frame__begin(&frame, TW_CHANNEL_OUT_OF_BAND, 0, 1000);
	frame.f.info.source = TW_SOURCE_OUT_OF_BAND;
	tw_offset__emit(&frame.f, &offset);
	put(1000);
}

static void put_event(uint64_t stream, uint16_t cpu, uint64_t time, uint32_t tag)
{
	frame.stream = stream;
	test_frame__begin(&frame, (uint16_t)(cpu + 1), time, time);
	test_frame__event(&frame, time, tag, 24);
	put(time);
}

static void put_clocks(void)
{
	struct tw_clock_view clock = { .valid = 0x3f,
				       .error_ns = 4,
				       .sync_ns = 6,
				       .reading = { 1, 2, 3, 4, 5, 6 },
				       .tai_offset = 37,
				       .leap = TW_LEAP_INSERT,
				       .n_phcs = 1,
				       .phcs = { { .index = 1, .phc = 7, .trace = 8 } } };

	for (int i = 0; i < 3; i++) {
		test_frame__begin(&frame, TW_CHANNEL_CONTROL, 2, 1000);
		tw_clock__emit(&frame.f, &clock);
		put(1000);
		clock.reading[TW_CLOCK_TRACE] += 1000000;
		clock.reading[TW_CLOCK_MONO] += 1000000;
		clock.reading[TW_CLOCK_BOOT] += 2000000;
		clock.reading[TW_CLOCK_REAL] += 9000000;
		clock.tai_offset++;
	}
}

static void orders(void)
{
	put_stream(0);
	put_stream(1);
	put_event(0, 0, 2000, 1);
	put_event(1, 1, 2500, 1);
	put_event(1, 1, 3000, 2);
	put_event(0, 0, 3005, 2);
	put_event(1, 1, 4000, 3);
	put_event(0, 0, 4100, 3);
}

static void clocks(void)
{
	put_stream(0);
	put_clocks();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} seeds[] = { { "orders", orders }, { "clocks", clocks } };

	for (size_t i = 0; argc == 2 && i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		char path[4096];
		FILE *f;

		made.len = 0;
		made__section(&made, false);
		made__interface(&made, 1, 0, 9, 0);
		seeds[i].make();
		snprintf(path, sizeof(path), "%s/%s", argv[1], seeds[i].name);
		f = fopen(path, "wb");
		if (!f || fwrite(made.bytes, 1, made.len, f) != made.len || fclose(f))
			return 1;
	}
	return argc == 2 ? 0 : 1;
}
