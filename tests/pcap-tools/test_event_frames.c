/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of a capture of an interface, in report: the events of several hosts are in one order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frames.h"
#include "pcap-tools/events/frames.h"
#include "pcap-tools/pcapng/writer.h"

#define ETHER_LEN 14

struct fixture {
	struct tw_streams *streams;
	struct tw_event_frames *frames;
	struct tw_event_reader_stats stats;
	struct test_frame frame;
	uint64_t stream[16], time[16]; /* streams and times of the emitted events */
	size_t n;
	size_t missing; /* sum of @missing of the emitted frames, bytes */
	uint32_t
		original; /* @original of the next packets, bytes; if it exceeds their length, the capturing program truncated them */
};

static int take(void *ctx, struct tw_event_frame *frame)
{
	struct fixture *x = ctx;

	x->missing += frame->missing;
	if (frame->info.source == TW_SOURCE_CONTROL)
		return 0;
	assert_true(x->n < 16);
	x->stream[x->n] = frame->info.stream_id - TEST_STREAM;
	x->time[x->n++] = frame->info.base_time;
	return 0;
}

static void put(struct fixture *x, size_t len)
{
	uint8_t data[ETHER_LEN + TW_FRAME_MAX] = { [12] = TW_ETHERTYPE >> 8, [13] = TW_ETHERTYPE & 0xff };
	const struct tw_packet packet = { .linktype = TW_LINKTYPE_ETHERNET,
					  .data = data,
					  .len = (uint32_t)(ETHER_LEN + len),
					  .original = x->original };

	memcpy(data + ETHER_LEN, x->frame.buf, len);
	assert_int_equal(tw_event_frames__packet(x->frames, &packet), 0);
}

static void put_event(struct fixture *x, uint64_t stream, uint64_t seq, uint64_t time)
{
	const uint16_t channel = 1;
	const uint64_t next = seq + 1;

	x->frame.stream = stream;
	test_frame__begin(&x->frame, channel, seq, time);
	assert_true(test_frame__event(&x->frame, time, 1, 24));
	assert_true(tw_watermark__emit(&x->frame.f, time, &channel, &next, 1));
	put(x, test_frame__end(&x->frame));
}

static void put_hello(struct fixture *x, uint64_t stream, uint64_t time, uint64_t ahead)
{
	x->frame.stream = stream;
	put(x, test_frame__hello(&x->frame, "host", "instance", time, ahead));
}

/* The clocks of the hosts are far apart, and their CLOCK records relate them. A second CLOCK of a host changes nothing. */
static void hosts_come_in_one_order(void **state)
{
	static struct fixture x;
	static const uint64_t streams[] = { 0, 1, 1, 0, 0, 1 };

	(void)state;
	x.streams = tw_streams__new(NULL);
	x.frames = tw_event_frames__new(x.streams, NULL, TW_EVENT_FRAMES_CAPTURE, take, NULL, &x, &x.stats);
	assert_non_null(x.frames);
	x.frame.joined = true;
	put_event(&x, 0, 5, 1000); /* 501000 by the wall clock, as are the numbers below */
	put_hello(&x, 0, 1000, 500000);
	put_hello(&x, 1, 90000, 412000);
	put_event(&x, 0, 6, 2000);  /* 502000 */
	put_event(&x, 0, 7, 2500);  /* 502500 */
	put_event(&x, 1, 0, 89500); /* 501500 */
	put_hello(&x, 1, 90000, 9999999);
	put_event(&x, 1, 1, 89600); /* 501600 */
	put_event(&x, 1, 2, 91000); /* 503000 */
	assert_int_equal(tw_event_frames__flush(x.frames), 0);
	assert_int_equal(x.n, 6);
	for (size_t i = 0; i < x.n; i++)
		assert_int_equal(x.stream[i], streams[i]);
	assert_int_equal(x.stats.malformed, 0);
	tw_event_frames__free(x.frames);
	tw_streams__free(x.streams);
}

/*
 * Packets that the capturing program truncated are not damaged, whether the capture is in order or has to be merged. Frames that were
 * already truncated when they arrived are damaged.
 */
static void cut_packets_are_not_damaged(void **state)
{
	static struct fixture x;

	(void)state;
	for (int merged = 0; merged < 2; merged++) {
		x = (struct fixture){ .streams = tw_streams__new(NULL) };
		x.frames = tw_event_frames__new(x.streams, NULL, TW_EVENT_FRAMES_CAPTURE, take, NULL, &x, &x.stats);
		assert_non_null(x.frames);
		for (uint64_t seq = 0; seq < 3; seq++) {
			size_t len;

			x.original = seq == 1 ? 0 : 200;
			test_frame__begin(&x.frame, 1, seq, 2000 + seq);
			test_frame__event(&x.frame, 2000 + seq, 1, 24);
			len = test_frame__end(&x.frame);
			put(&x, len - 8);
		}
		if (merged)
			put_event(&x, 0, 3, 3000);
		assert_int_equal(tw_event_frames__flush(x.frames), 0);
		assert_int_equal(x.stats.snapped, 2);
		assert_int_equal(x.stats.malformed, merged ? 2 : 1);
		assert_int_equal(x.missing, merged ? 0 : 16);
		assert_int_equal(x.n, merged ? 1 : 3);
		tw_event_frames__free(x.frames);
		tw_streams__free(x.streams);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_come_in_one_order),
		cmocka_unit_test(cut_packets_are_not_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
