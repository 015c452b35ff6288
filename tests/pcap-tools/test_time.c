/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the times of made captures rest on, and the order of their events: certain, uncertain, or against the bounds. */
#include "pcap-tools/time/timing.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "captures.h"
#include "explained.h"
#include "tests/failing_memory.h"

#define SECOND 1000000000ull
#define MS     1000000
#define US     1000
#define AHEAD  (1700000000 * SECOND) /* packet times minus the clocks of all streams, ns */

/* The event on CPU 0 precedes the event with the same `i` on CPU 1. */
static const char definition[] = "pair sent\n"
				 "text a request is sent before it is handled\n"
				 "begin made:event i if cpu == 0\n"
				 "end made:event i if cpu == 1\n";

static struct test_frame frame;
static struct made made;
static struct tw_pair_table *table;
static struct tw_timing *timing;
static const struct tw_timing_result *result;

static int setup(void **state)
{
	(void)state;
	made.len = 0;
	made__section(&made, false);
	made__interface(&made, 1, 0, 9, 0);
	table = tw_pair_table__new();
	return !table || tw_pair_table__parse(table, definition, sizeof(definition) - 1, "test", NULL);
}

static int teardown(void **state)
{
	(void)state;
	tw_timing__free(timing);
	timing = NULL;
	tw_pair_table__free(table);
	return 0;
}

/* @time: of the packet, by the clock of the capture host after AHEAD */
static void put(uint64_t time)
{
	static uint8_t packet[4096];
	const size_t len = test_frame__end(&frame);

	tw_store_be16(packet + 12, TW_ETHERTYPE);
	memcpy(packet + 14, frame.buf, len);
	made__packet(&made, 0, AHEAD + time, packet, (uint32_t)len + 14);
}

static void put_control(uint64_t stream)
{
	frame.stream = stream;
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 0);
}

static void put_out_of_band(uint64_t stream, uint64_t time)
{
	frame.stream = stream;
	test_frame__begin(&frame, TW_CHANNEL_OUT_OF_BAND, 0, time);
	frame.f.info.source = TW_SOURCE_OUT_OF_BAND;
	frame.f.info.cpu = TW_CPU_NONE;
}

/* A stream with a HOST and the format of its events. */
static void put_stream(uint64_t stream, const char *name)
{
	static uint8_t buf[2048];
	char text[1024];
	const size_t len = explained__format(text, sizeof(text), 42, "event");
	const struct tw_schema_view view = explained__schema(TW_SCHEMA_EVENT, 42, text, len, false, buf, sizeof(buf));

	frame.stream = stream;
	frame.joined = true;
	test_frame__hello(&frame, name, "i", 0, AHEAD);
	put(0);
	put_control(stream);
	tw_schema_tlv__emit(&frame.f, &view);
	put(0);
}

static void put_offset(uint64_t stream, uint64_t time, uint64_t error)
{
	const struct tw_offset_view offset = { .kind = TW_OFFSET_ESTIMATE,
					       .method = TW_OFFSET_BY_TIME_SYNC,
					       .time = time,
					       .offset = (int64_t)AHEAD,
					       .error_ns = error };

	put_out_of_band(stream, time);
	tw_offset__emit(&frame.f, &offset);
	put(time);
}

/* An event of the pair: CPU 0 is the first, CPU 1 the second. */
static void put_event(uint64_t stream, uint16_t cpu, uint64_t time, uint32_t tag)
{
	static uint64_t seqs[4][2];

	frame.stream = stream;
	test_frame__begin(&frame, (uint16_t)(cpu + 1), seqs[stream][cpu]++, time);
	test_frame__event(&frame, time, tag, 24);
	put(time);
}

static void put_loss(uint64_t stream, uint64_t time)
{
	const struct tw_lost_view lost = { .time = time, .where = TW_LOST_WIRE, .count = 3 };

	frame.stream = stream;
	test_frame__begin(&frame, 1, 1000, time);
	tw_lost__emit(&frame.f, &lost);
	put(time);
}

