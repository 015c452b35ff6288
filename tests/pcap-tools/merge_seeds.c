/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_seeds DIR: inputs for fuzz_merge to start from, each a short stream that exercises one thing. */
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

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(FILE *f);
	} seeds[] = { { "ordered", ordered }, { "reordered", reordered }, { "pieces", pieces }, { "mixed", mixed } };

	for (size_t i = 0; argc == 2 && i < 2 * sizeof(seeds) / sizeof(seeds[0]); i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s-%zu", argv[1], seeds[i / 2].name, i % 2);
		f = fopen(path, "wb");
		if (!f)
			return 1;
		fputc((int)(i % 2 ? 3 : 0), f); /* from the start, little memory; or neither */
		seeds[i / 2].write(f);
		if (fclose(f))
			return 1;
	}
	return argc == 2 ? 0 : 1;
}
