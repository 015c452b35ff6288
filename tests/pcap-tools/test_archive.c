/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, times and ledgers of streams in the file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "archive_file.h"
#include "base/time.h"
#include "pcap-tools/archive/archive_impl.h"

#define AHEAD 1700000000000000123ull

static int setup(void **state)
{
	*state = fixture__new(&(struct tw_archive_options){ .from_start = true });
	return 0;
}

static int teardown(void **state)
{
	fixture__free(*state);
	return 0;
}

static void put_events(struct fixture *x, uint64_t seq, uint64_t time, uint32_t n)
{
	test_frame__begin(&x->frame, 1, seq, time);
	for (uint32_t i = 0; i < n; i++)
		assert_true(test_frame__event(&x->frame, time + i, i, 24));
	put(x, test_frame__end(&x->frame));
}

static void expect_place(const struct tw_archive_stats *stats, enum tw_ledger_place place, uint64_t n)
{
	assert_int_equal(stats->ledger.place[place], n);
}

static void put_stats(struct fixture *x, const struct tw_stat_view *stats, size_t n)
{
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, 0, 2000);
	assert_true(tw_stats__emit(&x->frame.f, stats, n));
	put(x, test_frame__end(&x->frame));
}

static void put_lost(struct fixture *x, uint64_t seq, const struct tw_lost_view *lost)
{
	test_frame__begin(&x->frame, 1, seq, lost->time);
	assert_true(tw_lost__emit(&x->frame.f, lost));
	put(x, test_frame__end(&x->frame));
}

/* Return: sequence number of the frame in a packet block */
static uint64_t packet_seq(const struct block *packet)
{
	struct tw_frame_info info = { 0 };
	struct tw_cursor tlvs;

	assert_int_equal(tw_load_be16(packet->body + 20 + 12), TW_ETHERTYPE);
	assert_int_equal(tw_frame__parse(packet->body + 20 + 14, load_u32(packet->body + 12) - 14, &info, &tlvs),
			 TW_FRAME_OK);
	return info.seq;
}

static uint16_t first_type(const struct block *packet)
{
	const size_t at = 20 + 14 + sizeof(struct tw_frame_hdr);

	assert_true(load_u32(packet->body + 12) > 14 + sizeof(struct tw_frame_hdr));
	return tw_load_be16(packet->body + at);
}

static void names_and_times(void **state)
{
	struct fixture *x = *state;
	struct block block;

	put(x, test_frame__hello(&x->frame, "box\n", "one", 1000, AHEAD));
	put_events(x, 0, 1500, 3);
	put(x, test_frame__hello(&x->frame, "box\n", "one", 2000, AHEAD + 5000)); /* the wall clock was set */
	put_events(x, 3, 2500, 1);
	put_watermark(x, 3000, 4);
	finish(x);
	block = find(x, BLOCK_IDB);
	assert_true(block__has_text(&block, 8, 2, "box\\x0a:one"));
	assert_true(block__has_text(&block, 8, 3, "kernel trace events: sched:*; clock mono; kernel 6.1.0-test"));
	assert_true(block__has_text(&block, 8, 1, "stream 1122334455667788"));
	block = find(x, BLOCK_EPB);
	assert_int_equal(load_time(block.body + 4), 1000 + AHEAD);
	block = find(x, BLOCK_EPB); /* the second HOST and CLOCK, which arrived before any event was released */
	assert_int_equal(load_time(block.body + 4), 1500 + AHEAD);
	block = find(x, BLOCK_EPB);
	assert_int_equal(packet_seq(&block), 0);
	assert_int_equal(load_time(block.body + 4), 1500 + AHEAD);
	block = find(x, BLOCK_EPB);
	block = find(x, BLOCK_EPB);
	block = find(x, BLOCK_EPB); /* the step of the wall clock */
	assert_int_equal(first_type(&block), TW_TLV_OFFSET);
	block = find(x, BLOCK_EPB);
	assert_int_equal(packet_seq(&block), 3);
	assert_int_equal(load_time(block.body + 4), 2500 + AHEAD);
}