static int read_it(const struct tw_timing_options *options, struct tw_error *error)
{
	const int fd = memfd_create("capture", 0);
	int err;

	assert_int_equal(write(fd, made.bytes, made.len), made.len);
	lseek(fd, 0, SEEK_SET);
	err = tw_timing__new(options, &timing, error);
	if (!err)
		err = tw_timing__read(timing, fd, "made.pcapng", error);
	close(fd);
	return err;
}

static const struct tw_order_counts *check(void)
{
	static const struct tw_pair *pairs[1];
	static struct tw_timing_options options;
	struct tw_error error = { "" };

	pairs[0] = tw_pair_table__at(table, 0);
	options = (struct tw_timing_options){ .pairs = pairs, .n_pairs = 1 };
	if (read_it(&options, &error))
		fail_msg("%s", error.text);
	result = tw_timing__result(timing);
	return &result->pairs[0].order->counts;
}

static void expect_counts(const struct tw_order_counts *n, uint64_t ordered, uint64_t uncertain,
			  uint64_t contradictions)
{
	assert_int_equal(n->ordered, ordered);
	assert_int_equal(n->uncertain, uncertain);
	assert_int_equal(n->contradictions, contradictions);
}

static void two_streams(uint64_t error_a, uint64_t error_b)
{
	put_stream(0, "alpha");
	put_stream(1, "beta");
	put_offset(0, 0, error_a);
	put_offset(1, 0, error_b);
}

static void order_follows_the_bounds(void **state)
{
	const struct tw_order_counts *n;

	(void)state;
	two_streams(30 * US, 20 * US);
	put_event(0, 0, 1 * MS, 1);
	put_event(1, 1, 1 * MS + 50 * US, 1); /* as far apart as both bounds */
	put_event(0, 0, 2 * MS, 2);
	put_event(1, 1, 2 * MS + 50 * US + 1, 2);
	put_event(1, 1, 3 * MS - 50 * US, 3); /* earlier by both bounds: still possible */
	put_event(0, 0, 3 * MS, 3);
	put_event(1, 1, 4 * MS, 4); /* equal times */
	put_event(0, 0, 4 * MS, 4);
	n = check();
	expect_counts(n, 1, 3, 0);
	assert_int_equal(n->no_effect + n->no_cause + n->unbounded + n->across_loss, 0);
}

static void a_contradiction_names_both_events(void **state)
{
	const struct tw_order_contradiction *c;
	const struct tw_order_counts *n;

	(void)state;
	two_streams(30 * US, 20 * US);
	put_event(1, 1, 1 * MS, 7);
	put_event(0, 0, 1 * MS + 50 * US + 1, 7);
	put_event(1, 1, 2 * MS, 8);
	put_event(0, 0, 2 * MS + 500 * US, 8);
	n = check();
	expect_counts(n, 0, 0, 2);
	assert_int_equal(result->pairs[0].order->n_shown, 2);
	c = &result->pairs[0].order->shown[0];
	assert_int_equal(c->early_ns, 500 * US);
	assert_int_equal(c->excess_ns, 450 * US);
	assert_string_equal(c->cause.stream->identity.host, "alpha");
	assert_string_equal(c->effect.stream->identity.host, "beta");
	assert_int_equal(c->cause.time, AHEAD + 2 * MS + 500 * US);
	assert_int_equal(c->effect.time, AHEAD + 2 * MS);
	assert_int_equal(c->cause.error_ns, 30 * US);
	assert_non_null(strstr(c->cause.text, "event: i=134744072"));
	assert_non_null(strstr(c->effect.text, "event: i=134744072"));
	assert_int_equal(c[1].excess_ns, 1);
}

static void a_better_bound_makes_the_order_certain(void **state)
{
	(void)state;
	two_streams(MS, MS);
	put_event(0, 0, 10 * MS, 1);
	put_event(1, 1, 11 * MS, 1);
	put_offset(0, 20 * MS, 10 * US);
	put_offset(1, 20 * MS, 10 * US);
	put_event(0, 0, 30 * MS, 2);
	put_event(1, 1, 31 * MS, 2);
	expect_counts(check(), 1, 1, 0);
}

