/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots between a receiver and the recorder. No slot is lost. The merge does not borrow all slots, so there are slots for new frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "frames.h"
#include "pcap-tools/record/recorder.h"

#define SLOT_BYTES 1024

static const struct tw_arrival arrival = { .now = 1 };

static uint32_t count(struct tw_slot_queue *q)
{
	struct tw_slot_list all = { .n = 0 };
	uint32_t n;

	tw_slot_queue__take(q, UINT32_MAX, &all);
	n = all.n;
	tw_slot_queue__give(q, &all);
	return n;
}

static void places_stay_until_they_are_used(void **state)
{
	uint8_t *first[TW_RECEIVE_QUEUE_SLOTS], *then[TW_RECEIVE_QUEUE_SLOTS];
	struct tw_slot_list filled = { .n = 0 };
	struct tw_slot_queue q;
	struct tw_receive_queue *queue;

	(void)state;
	assert_int_equal(tw_slot_queue__init(&q, 20, SLOT_BYTES), 0);
	queue = tw_receive_queue__new(&q);
	assert_non_null(queue);
	assert_int_equal(tw_receive_queue__room(queue, first), TW_RECEIVE_QUEUE_SLOTS);
	tw_receive_queue__put(queue, 1, 500, 100, &arrival);
	assert_int_equal(tw_receive_queue__room(queue, then), TW_RECEIVE_QUEUE_SLOTS);
	assert_ptr_equal(first[0], then[0]);
	assert_ptr_not_equal(first[1], then[1]);
	tw_receive_queue__flush(queue);
	assert_true(tw_slot_queue__wait(&q, 0, &filled));
	assert_int_equal(filled.n, 1);
	assert_ptr_equal(filled.first->data, first[1]);
	assert_int_equal(filled.first->len, 500);
	assert_int_equal(filled.first->segment, 100);
	tw_slot_queue__give(&q, &filled);
	tw_receive_queue__free(queue);
	assert_int_equal(count(&q), 20);
	tw_slot_queue__fini(&q);
}

/* A wait for filled slots ends at once if a slot is filled or the queue has ended. */
static void filled_slots_are_taken_at_once(void **state)
{
	static uint8_t *places[TW_RECEIVE_QUEUE_SLOTS];
	struct tw_slot_list filled = { .n = 0 };
	struct tw_slot_queue q;
	struct tw_receive_queue *queue;
	uint64_t began;

	(void)state;
	assert_int_equal(tw_slot_queue__init(&q, 20, SLOT_BYTES), 0);
	queue = tw_receive_queue__new(&q);
	assert_non_null(queue);
	assert_true(tw_receive_queue__room(queue, places) > 0);
	tw_receive_queue__put(queue, 0, 500, 100, &arrival);
	tw_receive_queue__flush(queue);
	began = tw_time__now(CLOCK_MONOTONIC);
	assert_true(tw_slot_queue__wait(&q, 20000, &filled));
	assert_int_equal(filled.n, 1);
	assert_true(tw_time__now(CLOCK_MONOTONIC) - began < 10 * TW_NS_PER_SECOND);
	tw_slot_queue__give(&q, &filled);
	tw_slot_queue__end(&q);
	assert_false(tw_slot_queue__wait(&q, 20000, &filled));
	assert_true(tw_time__now(CLOCK_MONOTONIC) - began < 10 * TW_NS_PER_SECOND);
	tw_receive_queue__free(queue);
	tw_slot_queue__fini(&q);
}

/* When the pool has no more slots, the remaining places can still be used, one after the other. */
static void last_places_are_used_too(void **state)
{
	uint8_t *room[TW_RECEIVE_QUEUE_SLOTS];
	struct tw_slot_list filled = { .n = 0 };
	struct tw_slot_queue q;
	struct tw_receive_queue *queue;

	(void)state;
	assert_int_equal(tw_slot_queue__init(&q, 5, SLOT_BYTES), 0);
	queue = tw_receive_queue__new(&q);
	assert_non_null(queue);
	for (unsigned int left = 5; left; left--) {
		assert_int_equal(tw_receive_queue__room(queue, room), left);
		tw_receive_queue__put(queue, 0, 1, 1, &arrival);
	}
	assert_int_equal(tw_receive_queue__room(queue, room), 0);
	tw_receive_queue__flush(queue);
	assert_true(tw_slot_queue__wait(&q, 0, &filled));
	assert_int_equal(filled.n, 5);
	tw_slot_queue__give(&q, &filled);
	assert_int_equal(tw_receive_queue__room(queue, room), 5);
	tw_receive_queue__free(queue);
	assert_int_equal(count(&q), 5);
	tw_slot_queue__fini(&q);
}

static void put(struct tw_receive_queue *queue, const struct test_frame *frame, size_t len)
{
	uint8_t *room[TW_RECEIVE_QUEUE_SLOTS];

	while (!tw_receive_queue__room(queue, room)) {
		tw_receive_queue__flush(queue);
		usleep(100);
	}
	memcpy(room[0], frame->buf, len);
	tw_receive_queue__put(queue, 0, len, len, &arrival);
}

/* Without a watermark, all events wait in the merge. They come in far more frames than there are slots. */
static void what_waits_leaves_room(void **state)
{
	struct tw_output *output;
	struct tw_recorder_options options = { .slots = 20, .slot_bytes = SLOT_BYTES };
	static struct test_frame frame;
	struct tw_archive_stats stats;
	struct tw_recorder *rec;
	struct tw_receive_queue *queue;

	(void)state;
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .path = "/dev/null" }, &output, NULL), 0);
	options.output = output;
	options.archive = (struct tw_archive_options){ .network = true };
	assert_int_equal(tw_recorder__new(&options, &rec, NULL), 0);
	assert_int_equal(tw_recorder__receive_queue(rec, &queue, NULL), 0);
	for (uint64_t seq = 0; seq < 2000; seq += 20) {
		test_frame__begin(&frame, 1, seq, 1000 + seq);
		for (uint32_t i = 0; i < 20; i++)
			test_frame__event(&frame, 1000 + seq + i, i, 24);
		put(queue, &frame, test_frame__end(&frame));
	}
	while (tw_receive_queue__flush(queue))
		usleep(100);
	tw_receive_queue__free(queue);
	assert_int_equal(tw_recorder__finish(rec, &stats, NULL), 0);
	assert_int_equal(stats.merge.events_out, 2000);
	tw_recorder__free(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_stay_until_they_are_used),
		cmocka_unit_test(filled_slots_are_taken_at_once),
		cmocka_unit_test(last_places_are_used_too),
		cmocka_unit_test(what_waits_leaves_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
