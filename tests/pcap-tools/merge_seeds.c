/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_seeds DIR: seeds of fuzz_merge, each a short stream for one case. */
#include <stdio.h>
#include <stdlib.h>

#include "frames.h"

static struct test_frame frame;

static void put(FILE *f, size_t len)
{
	fputc((int)(len >> 8), f);
	fputc((int)(len & 0xff), f);
	fwrite(frame.buf, 1, len, f);
}

static void put_events(FILE *f, uint16_t channel, uint64_t seq, uint64_t time, uint32_t n)
{
	test_frame__begin(&frame, channel, seq, time);
	for (uint32_t i = 0; i < n; i++)
		test_frame__event(&frame, time + 10 * i, i, 24);
	put(f, test_frame__end(&frame));
}

static void put_watermark(FILE *f, uint64_t time, uint64_t next1, uint64_t next2)
{
	const uint16_t channels[] = { 1, 2 };
	const uint64_t next[] = { next1, next2 };

	put(f, test_frame__watermark(&frame, time, channels, next, 2));
}

static void ordered(FILE *f)
{
	put(f, test_frame__hello(&frame, "a", "b", 900, 1));
	put_events(f, 1, 0, 1000, 3);
	put_events(f, 2, 0, 1005, 3);
	put_watermark(f, 1012, 3, 3);
	put_watermark(f, 2000, 3, 3);
}

static void reordered(FILE *f)
{
	put_events(f, 1, 6, 1060, 2);
	put_events(f, 1, 2, 1020, 2);
	put_events(f, 1, 2, 1020, 2);
	put_watermark(f, 5000, 8, 2);
	put_watermark(f, 9000, 8, 2);
	put_events(f, 1, 5, 1050, 1);
	put_events(f, 1, 4, 1040, 1);
	put_events(f, 2, 0, 900, 2);
}

static void pieces(FILE *f)
{
	uint8_t value[300] = { 0 };
	uint32_t at = 0;

	while (at < sizeof(value)) {
		test_frame__begin(&frame, 1, 0, 1000);
		frame.f.cap = 200;
		at += (uint32_t)tw_frame__add_part(&frame.f, TW_TLV_EVENT, 1, value, sizeof(value), at);
		put(f, test_frame__end(&frame));
	}
	put_watermark(f, 2000, 1, 0);
}

static void mixed(FILE *f)
{
	const struct tw_lost_view lost = { .time = 1010, .where = TW_LOST_RING, .count = 3 };
	const uint64_t next = 3;
	const uint16_t channel = 1;

	test_frame__begin(&frame, 1, 0, 1000);
	test_frame__event(&frame, 1000, 1, 24);
	tw_lost__emit(&frame.f, &lost);
	test_frame__event(&frame, 1010, 2, 24);
	tw_store_be16(frame.buf + frame.f.len - 32, TW_TLV_FILTERED);
	test_frame__event(&frame, 1020, 3, 24);
	tw_watermark__emit(&frame.f, 3000, &channel, &next, 1);
	put(f, test_frame__end(&frame));
}

static void put_command(FILE *f, unsigned int command, unsigned int low)
{
	const unsigned int head = 0xf000 | command << 8 | low;

	fputc((int)(head >> 8), f);
	fputc((int)(head & 0xff), f);
}

/* Three streams with offsets, between commands for time and drops; the last stream ends and is retired. */
static void several(FILE *f)
{
	static const uint8_t offsets[3][8] = { { 0 },
					       { 0, 0, 0, 0, 0, 0, 1, 0 },
					       { 255, 255, 255, 255, 255, 255, 255, 0 } };

	for (unsigned int i = 0; i < 3; i++) {
		put_command(f, 3, i);
		fwrite(offsets[i], 1, sizeof(offsets[i]), f);
		put_command(f, 3, 4 | 1 | 4 << 3);
		fwrite(offsets[1], 1, sizeof(offsets[1]), f);
		frame.stream = i;
		put(f, test_frame__hello(&frame, "a", "b", 900, 1));
		put_events(f, 1, 0, 1000 + 256 * i, 3);
		put_command(f, 2, 2 * i);
		put_events(f, 1, 5, 1200 + 256 * i, 3);
		put_watermark(f, 2000, 8, 0);
		put_command(f, 1, 1);
		put_watermark(f, 5000, 8, 0);
		put_command(f, 0, 250);
	}
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 5000);
	tw_end__emit(&frame.f);
	put(f, test_frame__end(&frame));
	for (unsigned int i = 0; i < 8; i++) {
		put_command(f, 1, 2);
		put_command(f, 0, 255);
	}
	frame.stream = 0;
}

/* A truncated frame, which has fewer events than its header says. */
static void cut(FILE *f)
{
	test_frame__begin(&frame, 1, 0, 1000);
	for (uint32_t i = 0; i < 4; i++)
		test_frame__event(&frame, 1000 + i, i, 24);
	put(f, test_frame__end(&frame) - 40);
	put_watermark(f, 2000, 4, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(FILE *f);
	} seeds[] = {
		{ "ordered", ordered }, { "reordered", reordered }, { "pieces", pieces },
		{ "mixed", mixed },     { "several", several },     { "cut", cut },
	};
	/* Values of the first byte, the options of fuzz_merge and fuzz_archive. */
	static const uint8_t options[] = { 0, 1 | 2, 4 | 16 | 32, 4 | 8 | 16 | 32, 1 | 8, 1 | 8 | 64 };
	const size_t ways = sizeof(options) / sizeof(options[0]);

	for (size_t i = 0; argc == 2 && i < ways * sizeof(seeds) / sizeof(seeds[0]); i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s-%zu", argv[1], seeds[i / ways].name, i % ways);
		f = fopen(path, "wb");
		if (!f)
			return 1;
		fputc(options[i % ways], f);
		seeds[i / ways].write(f);
		if (fclose(f))
			return 1;
	}
	return argc == 2 ? 0 : 1;
}