/* Events that arrive first wait for HOST and CLOCK. */
static void packets_wait_for_names(void **state)
{
	struct fixture *x = *state;
	struct block block;

	put_events(x, 0, 1500, 3);
	put_watermark(x, 1600, 3);
	assert_int_equal(tw_archive__flush(x->archive), 0);
	put(x, test_frame__hello(&x->frame, "box", "one", 1700, AHEAD));
	put_watermark(x, 1800, 3);
	finish(x);
	block = find(x, BLOCK_IDB);
	assert_true(block__has_text(&block, 8, 2, "box:one"));
	block = find(x, BLOCK_EPB);
	assert_int_equal(packet_seq(&block), 0);
	assert_int_equal(load_time(block.body + 4), 1500 + AHEAD);
}

/* If HOST and CLOCK never arrive, a comment in the file says so. */
static void nameless_stream(void **state)
{
	struct fixture *x = *state;
	struct block block;
	size_t len;

	put_events(x, 0, 1500, 3);
	put_watermark(x, 1600, 3);
	finish(x);
	block = find(x, BLOCK_IDB);
	assert_true(block__has_text(&block, 8, 2, "stream-1122334455667788"));
	assert_non_null(block__option(&block, 8, 1, &len));
	block = find(x, BLOCK_EPB);
	assert_true(load_time(block.body + 4) > 1600000000000000000ull);
}

static void holding_is_bounded(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .memory = 1 << 20 };
	struct fixture *x = fixture__new(&options);
	struct tw_archive_stats stats;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		put_events(x, 1000 * i, 2000 * i + 1, 1000);
		put_watermark(x, 2000 * i + 2000, 1000 * i + 1000);
	}
	tw_archive__stats(x->archive, &stats);
	assert_true(stats.ledger.place[TW_PLACE_DELIVERED] > 50000); /* written although no HOST arrived */
	fixture__free(x);
}

static void ledgers(void **state)
{
	const struct tw_stat_view counters[] = {
		{ .stat = TW_STAT_RECORDED, .channel = 1, .value = 100 },
		{ .stat = TW_STAT_READ, .channel = 1, .value = 80 },
		{ .stat = TW_STAT_OVERRUN, .channel = 1, .value = 15 },
		{ .stat = TW_STAT_SHED, .channel = 0, .value = 2 },
		{ .stat = TW_STAT_TX_DROP_EVENTS, .channel = 0, .value = 1 },
	};
	struct fixture *x = *state;
	struct tw_archive_stats stats;
	struct block block;

	put(x, test_frame__hello(&x->frame, "box", "one", 1000, AHEAD));
	put_events(x, 0, 1500, 3);
	put_lost(x, 3, &(struct tw_lost_view){ .time = 1600, .where = TW_LOST_RING, .count = 20 });
	put_lost(x, 3, &(struct tw_lost_view){ .time = 1600, .where = TW_LOST_RING, .unknown = true });
	put_events(x, 10, 1700, 2); /* 3 to 9 are missing: 2 shed, 1 dropped by the sender, and 4 lost on the wire */
	put_stats(x, counters, 5);
	put_watermark(x, 3000, 12);
	finish(x);
	tw_archive__stats(x->archive, &stats);
	assert_int_equal(stats.packets, 9);
	assert_int_equal(stats.ledger.recorded, 100);
	expect_place(&stats, TW_PLACE_DELIVERED, 5);
	expect_place(&stats, TW_PLACE_RING, 20);
	expect_place(&stats, TW_PLACE_SHED, 2);
	expect_place(&stats, TW_PLACE_TX, 1);
	expect_place(&stats, TW_PLACE_WIRE, 4);
	assert_int_equal(stats.ledger.fact[TW_FACT_UNKNOWN], 1);
	assert_int_equal(stats.bytes, x->size);
	block = find(x, BLOCK_ISB);
	assert_int_equal(block__number(&block, 12, 4), 32);
	assert_int_equal(block__number(&block, 12, 5), 27);
	assert_int_equal(block__number(&block, 12, 7), 20);
	assert_int_equal(block__number(&block, 12, 8), 5);
	assert_true(block__has_text(&block, 12, 1,
				    "ledger version=1 state=open recorded=100 delivered=5 ring=20 shed=2 tx=1 wire=4 "
				    "difference=68 unknown=1"));
}

