/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets beside the events of an archive: their order, their times when the wall clock is set, and their statistics. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "archive_file.h"
#include "pcap-tools/pcapng/blocks.h"

#define AHEAD 1700000000000000000ull /* wall clock - stream's clock, ns */
#define HOUR  3600000000000ull

#define INTERFACES 3

static int setup_interfaces(void **state, size_t n)
{
	static const struct tw_packet_interface interfaces[INTERFACES] = {
		{ .name = "eth0", .filter = "icmp", .linktype = 101, .snaplen = 500 },
		{ .name = "eth1", .filter = "", .linktype = 1, .snaplen = 500 },
		{ .name = "eth2", .filter = "", .linktype = 1, .snaplen = 500 },
	};
	struct fixture *x = fixture__new(&(struct tw_archive_options){ .from_start = true });

	assert_int_equal(tw_archive__capture(x->archive, interfaces, n), 0);
	*state = x;
	return 0;
}

static int setup(void **state)
{
	return setup_interfaces(state, 1);
}

static int setup_several(void **state)
{
	return setup_interfaces(state, INTERFACES);
}

static int teardown(void **state)
{
	fixture__free(*state);
	return 0;
}

/* Passes a CLOCK: at @time of the stream's clock, CLOCK_MONOTONIC is @mono, and the wall clock @ahead of it. */
static void put_clock(struct fixture *x, uint64_t time, uint64_t mono, uint64_t ahead)
{
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_REAL,
		.error_ns = 100,
		.reading = { [TW_CLOCK_TRACE] = time, [TW_CLOCK_MONO] = mono, [TW_CLOCK_REAL] = mono + ahead },
	};

	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, time);
	tw_clock__emit(&x->frame.f, &clock);
	put(x, test_frame__end(&x->frame));
}

/* Passes HOST, and a CLOCK. */
static void put_hello(struct fixture *x, uint64_t time)
{
	put(x, test_frame__hello(&x->frame, "box", "run", time - 1, AHEAD));
	put_clock(x, time, time, AHEAD);
}

static void put_event(struct fixture *x, uint64_t seq, uint64_t time)
{
	test_frame__begin(&x->frame, 1, seq, time);
	assert_true(test_frame__event(&x->frame, time, 1, 24));
	put(x, test_frame__end(&x->frame));
}

/* Passes a packet of an interface with this stamp, by CLOCK_MONOTONIC. */
static void put_packet_of(struct fixture *x, size_t interface, uint64_t stamp)
{
	const uint8_t data[60] = { 0x45 };
	const struct tw_captured_packet packet = {
		.interface = interface,
		.time = stamp,
		.data = data,
		.len = sizeof(data),
		.original = 1500,
	};

	assert_int_equal(tw_archive__packet(x->archive, &packet), 0);
}

static void put_packet(struct fixture *x, uint64_t stamp)
{
	put_packet_of(x, 0, stamp);
}

/* Passes the time up to which all packets have come, by CLOCK_MONOTONIC. */
static void until(struct fixture *x, uint64_t mono)
{
	assert_int_equal(tw_archive__packets_until(x->archive, mono), 0);
}

static uint64_t time_of(const struct block *packet)
{
	return (uint64_t)load_u32(packet->body + 4) << 32 | load_u32(packet->body + 8);
}

/* The file goes on with the packets of these times by the stream's clock; in @interfaces, e is an event or control frame, p a packet. */
static void expect(struct fixture *x, const char *interfaces, const uint64_t *times)
{
	for (size_t i = 0; interfaces[i]; i++) {
		const struct block packet = find(x, TW_PCAPNG_EPB);

		assert_int_equal(time_of(&packet), AHEAD + times[i]);
		assert_int_equal(load_u32(packet.body), interfaces[i] == 'p');
	}
}

static size_t packets_so_far(struct fixture *x)
{
	struct block block;
	size_t n = 0;

	assert_int_equal(tw_archive__flush(x->archive), 0);
	x->size = (size_t)pread(x->fd, x->file, sizeof(x->file), 0);
	x->at = 0;
	while (block__next(x->file, x->size, &x->at, &block))
		n += block.type == TW_PCAPNG_EPB;
	return n;
}

/* Events wait for the packets before them, and packets for the events before them. At equal times, the packet is first. */
static void in_order(void **state)
{
	struct fixture *x = *state;

	put_hello(x, 1000);
	put_packet(x, 4000);
	put_packet(x, 2000);
	put_packet(x, 3500);
	put_event(x, 0, 1500);
	put_event(x, 1, 2500);
	put_event(x, 2, 3500);
	put_watermark(x, 3700, 3);
	assert_int_equal(packets_so_far(x), 0); /* packets before 1000 may come */
	until(x, 3000);
	assert_int_equal(packets_so_far(x), 5); /* up to 2500 */
	until(x, 5000);
	assert_int_equal(packets_so_far(x), 7); /* up to 3500: events may come before 4000 */
	finish(x);
	expect(x, "eeepepep", (const uint64_t[]){ 999, 1000, 1500, 2000, 2500, 3500, 3500, 4000 });
}

