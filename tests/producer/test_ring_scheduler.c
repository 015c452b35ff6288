/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring scheduler reads two rings in step: one with dense events, one with sparse events. Sockets take the place of the rings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "pages.h"
#include "producer/reader.h"
#include "receiver.h"

#define DENSE_PAGES 20
#define PAGE_EVENTS 170
#define DENSE_GAP   100000 /* ns between two events */
#define SPARSE_GAP  (10 * TW_NS_PER_MS)
#define SPARSE      34                    /* events in one sub-buffer, over the time of all dense sub-buffers */
#define STEP        (50 * TW_NS_PER_MS)   /* the longest step */
#define START       (1000 * TW_NS_PER_MS) /* time of the first dense event; the first sparse event is 1 ns later */

struct bench {
	struct memory_sink memory;
	struct tw_producer_stream stream;
	struct tw_sink *sink;
	struct tw_producer_tasks tasks;
	struct tw_trace_ring rings[2]; /* the dense one first */
	struct tw_reader readers[2];   /* the first one is tested; the other belongs to the same producer */
	int feeds[2];
	struct receiver got;
};

static void feed(int fd, uint64_t time, uint32_t n, uint32_t gap)
{
	struct page page;

	page__init(&page, time);
	for (uint32_t i = 0; i < n; i++)
		page__event(&page, i ? gap : 0, 300, 1, 20, false);
	assert_int_equal(write(fd, page.bytes, PAGE_BYTES), PAGE_BYTES);
}

static void open_rings(struct bench *b)
{
	struct tw_reader *r = &b->readers[0];

	*b = (struct bench){ .stream = { .id = 1, .schema_id = 2 } };
	memory_sink__init(&b->memory, 9000);
	assert_int_equal(memory_sink__open(&b->memory, 0, &b->sink, NULL), 0);
	assert_int_equal(tw_task_names__init(&b->tasks.names), 0);
	assert_true(tw_task_names__add(&b->tasks.names, &(struct tw_producer_task){ .pid = 1, .name = "somebody" }));
	for (uint16_t i = 0; i < 2; i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
		b->feeds[i] = fds[1];
		b->rings[i] = (struct tw_trace_ring){
			.channel = { .number = (uint16_t)(i + 1), .cpu = i, .source = TW_SOURCE_FTRACE },
			.fd = fds[0],
			.page = malloc(PAGE_BYTES + TW_NATIVE_PAGE_SLACK),
		};
		assert_non_null(b->rings[i].page);
	}
	r->rings = b->rings;
	r->n_rings = 2;
	r->page_size = PAGE_BYTES;
	r->tasks = &b->tasks;
	r->all = b->readers;
	r->n_all = 2;
	b->readers[1].read_until = UINT64_MAX;
	tw_frame_writer__init(&r->writer, b->sink, &b->stream, 0);
	tw_ring_scheduler__start(&r->scheduler);
}

static void set_up(struct bench *b)
{
	open_rings(b);
	for (uint32_t i = 0; i < DENSE_PAGES; i++)
		feed(b->feeds[0], START + (uint64_t)i * PAGE_EVENTS * DENSE_GAP, PAGE_EVENTS, DENSE_GAP);
	feed(b->feeds[1], START + 1, SPARSE, SPARSE_GAP);
}

static void tear_down(struct bench *b)
{
	receiver__fini(&b->got);
	for (size_t i = 0; i < 2; i++) {
		tw_trace_ring__close(&b->rings[i]);
		close(b->feeds[i]);
	}
	tw_task_names__fini(&b->tasks.names);
	tw_sink__close(b->sink);
	memory_sink__fini(&b->memory);
}

static uint64_t next_time(const struct tw_trace_ring *ring)
{
	return ring->holds ? ring->next : UINT64_MAX;
}

/* Checks that all events up to @until were sent, and no newer ones. */
static void assert_step(const struct bench *b, uint64_t until)
{
	for (size_t i = 0; i < 2; i++) {
		assert_true(b->rings[i].last_time <= until);
		assert_true(next_time(&b->rings[i]) > until);
	}
}

static void receive(struct bench *b)
{
	tw_frame_writer__drain(&b->readers[0].writer);
	receiver__read(&b->got, &b->memory);
	receiver__assert_sound(&b->got, 0);
	assert_int_equal(b->got.n_events, DENSE_PAGES * PAGE_EVENTS + SPARSE);
}

/* Each round takes the events of both rings up to one step after the oldest event, even if a sub-buffer has more events. */
static void test_step(void **state)
{
	uint64_t oldest = START;
	unsigned int rounds = 0;
	struct bench b;

	(void)state;
	set_up(&b);
	while (b.readers[0].scheduler.on) {
		const size_t bytes = tw_ring_scheduler__round(&b.readers[0]);
		const uint64_t dense = next_time(&b.rings[0]), sparse = next_time(&b.rings[1]);

		assert_step(&b, oldest + STEP);
		assert_true(bytes > 0);
		oldest = dense < sparse ? dense : sparse;
		rounds++;
	}
	assert_int_equal(rounds, 7); /* 340 ms */
	receive(&b);
	tear_down(&b);
}