static void two_streams_two_interfaces(void **state)
{
	struct fixture *x = *state;
	struct block block;

	put(x, test_frame__hello(&x->frame, "box", "one", 1000, AHEAD));
	put_events(x, 0, 1500, 1);
	put_watermark(x, 2000, 1);
	test_frame__hello(&x->frame, "other", "two", 1000, AHEAD);
	tw_store_be64(x->frame.buf + offsetof(struct tw_frame_hdr, stream_id), 99);
	put(x, x->frame.f.len);
	finish(x);
	block = find(x, BLOCK_IDB);
	assert_true(block__has_text(&block, 8, 2, "box:one"));
	block = find(x, BLOCK_IDB);
	assert_true(block__has_text(&block, 8, 2, "other:two"));
	block = find(x, BLOCK_EPB);
	assert_int_equal(load_u32(block.body), 1);
	block = find(x, BLOCK_ISB);
	block = find(x, BLOCK_ISB);
	assert_int_equal(load_u32(block.body), 1);
}

static uint64_t explain(void *ctx, uint64_t stream_id)
{
	assert_int_equal(stream_id, TEST_STREAM);
	return *(const uint64_t *)ctx;
}

/* Missing numbers that a classifier explains are not lost. It cannot explain more numbers than are missing. */
static void explained_gaps(void **state)
{
	uint64_t dropped = 3;
	const struct tw_archive_options options = { .from_start = true, .explain = explain, .ctx = &dropped };
	struct fixture *x = fixture__new(&options);
	struct tw_archive_stats stats;
	struct block block;

	(void)state;
	put(x, test_frame__hello(&x->frame, "box", "one", 1000, AHEAD));
	put_events(x, 0, 1500, 3);
	put_events(x, 8, 1700, 2);
	put_watermark(x, 3000, 10);
	finish(x);
	block = find(x, BLOCK_ISB);
	assert_int_equal(block__number(&block, 12, 4), 10);
	assert_int_equal(block__number(&block, 12, 5), 2);
	assert_int_equal(block__number(&block, 12, 6), 5);
	tw_archive__stats(x->archive, &stats);
	expect_place(&stats, TW_PLACE_CLASSIFIER, 3);
	expect_place(&stats, TW_PLACE_WIRE, 2);
	dropped = 9;
	tw_archive__stats(x->archive, &stats);
	expect_place(&stats, TW_PLACE_CLASSIFIER, 5);
	expect_place(&stats, TW_PLACE_WIRE, 0);
	fixture__free(x);
}

/* Put HOST and CLOCK of a stream whose clock counts two ticks in three ns. */
static void put_hello_in_ticks(struct fixture *x, uint64_t ticks)
{
	uint8_t mult[8], shift[8];
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)"box", .len = 3 },
		{ .attr = TW_HOST_CLOCK, .value = (const uint8_t *)"x86-tsc", .len = 7 },
		{ .attr = TW_HOST_CLOCK_MULT, .value = mult, .len = sizeof(mult) },
		{ .attr = TW_HOST_CLOCK_SHIFT, .value = shift, .len = sizeof(shift) },
	};
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL,
		.reading = { [TW_CLOCK_TRACE] = ticks, [TW_CLOCK_REAL] = ticks * 3 / 2 + AHEAD },
	};

	tw_store_be64(mult, 3);
	tw_store_be64(shift, 1);
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, 0, ticks);
	tw_host__emit(&x->frame.f, attrs, sizeof(attrs) / sizeof(attrs[0]));
	tw_clock__emit(&x->frame.f, &clock);
	put(x, test_frame__end(&x->frame));
}

/* Read the last file of the folder into x->file. */
static void read_last_file(struct fixture *x, const char *folder)
{
	char path[512];
	struct dirent **names;
	const int n = scandir(folder, &names, NULL, alphasort);

	assert_true(n > 3);
	snprintf(path, sizeof(path), "%s/%s", folder, names[n - 1]->d_name);
	x->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_return_code(x->fd, errno);
	x->size = (size_t)read(x->fd, x->file, sizeof(x->file));
	x->at = 0;
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void remove_folder(const char *folder)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	assert_int_equal(system(command), 0);
}