/* The capture host turns the times of a stream towards its own clock: the series contains the offset of each event. */
static void the_series_contains_moved_times(void **state)
{
	const struct tw_stream_time *s;

	(void)state;
	two_streams(10 * US, 10 * US);
	put_event(0, 0, 5 * MS, 1);
	frame.stream = 0;
	test_frame__begin(&frame, 1, 77, 6 * MS);
	test_frame__event(&frame, 6 * MS, 2, 24);
	put(6 * MS + 30);
	check();
	s = result->streams[0];
	assert_int_equal(s->series[TW_TIME_PACKET].samples, 2);
	assert_int_equal(s->series[TW_TIME_PACKET].last.offset, AHEAD + 30);
	assert_int_equal(s->series[TW_TIME_PACKET].points[1].high, AHEAD + 30 + 10 * US);
}

static void without_a_bound_nothing_is_said(void **state)
{
	const struct tw_order_counts *n;

	(void)state;
	two_streams(10 * US, TW_ERROR_UNKNOWN);
	put_event(0, 0, 1 * MS, 1);
	put_event(1, 1, 9 * MS, 1);
	put_event(1, 1, 10 * MS, 2);
	put_event(0, 0, 20 * MS, 2);
	n = check();
	expect_counts(n, 0, 0, 0);
	assert_int_equal(n->unbounded, 2);
}

/* An event whose partner is not in the capture does not pair with one that is much later. */
static void orphans_make_no_contradiction(void **state)
{
	const struct tw_order_counts *n;

	(void)state;
	two_streams(10 * US, 10 * US);
	put_event(1, 1, 1 * MS, 1); /* its first event was before the capture */
	put_event(0, 0, 500 * MS, 1);
	put_event(1, 1, 501 * MS, 1);
	put_event(0, 0, 600 * MS, 2); /* its second event is after the capture */
	put_event(1, 1, 601 * MS, 3); /* its first event is not in the capture */
	n = check();
	expect_counts(n, 1, 0, 0);
	assert_int_equal(n->no_cause, 2);
	assert_int_equal(n->no_effect, 1);
}

static void the_first_of_repeated_events_counts(void **state)
{
	(void)state;
	two_streams(10 * US, 10 * US);
	put_event(0, 0, 10 * MS, 1);
	put_event(0, 0, 12 * MS, 1);
	put_event(1, 1, 11 * MS, 1); /* written late: before the second, but after the first */
	expect_counts(check(), 1, 0, 0);
}

static void events_of_one_stream_are_no_pair(void **state)
{
	const struct tw_order_counts *n;

	(void)state;
	two_streams(10 * US, 10 * US);
	put_event(0, 0, 10 * MS, 1);
	put_event(0, 1, 11 * MS, 1);
	put_event(1, 1, 12 * MS, 1);
	n = check();
	expect_counts(n, 1, 0, 0);
}

static void pairs_across_a_loss_are_left_out(void **state)
{
	const struct tw_order_counts *n;

	(void)state;
	two_streams(10 * US, 10 * US);
	put_event(1, 1, 1 * MS, 1);
	put_loss(0, 2 * MS);
	put_event(0, 0, 500 * MS, 1);
	n = check();
	expect_counts(n, 0, 0, 0);
	assert_int_equal(n->across_loss, 1);
}

/* The bound of a late event is that of the newest OFFSET before it in the file, although this OFFSET is of a later time. */
static void a_late_event_has_the_bound_before_it(void **state)
{
	const struct tw_order_contradiction *c;

	(void)state;
	two_streams(10 * US, 10 * US);
	put_offset(0, 20 * MS, 2 * MS);
	put_offset(1, 20 * MS, MS / 2);
	put_event(0, 0, 10 * MS, 1); /* late */
	put_event(1, 1, 11 * MS, 1);
	put_event(1, 1, 12 * MS, 2);
	put_event(0, 0, 15 * MS, 2);
	expect_counts(check(), 0, 1, 1);
	c = &result->pairs[0].order->shown[0];
	assert_int_equal(c->cause.error_ns, 2 * MS);
	assert_int_equal(c->effect.error_ns, MS / 2);
}

/* Puts a packed frame with two events. The packet time of the first one is later than its time by @moved. */
static void put_packed(uint64_t stream, uint16_t cpu, uint64_t time, uint64_t second, uint64_t moved)
{
	frame.stream = stream;
	test_frame__begin(&frame, (uint16_t)(cpu + 1), 0, time);
	test_frame__event(&frame, time, 1, 24);
	test_frame__event(&frame, second, 2, 24);
	put(time + moved);
}

