/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udp_seeds DIR: seeds of fuzz_receive_queue: single datagrams and bundles, of a stream that is joined late and gets requests. */
#include <stdio.h>
#include <stdlib.h>

#include "frames.h"
#include "wire/time_sync.h"

static struct test_frame frame;

/* The head of a bundle: see fuzz_receive_queue.c. */
static void put_head(FILE *f, size_t len, size_t segment, int how)
{
	fputc((int)(len >> 8), f);
	fputc((int)(len & 0xff), f);
	fputc((int)(segment >> 8), f);
	fputc((int)(segment & 0xff), f);
	fputc(how, f);
}

static void put(FILE *f, size_t len)
{
	put_head(f, len, len, 4);
	fwrite(frame.buf, 1, len, f);
}

static size_t make_event(uint64_t seq)
{
	test_frame__begin(&frame, 1, seq, 1000 + seq);
	test_frame__event(&frame, 1000 + seq, (uint32_t)seq, 24);
	return test_frame__end(&frame);
}

static void put_hello(FILE *f)
{
	put(f, test_frame__hello(&frame, "a", "b", 900, 1));
}

static void put_watermark(FILE *f, uint64_t time, uint64_t next)
{
	const uint16_t channel = 1;

	put(f, test_frame__watermark(&frame, time, &channel, &next, 1));
}

static void put_answer(FILE *f, uint32_t id)
{
	const struct tw_time_sync_view answer = { .id = id,
						  .asked = 5000000,
						  .received = 1000,
						  .answered = 1001,
						  .received_by = TW_STAMP_SOFTWARE,
						  .answered_by = TW_STAMP_READING,
						  .sent_by = TW_STAMP_SOFTWARE,
						  .previous = id - 1,
						  .sent = 900 };

	put(f, tw_time_sync_frame__write(frame.buf, TEST_STREAM, &answer));
}

static void alone(FILE *f)
{
	put_hello(f);
	for (uint64_t seq = 0; seq < 4; seq++)
		put(f, make_event(seq));
	put_watermark(f, 2000, 4);
	put_answer(f, 1);
}

/* A bundle of four datagrams: three of one length, and a shorter last one. */
static void bundled(FILE *f)
{
	const size_t len = make_event(0);

	put_hello(f);
	put_head(f, 4 * len - 8, len, 4);
	for (uint64_t seq = 0; seq < 4; seq++)
		fwrite(frame.buf, 1, make_event(seq) - (seq == 3 ? 8 : 0), f);
	put_watermark(f, 2000, 4);
}

static void joined_late(FILE *f)
{
	put(f, make_event(1000));
	for (int i = 0; i < 8; i++) {
		put_head(f, 0, 1, 0x3c);
		put_answer(f, (uint32_t)i);
	}
	put_hello(f);
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 1000);
	tw_schema_tlv__emit(&frame.f,
			    &(struct tw_schema_view){
				    .raw_length = 4, .total = 1, .data = (const uint8_t *)"a\0bc", .len = 4 });
	put(f, test_frame__end(&frame));
	put_watermark(f, 2000, 1001);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(FILE *f);
	} seeds[] = { { "alone", alone }, { "bundled", bundled }, { "joined-late", joined_late } };

	if (argc != 2)
		return 2;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", argv[1], seeds[i].name);
		f = fopen(path, "we");
		if (!f)
			return 1;
		seeds[i].write(f);
		if (fclose(f))
			return 1;
	}
	return 0;
}