/* In a file that has no events of a stream, the stream's metadata has the time of its last packet. */
static void silent_in_the_last_file(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .network = true };
	const struct tw_time_sync_sample answer = {
		.asked = AHEAD + 1499900, .received = 1000000, .answered = 1000000, .arrived = AHEAD + 1500100
	};
	char folder[] = "/tmp/tracewire-archive.XXXXXX", path[64];
	struct fixture *x = calloc(1, sizeof(*x));
	struct block block;

	(void)state;
	assert_non_null(x);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x", folder);
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .path = path, .file_packets = 4 }, &x->output,
					 NULL),
			 0);
	assert_int_equal(tw_archive__new(x->output, &options, &x->archive, NULL), 0);
	put_hello_in_ticks(x, 1000000);
	tw_archive__answer(x->archive, TEST_STREAM, &answer);
	put_events(x, 0, 2000000, 3);
	put_watermark(x, 3000000, 3);
	assert_int_equal(tw_archive__finish(x->archive), 0);
	read_last_file(x, folder);
	block = find(x, BLOCK_EPB);
	assert_int_equal(load_time(block.body + 4), 3000003 + AHEAD); /* the time of the third event */
	fixture__free(x);
	remove_folder(folder);
}

static uint64_t delivered(struct fixture *x)
{
	struct tw_archive_stats stats;

	tw_archive__stats(x->archive, &stats);
	return stats.ledger.place[TW_PLACE_DELIVERED];
}

/* The first packets of a stream wait for the error bound of their times, but not for long. */
static void times_are_asked_first(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .network = true };
	const struct tw_time_sync_sample answer = {
		.asked = AHEAD + 900, .received = 1000, .answered = 1000, .arrived = AHEAD + 1100
	};
	const uint64_t begin = TW_NS_PER_SECOND;

	(void)state;
	for (int answered = 0; answered < 2; answered++) {
		struct fixture *x = fixture__new(&options);

		assert_int_equal(tw_archive__tick(x->archive, begin), 0);
		put(x, test_frame__hello(&x->frame, "box", "one", 1000, AHEAD));
		put_events(x, 0, 1500, 3);
		put_watermark(x, 3000, 3);
		assert_int_equal(tw_archive__tick(x->archive, begin + 20 * TW_NS_PER_MS), 0);
		assert_int_equal(delivered(x), 0);
		if (answered)
			tw_archive__answer(x->archive, TEST_STREAM, &answer);
		else
			assert_int_equal(tw_archive__tick(x->archive, begin + 40 * TW_NS_PER_MS), 0);
		assert_int_equal(delivered(x), 3);
		finish(x);
		assert_non_null(memmem(x->file, x->size, answered ? "within" : "initial error", answered ? 6 : 13));
		fixture__free(x);
	}
}

/* Put an event of stream @id, with its watermark; before the first event, also HOST and CLOCK. All have @time of the stream's clock. */
static void put_one_of(struct fixture *x, uint64_t id, uint64_t seq, uint64_t now, uint64_t time)
{
	const struct tw_arrival arrival = { .now = now };
	size_t len;

	x->frame.stream = id - TEST_STREAM;
	if (!seq) {
		len = test_frame__hello(&x->frame, "box", id == TEST_STREAM ? "one" : "two", time, 0);
		assert_int_equal(tw_archive__frame(x->archive, x->frame.buf, len, &arrival), 0);
	}
	test_frame__begin(&x->frame, 1, seq, time);
	assert_true(test_frame__event(&x->frame, time, 0, 24));
	assert_true(tw_watermark__emit(&x->frame.f, time, (const uint16_t[]){ 1 }, (const uint64_t[]){ seq + 1 }, 1));
	len = test_frame__end(&x->frame);
	assert_int_equal(tw_archive__frame(x->archive, x->frame.buf, len, &arrival), 0);
}

/* Put an END of stream @id, which arrives at @now. */
static void put_end_of(struct fixture *x, uint64_t id, uint64_t now)
{
	const struct tw_arrival arrival = { .now = now };
	size_t len;

	x->frame.stream = id - TEST_STREAM;
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 2000);
	assert_true(tw_end__emit(&x->frame.f));
	len = test_frame__end(&x->frame);
	assert_int_equal(tw_archive__frame(x->archive, x->frame.buf, len, &arrival), 0);
}