/* The frames of a packed capture are merged: an OFFSET that follows a packet in the file is read before the packet's events are passed on. */
static void a_packed_event_has_the_bound_before_its_packet(void **state)
{
	(void)state;
	two_streams(MS, MS);
	put_packed(0, 0, 10 * MS, 30 * MS, 0);
	put_packed(1, 1, 11 * MS, 31 * MS, 0);
	put_offset(0, 20 * MS, 10 * US);
	put_offset(1, 20 * MS, 10 * US);
	expect_counts(check(), 0, 2, 0);
}

/* The capture host moves the times of a stream. The events of a packed frame move with their packet. */
static void packed_events_move_with_their_packet(void **state)
{
	(void)state;
	two_streams(10 * US, 10 * US);
	put_packed(1, 1, 10 * MS, 30 * MS, 500 * US);
	put_packed(0, 0, 10 * MS + 400 * US, 30 * MS + 521 * US, 0);
	expect_counts(check(), 1, 0, 1);
	assert_int_equal(result->pairs[0].order->shown[0].effect.time, AHEAD + 30 * MS + 500 * US);
	assert_int_equal(result->pairs[0].order->shown[0].effect.error_ns, 10 * US);
}

static void memory_for_waiting_events_is_limited(void **state)
{
	static const struct tw_pair *pairs[1];
	static struct tw_timing_options options;
	const struct tw_order_counts *n;

	(void)state;
	two_streams(10 * US, 10 * US);
	for (uint32_t i = 0; i < 40; i++)
		put_event(0, 0, (i + 1) * MS, i + 1);
	put_event(1, 1, 50 * MS, 40);
	pairs[0] = tw_pair_table__at(table, 0);
	options = (struct tw_timing_options){ .pairs = pairs, .n_pairs = 1, .memory = 16000 };
	assert_int_equal(read_it(&options, NULL), 0);
	n = &tw_timing__result(timing)->pairs[0].order->counts;
	assert_true(n->evicted > 20);
	assert_int_equal(n->ordered + n->no_effect + n->evicted, 40);
}

static void a_missing_event_is_an_error_only_if_named(void **state)
{
	static const struct tw_pair *pairs[1];
	static struct tw_timing_options options;
	static const char other[] = "pair other\nbegin other:event i\nend other:event i\n";
	struct tw_error error;

	(void)state;
	two_streams(1, 1);
	assert_int_equal(tw_pair_table__parse(table, other, sizeof(other) - 1, NULL, NULL), 0);
	pairs[0] = tw_pair_table__at(table, 1);
	options = (struct tw_timing_options){ .pairs = pairs, .n_pairs = 1 };
	assert_int_equal(read_it(&options, NULL), 0);
	assert_false(tw_timing__result(timing)->pairs[0].is_checked);
	tw_timing__free(timing);
	options.needs_pairs = true;
	assert_int_equal(read_it(&options, &error), -EINVAL);
	assert_string_equal(error.text, "made.pcapng has no event other:event: record it with the option --event");
}

/* What the times rest on. */

static void put_host(uint64_t stream, const char *sync, const char *grandmaster, uint64_t since)
{
	uint8_t number[8];
	struct tw_attr_view attrs[4] = { { TW_HOST_NAME, (const uint8_t *)"alpha", 5 } };
	size_t n = 1;

	tw_store_be64(number, since);
	if (sync)
		attrs[n++] = (struct tw_attr_view){ TW_HOST_SYNC, (const uint8_t *)sync, strlen(sync) };
	if (grandmaster)
		attrs[n++] =
			(struct tw_attr_view){ TW_HOST_GRANDMASTER, (const uint8_t *)grandmaster, strlen(grandmaster) };
	if (since)
		attrs[n++] = (struct tw_attr_view){ TW_HOST_SYNC_SINCE, number, sizeof(number) };
	put_control(stream);
	tw_host__emit(&frame.f, attrs, n);
	put(0);
}