/* Rounds that have waited too long end, and the next ones are shorter. */
static void test_slow(void **state)
{
	struct tw_reader *r;
	unsigned int i;
	struct bench b;

	(void)state;
	set_up(&b);
	r = &b.readers[0];
	tw_ring_scheduler__round(r);
	r->writer.waited = TW_NS_PER_SECOND;
	assert_int_equal(tw_ring_scheduler__round(r), 0);
	assert_step(&b, START + STEP);
	r->writer.waited = 0;
	for (i = 0; i < 1000 && r->scheduler.on; i++)
		tw_ring_scheduler__round(r);
	assert_false(r->scheduler.on);
	receive(&b);
	tear_down(&b);
}

/* A sub-buffer in which time advances without events, because a filter has discarded them all, does not delay the other ring. */
static void test_no_events(void **state)
{
	struct page page;
	struct bench b;

	(void)state;
	set_up(&b);
	page__init(&page, START - 1000);
	page__extend(&page, tw_native_layout.entry.time_extend, 500);
	assert_int_equal(write(b.feeds[1], page.bytes, PAGE_BYTES), PAGE_BYTES);
	feed(b.feeds[1], START + SPARSE * SPARSE_GAP, 1, 0);
	alarm(60); /* a round might not end */
	while (b.readers[0].scheduler.on)
		tw_ring_scheduler__round(&b.readers[0]);
	alarm(0);
	tw_frame_writer__drain(&b.readers[0].writer);
	receiver__read(&b.got, &b.memory);
	receiver__assert_sound(&b.got, 0);
	assert_int_equal(b.got.n_events, DENSE_PAGES * PAGE_EVENTS + SPARSE + 1);
	tear_down(&b);
}

/* This thread may be one step ahead of what another thread has read. */
static void test_others(void **state)
{
	struct tw_reader *r;
	struct bench b;

	(void)state;
	set_up(&b);
	r = &b.readers[0];
	b.readers[1].read_until = START - STEP - 1;
	assert_int_equal(tw_ring_scheduler__round(r), 0);
	assert_true(r->scheduler.on);
	b.readers[1].read_until = START - STEP + 5;
	assert_true(tw_ring_scheduler__round(r) > 0);
	assert_step(&b, START + 5);
	assert_int_equal(tw_ring_scheduler__round(r), 0);
	b.readers[1].read_until = UINT64_MAX;
	while (r->scheduler.on)
		tw_ring_scheduler__round(r);
	receive(&b);
	tear_down(&b);
}

/* A reader that had to wait for room leaves the rest of the ring for rounds in step. */
static void test_drain_gives_way(void **state)
{
	uint8_t buf[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];
	struct tw_reader *r;
	struct bench b;

	(void)state;
	set_up(&b);
	r = &b.readers[0];
	r->writer.waited = TW_TRACE_RING_SLOW_NS;
	assert_int_equal(tw_trace_ring__drain(&b.rings[0], buf, PAGE_BYTES, SIZE_MAX, UINT64_MAX, &r->writer, r->tasks),
			 0);
	assert_false(b.rings[0].empty);
	r->writer.waited = TW_TRACE_RING_SLOW_NS - 1;
	assert_true(tw_trace_ring__drain(&b.rings[0], buf, PAGE_BYTES, SIZE_MAX, UINT64_MAX, &r->writer, r->tasks) > 0);
	assert_true(b.rings[0].empty);
	r->writer.waited = 0;
	while (r->scheduler.on)
		tw_ring_scheduler__round(r);
	receive(&b);
	tear_down(&b);
}

/* Return: number of events of the dense ring that are sent after an event of the sparse ring, although they are older */
static size_t events_behind(const struct receiver *got, const struct got_event *sparse)
{
	size_t n = 0;

	for (const struct got_event *event = sparse; event < got->events + got->n_events; event++)
		n += event->channel != sparse->channel && event->time < sparse->time;
	return n;
}

/* A burst: the dense ring's part of a step takes long to send. The sparse ring, which has the oldest event, waits for it. */
static void test_burst(void **state)
{
	struct bench b;

	(void)state;
	open_rings(&b);
	feed(b.feeds[1], START - 1, SPARSE, STEP / SPARSE);
	for (uint32_t i = 0; i < DENSE_PAGES; i++)
		feed(b.feeds[0], START + i * STEP / DENSE_PAGES, PAGE_EVENTS, STEP / DENSE_PAGES / PAGE_EVENTS);
	while (b.readers[0].scheduler.on)
		tw_ring_scheduler__round(&b.readers[0]);
	receive(&b);
	for (size_t i = 0; i < b.got.n_events; i++) {
		if (b.got.events[i].channel == 2)
			assert_true(events_behind(&b.got, &b.got.events[i]) <= 2 * PAGE_EVENTS);
	}
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),      cmocka_unit_test(test_slow),   cmocka_unit_test(test_burst),
		cmocka_unit_test(test_no_events), cmocka_unit_test(test_others), cmocka_unit_test(test_drain_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