/* The wall clock was set back by an hour during the capture. Streams that are aligned to the capture clock are not ahead of it. */
static void set_back_under_host_alignment(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .network = true, .align = TW_ALIGN_HOST };
	const uint64_t hour = 3600 * TW_NS_PER_SECOND, begin = TW_NS_PER_SECOND;
	struct fixture *x = fixture__new(&options);
	uint64_t present;

	(void)state;
	x->archive->clock.begun += (int64_t)hour; /* simulated, because a test must not set this machine's clock */
	present = tw_capture_clock__now(&x->archive->clock);
	assert_int_equal(tw_archive__tick(x->archive, begin), 0);
	for (uint64_t id = TEST_STREAM; id <= TEST_STREAM + 1; id++) {
		const uint64_t time =
			id == TEST_STREAM ? present : present - 2 * hour; /* the second stream is silent */

		put_one_of(x, id, 0, begin, time);
		tw_archive__answer(x->archive, id,
				   &(struct tw_time_sync_sample){ .asked = present,
								  .received = present,
								  .answered = present,
								  .arrived = present });
	}
	for (uint64_t i = 1; i <= 4; i++)
		assert_int_equal(tw_archive__tick(x->archive, begin + i * TW_NS_PER_SECOND), 0);
	assert_int_equal(delivered(x), 2);
	put_one_of(x, TEST_STREAM, 1, begin + 4 * TW_NS_PER_SECOND, present + TW_NS_PER_SECOND);
	assert_int_equal(delivered(x), 3); /* the archive no longer waits for the silent stream */
	finish(x);
	fixture__free(x);
}

/* If nothing relates a stream's clock to this machine's, its packets have the time of their arrival, not that of the end of the wait. */
static void dated_by_when_it_came(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .network = true };
	const uint64_t begin = TW_NS_PER_SECOND, past = 4 * TW_NS_PER_SECOND; /* invented times */
	struct fixture *x = fixture__new(&options);
	uint64_t present, dated;
	struct block block;

	(void)state;
	assert_int_equal(tw_archive__tick(x->archive, begin), 0);
	put_one_of(x, TEST_STREAM, 1, begin, 1500);
	present = tw_capture_clock__now(&x->archive->clock);
	for (uint64_t now = begin; now <= begin + past; now += TW_NS_PER_SECOND / 2)
		assert_int_equal(tw_archive__tick(x->archive, now), 0);
	assert_int_equal(delivered(x), 1);
	finish(x);
	block = find(x, BLOCK_EPB);
	dated = load_time(block.body + 4);
	assert_in_range(dated, present - past, present - TW_NS_PER_SECOND / 2);
	fixture__free(x);
}

/* END is sent several times. One that arrives after the stream was retired does not begin it again. */
static void end_repeated_after_retirement(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .network = true };
	const uint64_t begin = TW_NS_PER_SECOND, over = 10 * TW_NS_PER_SECOND;
	struct fixture *x = fixture__new(&options);
	struct tw_archive_report *reports;
	size_t n_reports;

	(void)state;
	assert_int_equal(tw_archive__tick(x->archive, begin), 0);
	put_one_of(x, TEST_STREAM, 0, begin, 1500);
	put_end_of(x, TEST_STREAM, begin);
	for (uint64_t now = begin; now <= begin + over; now += TW_NS_PER_SECOND / 2)
		assert_int_equal(tw_archive__tick(x->archive, now), 0);
	put_end_of(x, TEST_STREAM, begin + over);
	put_end_of(x, TEST_STREAM + 1, begin + over); /* the first frame of this stream */
	assert_int_equal(tw_archive__reports(x->archive, &reports, &n_reports), 0);
	assert_int_equal(n_reports, 2);
	assert_int_equal(reports[0].stream_id, TEST_STREAM);
	assert_int_equal(reports[0].ledger.place[TW_PLACE_DELIVERED], 1);
	assert_int_equal(reports[1].stream_id, TEST_STREAM + 1);
	free(reports);
	finish(x);
	fixture__free(x);
}