/* A CLOCK whose trace clock, MONO and BOOT have the reading @time. */
static struct tw_clock_view clock_at(uint64_t time)
{
	return (struct tw_clock_view){
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL,
		.error_ns = 100,
		.reading = { [TW_CLOCK_TRACE] = time,
			     [TW_CLOCK_MONO] = time,
			     [TW_CLOCK_BOOT] = time,
			     [TW_CLOCK_REAL] = AHEAD + time },
	};
}

static void put_clock(uint64_t stream, const struct tw_clock_view *clock)
{
	put_control(stream);
	tw_clock__emit(&frame.f, clock);
	put(clock->reading[TW_CLOCK_TRACE]);
}

static const struct tw_stream_time *read_clocks(void)
{
	static struct tw_timing_options none;
	struct tw_error error = { "" };

	if (read_it(&none, &error))
		fail_msg("%s", error.text);
	result = tw_timing__result(timing);
	return result->streams[0];
}

static void what_a_recording_does_not_say_is_unknown(void **state)
{
	const struct tw_stream_time *s;

	(void)state;
	put_stream(0, "alpha");
	put_event(0, 0, 5 * SECOND, 1);
	s = read_clocks();
	assert_int_equal(s->offsets, 0);
	assert_int_equal(s->series[TW_TIME_PACKET].samples, 0);
	assert_int_equal(s->series[TW_TIME_REAL].samples, 1);
	assert_int_equal(s->series[TW_TIME_RAW].samples, 0);
	assert_int_equal(s->n_stretches, 1);
	assert_false(s->stretches[0].has_offset);
	assert_true(s->stretches[0].error_min == TW_ERROR_UNKNOWN);
	assert_int_equal(s->stretches[0].sync_max, 0);
	assert_string_equal(s->stretches[0].sync, "");
	assert_false(s->has_tai && s->tai_offset);
	assert_int_equal(result->begin, AHEAD);
	assert_int_equal(s->last, 5 * SECOND);
}

static void each_source_has_its_stretch(void **state)
{
	struct tw_clock_view clock = clock_at(1 * SECOND);
	const struct tw_stream_time *s;

	(void)state;
	put_host(0, "NTP", NULL, 0);
	clock.sync_ns = 5000;
	put_clock(0, &clock);
	put_offset(0, 2 * SECOND, 40 * US);
	put_host(0, "ptp4l, hardware time stamps, within 9 ns of its master", "0080c2.fffe.000001", 77);
	put_offset(0, 3 * SECOND, 20 * US);
	put_host(0, "ptp4l, hardware time stamps, within 12 ns of its master", "0080c2.fffe.000001", 77);
	put_offset(0, 4 * SECOND, 30 * US);
	put_host(0, NULL, NULL, 0);
	put_offset(0, 5 * SECOND, TW_ERROR_UNKNOWN);
	s = read_clocks();
	assert_int_equal(s->n_stretches, 4);
	assert_string_equal(s->stretches[0].sync, "NTP");
	assert_false(s->stretches[0].has_offset);
	assert_int_equal(s->stretches[0].sync_max, 5000);
	assert_int_equal(s->stretches[1].from, 2 * SECOND);
	assert_int_equal(s->stretches[1].error_max, 40 * US);
	assert_string_equal(s->stretches[2].sync, "ptp4l, hardware time stamps");
	assert_string_equal(s->stretches[2].grandmaster, "0080c2.fffe.000001");
	assert_int_equal(s->stretches[2].since, 77);
	assert_int_equal(s->stretches[2].error_min, 20 * US);
	assert_int_equal(s->stretches[2].error_max, 30 * US);
	assert_string_equal(s->stretches[3].sync, "");
	assert_true(s->stretches[3].error_min == TW_ERROR_UNKNOWN && s->stretches[3].has_unknown);
}

