/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring's accounting of lost and late events. The test makes the sub-buffers and the kernel's counters, because the kernel does not
 * produce these cases on demand.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "pages.h"
#include "producer/ring.h"
#include "receiver.h"

/* A ring whose sub-buffers come through a socket. */
struct bench {
	struct memory_sink memory;
	struct tw_producer_stream stream;
	struct tw_sink *sink;
	struct tw_frame_writer writer;
	struct tw_trace_ring ring;
	struct tw_producer_tasks tasks; /* the first 100 pids have names */
	int feed;
	struct receiver got;
};

static void set_up(struct bench *b)
{
	int fds[2];

	*b = (struct bench){ .stream = { .id = 1, .schema_id = 2 } };
	memory_sink__init(&b->memory, 9000);
	assert_int_equal(memory_sink__open(&b->memory, 0, &b->sink, NULL), 0);
	tw_frame_writer__init(&b->writer, b->sink, &b->stream, 0);
	assert_int_equal(tw_task_names__init(&b->tasks.names), 0);
	for (uint32_t pid = 0; pid < 100; pid++)
		assert_true(tw_task_names__add(&b->tasks.names,
					       &(struct tw_producer_task){ .pid = pid, .name = "somebody" }));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	b->feed = fds[1];
	b->ring = (struct tw_trace_ring){
		.channel = { .number = 1, .source = TW_SOURCE_FTRACE },
		.fd = fds[0],
		.stats_fd = memfd_create("stats", 0),
	};
	assert_true(b->ring.stats_fd >= 0);
}

static void tear_down(struct bench *b)
{
	receiver__fini(&b->got);
	tw_trace_ring__close(&b->ring);
	tw_trace_ring__close(&b->ring);
	close(b->feed);
	tw_task_names__fini(&b->tasks.names);
	tw_sink__close(b->sink);
	memory_sink__fini(&b->memory);
}

#define ENTRIES 3 /* number of events in the ring by the kernel's counters, whatever was read */

/* Sets the kernel's counters. */
static void set_stats(struct bench *b, uint64_t overrun, uint64_t commit_overrun, uint64_t dropped, uint64_t read)
{
	char text[512];
	const int len = snprintf(text, sizeof(text),
				 "entries: %d\noverrun: %lu\ncommit overrun: %lu\nbytes: 1000\noldest event ts: 12.3\n"
				 "now ts: 45.6\ndropped events: %lu\nread events: %lu\n",
				 ENTRIES, overrun, commit_overrun, dropped, read);

	assert_int_equal(ftruncate(b->ring.stats_fd, 0), 0);
	assert_int_equal(pwrite(b->ring.stats_fd, text, (size_t)len, 0), len);
}

static void feed_page(struct bench *b, struct page *page)
{
	uint8_t buf[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];

	assert_int_equal(write(b->feed, page->bytes, PAGE_BYTES), PAGE_BYTES);
	do {
		b->writer.waited = 0;
		tw_trace_ring__drain(&b->ring, buf, PAGE_BYTES, SIZE_MAX, UINT64_MAX, &b->writer, &b->tasks);
	} while (!b->ring.empty);
	assert_int_equal(b->ring.err, 0);
}

/* Makes a sub-buffer with @n events from @time on, 10 ns apart. */
static void make_page(struct page *page, uint64_t time, uint32_t n)
{
	page__init(page, time);
	for (uint32_t i = 0; i < n; i++)
		page__event(page, i ? 10 : 0, 300, 1 + i % 99, 20, false);
}

static void set_missed(struct page *page, unsigned long count)
{
	if (count)
		memcpy(page->bytes + tw_native_layout.page.data_offset + page->len, &count, sizeof(count));
	page__set_commit(page, TW_COMMIT_MISSED | (count ? TW_COMMIT_STORED : 0));
}

static void receive(struct bench *b)
{
	tw_frame_writer__drain(&b->writer);
	receiver__read(&b->got, &b->memory);
	receiver__assert_sound(&b->got, 0);
	assert_int_equal(b->got.n_events, b->ring.read);
	assert_int_equal(receiver__lost(&b->got, TW_LOST_RING), b->ring.lost);
}