/* After the limit of events, no events are written, but the ledger counts all of them. */
static void limit(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .events_max = 4 };
	struct fixture *x = fixture__new(&options);
	struct tw_archive_stats stats;
	struct block block;

	(void)state;
	put(x, test_frame__hello(&x->frame, "box", "one", 1000, AHEAD));
	put_events(x, 0, 1500, 3);
	put_events(x, 5, 1700, 2);
	assert_false(tw_archive__is_full(x->archive));
	put_watermark(x, 2000000000, 7); /* ends the wait for 3 and 4 */
	assert_true(tw_archive__is_full(x->archive));
	put_lost(x, 7, &(struct tw_lost_view){ .time = 2100000000, .where = TW_LOST_RING, .count = 20 });
	put_events(x, 7, 2200000000, 2);
	finish(x);
	block = find(x, BLOCK_ISB);
	assert_int_equal(block__number(&block, 12, 4), 29);
	assert_int_equal(block__number(&block, 12, 5), 22);
	assert_int_equal(block__number(&block, 12, 8), 4);
	tw_archive__stats(x->archive, &stats);
	expect_place(&stats, TW_PLACE_DELIVERED, 4);
	expect_place(&stats, TW_PLACE_UNWANTED, 3);
	expect_place(&stats, TW_PLACE_RING, 20);
	expect_place(&stats, TW_PLACE_WIRE, 2);
	fixture__free(x);
}

/* If there are more streams than are reported one by one, the others are reported together, without the name of a stream. */
static void streams_beyond_those_reported(void **state)
{
	const uint64_t reported = 4096, n = reported + TW_STREAMS_LIVE_MAX + 3;
	struct fixture *x = *state;
	struct tw_archive_report *reports;
	size_t n_reports;

	for (uint64_t i = 0; i < n; i++) {
		x->frame.stream = i;
		put(x, test_frame__hello(&x->frame, "a", "b", 900, AHEAD));
		test_frame__begin(&x->frame, 1, 0, 1000);
		assert_true(test_frame__event(&x->frame, 1000, 1, 24));
		put(x, test_frame__end(&x->frame));
		put_watermark(x, 2000, 1);
		test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 2000);
		assert_true(tw_end__emit(&x->frame.f));
		put(x, test_frame__end(&x->frame));
	}
	assert_int_equal(tw_archive__reports(x->archive, &reports, &n_reports), 0);
	assert_int_equal(n_reports, reported + TW_STREAMS_LIVE_MAX);
	assert_string_equal(reports[reported - 2].name, "a:b");
	assert_string_equal(reports[reported - 1].name, "4 other streams");
	assert_int_equal(reports[reported - 1].stream_id, 0);
	assert_int_equal(reports[reported - 1].ledger.place[TW_PLACE_DELIVERED], 4);
	assert_string_equal(reports[reported].name, "a:b");
	free(reports);
}

static void put_symbols(struct fixture *x, uint64_t n)
{
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 1000);
	for (uint64_t i = 0; i < n; i++)
		assert_true(tw_symbol__emit(&x->frame.f,
					    &(struct tw_symbol_view){ 16, i * 16, (const uint8_t *)"a symbol", 8 }));
	put(x, test_frame__end(&x->frame));
}

/* Metadata that is not kept is counted, also for streams that are retired. */
static void metadata_beyond_their_room(void **state)
{
	struct fixture *x = fixture__new(&(struct tw_archive_options){ .from_start = true, .metadata = 16384 });
	struct tw_archive_stats stats;
	uint64_t not_kept;

	(void)state;
	put(x, test_frame__hello(&x->frame, "a", "b", 900, AHEAD));
	put_symbols(x, 400);
	put_watermark(x, 2000, 0);
	tw_archive__stats(x->archive, &stats);
	assert_in_range(stats.metadata.items, 10, 390);
	assert_in_range(stats.metadata.memory, 1, 16384);
	not_kept = stats.metadata.beyond;
	assert_in_range(not_kept, 10, 390);
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 2000);
	assert_true(tw_end__emit(&x->frame.f));
	put(x, test_frame__end(&x->frame));
	for (uint64_t i = 1; i <= TW_STREAMS_LIVE_MAX; i++) { /* the last of these replaces the first stream */
		x->frame.stream = i;
		put(x, test_frame__hello(&x->frame, "c", "d", 900, AHEAD));
	}
	tw_archive__stats(x->archive, &stats);
	assert_int_equal(stats.merge.retired, 1);
	assert_in_range(stats.metadata.beyond, not_kept, not_kept + 2 * TW_STREAMS_LIVE_MAX);
	x->frame.stream = 0;
	finish(x);
	fixture__free(x);
}