/* The bound of an OFFSET applies until the next one, also if the source changes in between. */
static void a_stretch_continues_the_last_bound(void **state)
{
	struct tw_clock_view clock = clock_at(1 * SECOND);
	const struct tw_stream_time *s;

	(void)state;
	put_offset(0, 1 * SECOND, 40 * US); /* as a capture host writes it: before the first HOST */
	put_host(0, "NTP", NULL, 0);
	put_clock(0, &clock);
	put_host(0, "free running", NULL, 0);
	clock = clock_at(2 * SECOND);
	put_clock(0, &clock);
	put_offset(0, 3 * SECOND, 20 * US);
	put_host(0, "NTP", NULL, 0);
	clock = clock_at(4 * SECOND);
	put_clock(0, &clock);
	s = read_clocks();
	assert_int_equal(s->n_stretches, 3);
	assert_string_equal(s->stretches[0].sync, "NTP");
	assert_int_equal(s->stretches[0].error_max, 40 * US);
	assert_string_equal(s->stretches[1].sync, "free running");
	assert_true(s->stretches[1].error_min == 20 * US && s->stretches[1].error_max == 40 * US);
	assert_true(s->stretches[2].error_min == 20 * US && s->stretches[2].error_max == 20 * US);
	assert_int_equal(s->stretches[2].from, 4 * SECOND);
	assert_false(s->stretches[2].has_unknown);
}

static void expect_change(const struct tw_stream_time *s, uint32_t i, uint16_t kind, uint64_t time, int64_t step)
{
	const struct tw_time_changes *changes = tw_stream_time__changes(s);

	assert_true(i < changes->n);
	assert_int_equal(changes->items[i].kind, kind);
	assert_int_equal(changes->items[i].time, time);
	assert_int_equal(changes->items[i].step, step);
}

/* Sets the TAI offset, and the reading of TAI, which is REAL plus this offset. */
static void set_tai(struct tw_clock_view *clock, uint64_t seconds)
{
	clock->valid |= 1u << TW_CLOCK_TAI;
	clock->tai_offset = (int32_t)seconds;
	clock->reading[TW_CLOCK_TAI] = clock->reading[TW_CLOCK_REAL] + seconds * (uint64_t)SECOND;
}

static void changes_are_found_between_clocks(void **state)
{
	struct tw_clock_view clock = clock_at(1 * SECOND);
	const struct tw_stream_time *s;

	(void)state;
	put_stream(0, "alpha");
	set_tai(&clock, 0);
	put_clock(0, &clock);
	clock = clock_at(2 * SECOND);
	clock.reading[TW_CLOCK_REAL] += 3600 * SECOND;
	set_tai(&clock, 0);
	put_clock(0, &clock);
	clock = clock_at(3 * SECOND);
	clock.reading[TW_CLOCK_REAL] += 3600 * SECOND + 60 * SECOND;
	clock.reading[TW_CLOCK_BOOT] += 60 * SECOND;
	set_tai(&clock, 37);
	clock.leap = TW_LEAP_INSERT;
	put_clock(0, &clock);
	clock.reading[TW_CLOCK_TRACE] = clock.reading[TW_CLOCK_MONO] = 4 * SECOND;
	clock.reading[TW_CLOCK_BOOT] += SECOND;
	clock.leap = TW_LEAP_NOW; /* the inserted second: REAL stands still */
	set_tai(&clock, 38);
	put_clock(0, &clock);
	s = read_clocks();
	assert_int_equal(tw_stream_time__changes(s)->n, 4);
	expect_change(s, 0, TW_OFFSET_STEP, 2 * SECOND, (int64_t)(3600 * SECOND));
	expect_change(s, 1, TW_OFFSET_SUSPEND, 3 * SECOND, (int64_t)(60 * SECOND));
	expect_change(s, 2, TW_OFFSET_TAI, 3 * SECOND, (int64_t)(37 * SECOND));
	expect_change(s, 3, TW_OFFSET_LEAP, 4 * SECOND, -(int64_t)SECOND);
	assert_int_equal(s->tai_offset, 38);
}