static void test_stats(void **state)
{
	struct tw_ring_stats stats;
	struct bench b;

	(void)state;
	set_up(&b);
	set_stats(&b, 1, 2, 3, 18446744073709551615u);
	assert_int_equal(tw_ring_stats__read(b.ring.stats_fd, &stats), 0);
	assert_int_equal(stats.entries, ENTRIES);
	assert_int_equal(stats.overrun, 1);
	assert_int_equal(stats.commit_overrun, 2);
	assert_int_equal(stats.dropped, 3);
	assert_int_equal(stats.read, UINT64_MAX);
	assert_true(tw_ring_stats__read(-1, &stats) < 0);
	receive(&b);
	tear_down(&b);
}

/*
 * A loss is exact if the sub-buffer has the number of lost events. If it has not, the loss is unknown, and the growth of the kernel's
 * counter is the number so far. No event is counted twice.
 */
static void test_lost(void **state)
{
	struct tw_ring_stats stats;
	struct page page;
	struct bench b;

	(void)state;
	set_up(&b);
	set_stats(&b, 0, 0, 0, 0);
	make_page(&page, 1000, 10);
	feed_page(&b, &page);
	set_stats(&b, 100, 0, 0, 10); /* the next sub-buffer reports 70 of these */
	make_page(&page, 2000, 10);
	set_missed(&page, 70);
	feed_page(&b, &page);
	assert_int_equal(b.ring.lost, 70);
	set_stats(&b, 150, 0, 0, 20);
	make_page(&page, 3000, 10);
	set_missed(&page, 0);
	feed_page(&b, &page);
	assert_int_equal(b.ring.lost, 150);
	make_page(&page, 4000, 10);
	set_missed(&page, 40); /* reported already, as part of the unknown number */
	feed_page(&b, &page);
	assert_int_equal(b.ring.lost, 150);
	set_stats(&b, 150, 5, 2, 40);
	assert_int_equal(tw_trace_ring__settle(&b.ring, &b.writer, &stats), 0);
	assert_int_equal(b.ring.lost, 157 + ENTRIES); /* the events that are left in the ring are lost with it */
	receive(&b);
	assert_int_equal(b.got.lost[0].count, 70);
	assert_false(b.got.lost[0].unknown);
	assert_int_equal(b.got.lost[1].count, 80);
	assert_true(b.got.lost[1].unknown);
	assert_int_equal(b.got.lost[b.got.n_lost - 1].count, 7 + ENTRIES);
	assert_true(b.got.lost[b.got.n_lost - 1].unknown);
	tear_down(&b);
}

static bool settled_fits(struct bench *b, uint64_t overrun, uint64_t read)
{
	struct tw_ring_stats stats;

	set_stats(b, overrun, 0, 0, read);
	assert_int_equal(tw_trace_ring__settle(&b->ring, &b->writer, &stats), 0);
	return tw_trace_ring__fits(&b->ring, &stats);
}

/* A skipped event, one counted twice, another reader and a cleared ring all show as counters that do not match. */
static void test_counters_that_do_not_fit(void **state)
{
	struct tw_ring_stats stats;
	struct page page;
	struct bench b;

	(void)state;
	set_up(&b);
	make_page(&page, 1000, 10);
	feed_page(&b, &page);
	assert_true(settled_fits(&b, 5, 10));
	assert_false(settled_fits(&b, 5, 11));
	assert_false(settled_fits(&b, 5, 9));
	assert_false(settled_fits(&b, 0, 10));
	assert_true(settled_fits(&b, 6, 10));
	close(b.ring.stats_fd);
	b.ring.stats_fd = -1;
	assert_int_equal(tw_trace_ring__settle(&b.ring, &b.writer, &stats), -EBADF);
	assert_int_equal(b.ring.lost, 6 + ENTRIES);
	tear_down(&b);
}

/* A loss that is found while the sink has no room is reported when it has room again, at the latest at the end. */
static void test_lost_without_room(void **state)
{
	struct tw_ring_stats stats;
	struct page page;
	struct bench b;

	(void)state;
	set_up(&b);
	set_stats(&b, 100, 0, 0, 0);
	b.memory.room = 0;
	make_page(&page, 2000, 10);
	set_missed(&page, 100);
	feed_page(&b, &page);
	assert_int_equal(b.ring.channel.shed, 10);
	b.memory.room = MEMORY_SINK_ENDLESS;
	assert_int_equal(tw_trace_ring__settle(&b.ring, &b.writer, &stats), 0);
	tw_frame_writer__drain(&b.writer);
	receiver__read(&b.got, &b.memory);
	receiver__assert_sound(&b.got, 10);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_RING), 100 + ENTRIES);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_SHED), 10);
	tear_down(&b);
}