/* The packets of several interfaces are written in the order of time, whatever the order in which the interfaces are read. */
static void several_interfaces(void **state)
{
	struct fixture *x = *state;
	const size_t each = 2000;

	put_hello(x, 1000);
	for (size_t interface = INTERFACES; interface--;) {
		for (size_t i = 0; i < each; i++) /* the first two packets of each four are exchanged */
			put_packet_of(x, interface, 2000 + INTERFACES * (i % 4 < 2 ? i ^ 1 : i) + interface);
	}
	until(x, HOUR);
	finish(x);
	find(x, TW_PCAPNG_EPB); /* HOST and CLOCK */
	find(x, TW_PCAPNG_EPB); /* CLOCK */
	for (size_t i = 0; i < each * INTERFACES; i++) {
		const struct block packet = find(x, TW_PCAPNG_EPB);

		assert_int_equal(time_of(&packet), AHEAD + 2000 + i);
	}
}

static struct tw_archive_packet_stats stats_of(const struct fixture *x)
{
	struct tw_archive_stats stats;

	tw_archive__stats(x->archive, &stats);
	return stats.beside;
}

/* Return: the next packet of the interface eth0 */
static struct block find_packet(struct fixture *x)
{
	struct block packet = find(x, TW_PCAPNG_EPB);

	while (!load_u32(packet.body)) /* control frames: CLOCK, and OFFSET for a step */
		packet = find(x, TW_PCAPNG_EPB);
	return packet;
}

/* If the wall clock is set, the times of packets do not change, as those of events, also before a CLOCK shows the step. */
static void wall_clock_set(void **state)
{
	struct fixture *x = *state;

	put_hello(x, 1000);
	put_packet(x, 2000);
	put_clock(x, 3000, 3000, AHEAD + HOUR);
	put_packet(x, 4000);
	put_clock(x, 5000, 5000, AHEAD - HOUR);
	put_packet(x, 6000);
	put_event(x, 0, 7000);
	finish(x);
	for (uint64_t time = 2000; time <= 6000; time += 2000) {
		const struct block packet = find_packet(x);

		assert_int_equal(time_of(&packet), AHEAD + time);
	}
	assert_int_equal(stats_of(x).written, 3);
	assert_int_equal(stats_of(x).error_ns, 100);
}

/* If the stream's clock moves against CLOCK_MONOTONIC, as a suspend moves `boot`, packets follow it from the next CLOCK on. */
static void stream_clock_moved(void **state)
{
	struct fixture *x = *state;

	put_hello(x, 1000);
	put_packet(x, 2000);
	put_clock(x, 3000 + HOUR, 3000, AHEAD + HOUR);
	put_packet(x, 4000);
	put_event(x, 0, 7000 + HOUR);
	finish(x);
	for (uint64_t time = 2000; time <= 4000 + HOUR; time += 2000 + HOUR) {
		const struct block packet = find_packet(x);

		assert_int_equal(time_of(&packet), AHEAD + time);
	}
}

/* A packet that comes too late is written, and counted. */
static void late(void **state)
{
	struct fixture *x = *state;

	put_hello(x, 1000);
	put_event(x, 0, 5000);
	put_watermark(x, 5500, 1);
	until(x, 6000);
	assert_int_equal(stats_of(x).late, 0);
	put_packet(x, 4000);
	until(x, 7000);
	finish(x);
	assert_int_equal(stats_of(x).late, 1);
	expect(x, "eeep", (const uint64_t[]){ 999, 1000, 5000, 4000 });
}

/* Each interface has its name, link type, filter and statistics, also without packets and events. */
static void statistics(void **state)
{
	const struct tw_packet_counters counters = { .received = 10, .dropped = 3, .gone = "it has gone" };
	struct fixture *x = *state;
	struct block block;

	until(x, 1000);
	tw_archive__packet_counters(x->archive, 0, &counters);
	finish(x);
	block = find(x, TW_PCAPNG_IDB);
	assert_int_equal(load_u32(block.body), 101);
	assert_int_equal(load_u32(block.body + 4), 500);
	assert_true(block__has_text(&block, 8, TW_OPT_IF_NAME, "eth0"));
	block = find(x, TW_PCAPNG_ISB);
	assert_int_equal(block__number(&block, 12, TW_OPT_ISB_RECEIVED), 10);
	assert_int_equal(block__number(&block, 12, TW_OPT_ISB_DROPPED), 3);
	assert_true(block__has_text(
		&block, 12, TW_OPT_COMMENT,
		"packet times are those of this machine's wall clock; the capture ended early: it has gone"));
	assert_string_equal(stats_of(x).gone, "eth0 could not be captured to the end (it has gone)");
	assert_int_equal(stats_of(x).dropped, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(several_interfaces, setup_several, teardown),
		cmocka_unit_test_setup_teardown(wall_clock_set, setup, teardown),
		cmocka_unit_test_setup_teardown(stream_clock_moved, setup, teardown),
		cmocka_unit_test_setup_teardown(late, setup, teardown),
		cmocka_unit_test_setup_teardown(statistics, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