static void offsets_report_the_changes(void **state)
{
	struct tw_offset_view offset = {
		.kind = TW_OFFSET_STEP, .time = 2 * SECOND, .step = -5, .error_ns = 7, .drift = -12
	};
	const struct tw_stream_time *s;

	(void)state;
	put_stream(0, "alpha");
	for (uint64_t i = 0; i < TW_TIME_CHANGES_MAX + 3; i++) {
		put_out_of_band(0, 0);
		offset.time += SECOND;
		tw_offset__emit(&frame.f, &offset);
		put(0);
		if (made.len > sizeof(made.bytes) - 500)
			break;
	}
	s = read_clocks();
	assert_int_equal(tw_stream_time__changes(s)->n, TW_TIME_CHANGES_MAX);
	assert_int_equal(tw_stream_time__changes(s)->more, 3);
	expect_change(s, 0, TW_OFFSET_STEP, 3 * SECOND, -5);
	assert_true(s->has_drift && s->drift_min == -12 && s->drift_max == -12);
}

static void phcs_have_a_slope(void **state)
{
	struct tw_clock_view clock = clock_at(1 * SECOND);
	const struct tw_stream_time *s;
	struct tw_time_slope slope;

	(void)state;
	put_stream(0, "alpha");
	clock.n_phcs = 2;
	clock.phcs[0] = (struct tw_phc_view){ .index = 3,
					      .method = TW_PHC_BY_EXTENDED,
					      .error_ns = 50,
					      .phc = 37 * SECOND + AHEAD + SECOND,
					      .trace = SECOND };
	clock.phcs[1] = (struct tw_phc_view){ .index = 0, .error_ns = 10, .phc = 5, .trace = SECOND };
	put_clock(0, &clock);
	clock.reading[TW_CLOCK_TRACE] = clock.reading[TW_CLOCK_MONO] = clock.reading[TW_CLOCK_BOOT] = 11 * SECOND;
	clock.reading[TW_CLOCK_REAL] += 10 * SECOND;
	clock.phcs[0].phc += 10 * SECOND + 4000;
	clock.phcs[0].trace += 10 * SECOND;
	clock.n_phcs = 1;
	put_clock(0, &clock);
	s = read_clocks();
	assert_int_equal(s->n_phcs, 2);
	assert_int_equal(s->phcs[0].index, 3);
	assert_int_equal(s->phcs[0].method, TW_PHC_BY_EXTENDED);
	assert_true(tw_time_series__slope(&s->phcs[0].series, &slope));
	assert_float_equal(slope.ns_per_s, 400, 1e-6);
	assert_float_equal(slope.error, 10, 1e-6);
	assert_int_equal(s->phcs[1].series.samples, 1);
}

static void each_failing_allocation_is_an_error(void **state)
{
	static const struct tw_pair *pairs[1];
	static struct tw_timing_options options;

	(void)state;
	two_streams(30 * US, 20 * US);
	put_event(1, 1, 1 * MS, 7);
	put_event(0, 0, 2 * MS, 7);
	put_event(1, 1, 3 * MS, 8);
	pairs[0] = tw_pair_table__at(table, 0);
	options = (struct tw_timing_options){ .pairs = pairs, .n_pairs = 1 };
	for (long at = 0;; at++) {
		bool has_failed;
		int err;

		before_failure = at;
		err = read_it(&options, &(struct tw_error){ "" });
		has_failed = before_failure < 0;
		before_failure = -1;
		assert_true(!err || (has_failed && err == -ENOMEM));
		tw_timing__free(timing);
		timing = NULL;
		if (!has_failed)
			break;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(order_follows_the_bounds),
		TEST(a_contradiction_names_both_events),
		TEST(a_better_bound_makes_the_order_certain),
		TEST(the_series_contains_moved_times),
		TEST(without_a_bound_nothing_is_said),
		TEST(orphans_make_no_contradiction),
		TEST(the_first_of_repeated_events_counts),
		TEST(events_of_one_stream_are_no_pair),
		TEST(pairs_across_a_loss_are_left_out),
		TEST(a_late_event_has_the_bound_before_it),
		TEST(a_packed_event_has_the_bound_before_its_packet),
		TEST(packed_events_move_with_their_packet),
		TEST(memory_for_waiting_events_is_limited),
		TEST(a_missing_event_is_an_error_only_if_named),
		TEST(what_a_recording_does_not_say_is_unknown),
		TEST(each_source_has_its_stretch),
		TEST(a_stretch_continues_the_last_bound),
		TEST(changes_are_found_between_clocks),
		TEST(offsets_report_the_changes),
		TEST(phcs_have_a_slope),
		TEST(each_failing_allocation_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