/* The first write fails: all events count at `disk`. */
static void a_full_disk(void **state)
{
	const struct tw_archive_options options = { .buffer = 64 };
	struct test_frame frame = { .stream = 0 };
	struct tw_archive_stats stats;
	struct tw_output *output;
	struct tw_archive *a;
	const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .fd = fd }, &output, NULL), 0);
	assert_int_equal(tw_archive__new(output, &options, &a, NULL), 0);
	assert_int_equal(tw_archive__frame(a, frame.buf, test_frame__hello(&frame, "a", "b", 900, 1), NULL), 0);
	test_frame__begin(&frame, 1, 0, 1000);
	for (uint32_t i = 0; i < 10; i++)
		test_frame__event(&frame, 1000 + i, i, 24);
	assert_int_equal(tw_archive__frame(a, frame.buf, test_frame__end(&frame), NULL), 0);
	assert_int_equal(tw_archive__finish(a), -ENOSPC);
	tw_archive__stats(a, &stats);
	assert_int_equal(stats.ledger.place[TW_PLACE_DISK], 10);
	assert_int_equal(stats.merge.queued, 0);
	tw_archive__free(a);
	tw_output__free(output);
	close(fd);
}

/* The stream ended and was retired before the first write failed: its packets in the buffer still count at `disk`. */
static void a_full_disk_after_retirement(void **state)
{
	const struct tw_archive_options options = { .from_start = true, .network = true };
	const uint64_t begin = TW_NS_PER_SECOND;
	struct tw_archive_report *reports;
	size_t n_reports;
	struct fixture *x = fixture__new(&options);

	(void)state;
	assert_int_equal(dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), x->fd), x->fd);
	assert_int_equal(tw_archive__tick(x->archive, begin), 0);
	put_one_of(x, TEST_STREAM, 0, begin, 1500);
	put_end_of(x, TEST_STREAM, begin);
	for (uint64_t now = begin; now <= 11 * begin; now += TW_NS_PER_SECOND / 2)
		assert_int_equal(tw_archive__tick(x->archive, now), 0);
	assert_int_equal(tw_archive__reports(x->archive, &reports, &n_reports), 0);
	assert_int_equal(n_reports, 1);
	assert_int_equal(reports[0].ledger.place[TW_PLACE_DELIVERED], 1);
	assert_true(reports[0].packets);
	free(reports);
	assert_int_equal(tw_archive__finish(x->archive), -ENOSPC);
	assert_int_equal(tw_archive__reports(x->archive, &reports, &n_reports), 0);
	assert_int_equal(n_reports, 1);
	assert_int_equal(reports[0].ledger.place[TW_PLACE_DELIVERED], 0);
	assert_int_equal(reports[0].ledger.place[TW_PLACE_DISK], 1);
	assert_int_equal(reports[0].packets, 0);
	free(reports);
	fixture__free(x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(names_and_times),
		TEST(packets_wait_for_names),
		TEST(nameless_stream),
		TEST(holding_is_bounded),
		TEST(ledgers),
		TEST(two_streams_two_interfaces),
		cmocka_unit_test(explained_gaps),
		cmocka_unit_test(silent_in_the_last_file),
		cmocka_unit_test(times_are_asked_first),
		cmocka_unit_test(set_back_under_host_alignment),
		cmocka_unit_test(dated_by_when_it_came),
		cmocka_unit_test(end_repeated_after_retirement),
		cmocka_unit_test(limit),
		TEST(streams_beyond_those_reported),
		cmocka_unit_test(metadata_beyond_their_room),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(a_full_disk_after_retirement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