/* tw_trace_ring__bound() limits reading to the events that were recorded by then. Later events stay in the ring, even in rounds in step. */
static void test_bound(void **state)
{
	const int more = 100; /* sub-buffers, each with more events than the ring has */
	struct page page;
	struct bench b;
	int sent = 0;

	(void)state;
	set_up(&b);
	b.ring.page = malloc(PAGE_BYTES + TW_NATIVE_PAGE_SLACK);
	set_stats(&b, 5, 0, 0, 10);
	make_page(&page, 1000, 10);
	feed_page(&b, &page);
	assert_int_equal(tw_trace_ring__bound(&b.ring), 0);
	for (; sent < more && !(b.ring.empty && b.ring.read >= b.ring.end); sent++) {
		make_page(&page, 2000 + (uint64_t)sent * 1000, 10);
		feed_page(&b, &page);
	}
	assert_in_range(b.ring.read, 10 + ENTRIES, 50);
	tw_trace_ring__hold(&b.ring, PAGE_BYTES);
	assert_false(b.ring.holds);
	assert_true(b.ring.empty);
	receive(&b);
	tear_down(&b);
}

/* Events older than a watermark are counted, and only their frames are flagged. */
static void test_late(void **state)
{
	struct page page;
	struct bench b;

	(void)state;
	set_up(&b);
	set_stats(&b, 0, 0, 0, 0);
	make_page(&page, 1000, 10);
	feed_page(&b, &page);
	b.ring.sent_watermark = 2050;
	make_page(&page, 2000, 10); /* 2000 to 2040 are late, 2050 to 2090 are not */
	feed_page(&b, &page);
	make_page(&page, 3000, 10);
	feed_page(&b, &page);
	assert_int_equal(b.ring.late, 5);
	receive(&b);
	for (size_t i = 0; i < b.got.n_events; i++) {
		const uint8_t flags = b.memory.frames[b.got.events[i].frame].bytes[5];

		assert_int_equal(flags & TW_FLAG_LATE ? 1 : 0, i >= 10 && i < 20);
	}
	tear_down(&b);
}

/* Two sub-buffers of 170 events in 1690 ns each, the first from @time on. Return: number of those read at @round */
static unsigned int read_of_two(struct bench *b, uint64_t time, uint64_t round)
{
	uint8_t buf[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];
	const uint64_t before = b->ring.read;
	struct page page;

	for (unsigned int i = 0; i < 2; i++) {
		make_page(&page, time + 1700 * i, 170);
		assert_int_equal(write(b->feed, page.bytes, PAGE_BYTES), PAGE_BYTES);
	}
	tw_trace_ring__drain(&b->ring, buf, PAGE_BYTES, SIZE_MAX, round, &b->writer, &b->tasks);
	assert_int_equal((b->ring.read - before) % 170, 0);
	assert_true(b->ring.empty <= (b->ring.read - before == 340));
	return (unsigned int)(b->ring.read - before) / 170;
}

/* Reads the sub-buffers that were left for the next round. */
static void read_rest(struct bench *b)
{
	uint8_t buf[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];

	tw_trace_ring__drain(&b->ring, buf, PAGE_BYTES, SIZE_MAX, UINT64_MAX, &b->writer, &b->tasks);
	assert_true(b->ring.empty);
}

/* A sub-buffer that cannot be full yet is left for the next round, unless it would wait too long, or rings are small. */
static void test_waits(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	b.ring.leave_ns = 4000;
	b.ring.leave_max = 2;
	assert_int_equal(read_of_two(&b, 10000, 12000), 1); /* 310 ns after the first */
	read_rest(&b);
	assert_int_equal(read_of_two(&b, 20000, 23500),
			 1); /* 1810 ns after the first: less than the time of the last sub-buffer plus an eighth */
	read_rest(&b);
	assert_int_equal(read_of_two(&b, 30000, 33700), 2);
	b.ring.leave_ns = 16000; /* a quarter of the ring is recent, but that is no more than two sub-buffers */
	assert_int_equal(read_of_two(&b, 40000, 45000), 1);
	read_rest(&b);
	assert_int_equal(read_of_two(&b, 50000, 55200), 2);
	b.ring.leave_ns = 1800; /* sub-buffers fill too slowly */
	assert_int_equal(read_of_two(&b, 60000, 62000), 2);
	b.ring.leave_ns = 4000;
	b.ring.leave_max = 0;
	assert_int_equal(read_of_two(&b, 70000, 72000), 2);
	receive(&b);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_counters_that_do_not_fit),
		cmocka_unit_test(test_lost_without_room),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
