/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame writer: numbers, waiting for room, shedding, and records larger than a frame, on event channels and the control channel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/control_channel.h"
#include "receiver.h"

#define SMALL 512 /* a frame for about ten events */

/* A frame writer, two channels, and the received frames. */
struct bench {
	struct memory_sink memory;
	struct tw_producer_stream stream;
	struct tw_sink *sink;
	struct tw_frame_writer writer;
	struct tw_producer_channel one, two;
	struct receiver got;
};

static void set_up(struct bench *b, size_t frame_max, uint32_t events_per_frame)
{
	*b = (struct bench){
		.stream = { .id = 1, .schema_id = 2 },
		.one = { .number = 1, .cpu = 0, .source = TW_SOURCE_FTRACE },
		.two = { .number = 2, .cpu = 1, .source = TW_SOURCE_FTRACE },
	};
	memory_sink__init(&b->memory, frame_max);
	assert_int_equal(memory_sink__open(&b->memory, 0, &b->sink, NULL), 0);
	tw_frame_writer__init(&b->writer, b->sink, &b->stream, events_per_frame);
}

static void receive(struct bench *b)
{
	tw_frame_writer__drain(&b->writer);
	receiver__read(&b->got, &b->memory);
}

static void tear_down(struct bench *b)
{
	receiver__fini(&b->got);
	tw_sink__close(b->sink);
	memory_sink__fini(&b->memory);
}

/* Adds an event with @len bytes to the open frame, or, if it does not fit, to a new one, as a ring does. */
static void send_event(struct bench *b, struct tw_producer_channel *channel, uint32_t pid, uint32_t len, uint64_t time)
{
	static uint8_t record[32768 + TW_COPY_STEP];
	const uint16_t id = 300;
	struct tw_frame frame;
	bool fits;

	for (uint32_t i = 8; i < len; i++)
		record[i] = (uint8_t)(i * 7 / 3);
	memcpy(record, &id, sizeof(id));
	memcpy(record + 4, &pid, sizeof(pid));
	frame = tw_frame_writer__borrow_frame(&b->writer, channel);
	fits = frame.info.events < b->writer.events_per_frame && tw_frame__add_event(&frame, record, len, time);
	tw_frame_writer__return_frame(&b->writer, channel, &frame);
	if (!fits)
		tw_frame_writer__event(&b->writer, channel, record, len, time);
}

static void expect_bytes(const struct got_event *ev)
{
	for (uint32_t i = 8; i < ev->len; i++)
		assert_int_equal(ev->record[i], (uint8_t)(i * 7 / 3));
}

static void test_numbers(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	for (uint32_t i = 0; i < 1000; i++)
		send_event(&b, i % 7 < 4 ? &b.one : &b.two, i, 8 + i % 20 * 4, i);
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_int_equal(b.got.n_events, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(b.got.events[i].pid, i);
		assert_int_equal(b.got.events[i].channel, i % 7 < 4 ? 1 : 2);
		assert_int_equal(b.got.events[i].len, 8 + i % 20 * 4);
		expect_bytes(&b.got.events[i]);
	}
	assert_int_equal(b.writer.events, 1000);
	tear_down(&b);
}

/* Checks that each frame has one event, always at the same offset. */
static void expect_alone(const struct bench *b)
{
	for (size_t i = 0; i < b->got.n_events; i++) {
		const struct memory_sink_frame *frame = &b->memory.frames[b->got.events[i].frame];

		assert_ptr_equal(b->got.events[i].record, frame->bytes + 48 + TW_EVENT_RECORD);
		assert_true(!i || b->got.events[i].frame > b->got.events[i - 1].frame);
	}
}

static void test_one_event_frames(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, 9000, 1);
	for (uint32_t i = 0; i < 100; i++) {
		if (i == 50)
			tw_frame_writer__lost(&b.writer, &b.one, i, TW_LOST_RING, false, 5);
		send_event(&b, &b.one, i, 40, i);
	}
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_int_equal(b.got.n_events, 100);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_RING), 5);
	expect_alone(&b);
	tear_down(&b);
}

static void test_far_apart(void **state)
{
	const uint64_t times[] = { 10, 2000000000, 2000000010, 1ull << 40, 5, 6 };
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	for (uint32_t i = 0; i < 6; i++)
		send_event(&b, &b.one, i, 16, times[i]);
	receive(&b);
	assert_int_equal(b.got.n_events, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(b.got.events[i].time, times[i]);
	assert_int_equal(b.got.gaps, 0);
	tear_down(&b);
}

static void test_parts(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	for (uint32_t i = 0; i < 300; i++)
		send_event(&b, &b.one, i, i % 10 ? 20 : 16 + i * 100, 1000 + i);
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_int_equal(b.got.n_events, 300);
	assert_true(b.got.n_parts > 300);
	for (uint32_t i = 0; i < 300; i++) {
		assert_int_equal(b.got.events[i].seq, i);
		assert_int_equal(b.got.events[i].pid, i);
		assert_int_equal(b.got.events[i].time, 1000 + i);
		assert_int_equal(b.got.events[i].len, i % 10 ? 20 : 16 + i * 100);
		expect_bytes(&b.got.events[i]);
	}
	tear_down(&b);
}

/* Sends an event. The writer must not wait for room: it asks the sink only a few times. */
static void send_at_once(struct bench *b, uint32_t i)
{
	const uint64_t before = b->memory.refused;

	send_event(b, &b->one, i, 20, i);
	assert_true(b->memory.refused - before <= 4);
}

/* Makes room in the sink after the writer has waited for it. */
static void *make_room(void *arg)
{
	struct memory_sink *memory = arg;

	while (memory->refused < 10)
		usleep(1000);
	memory->room = MEMORY_SINK_ENDLESS;
	return NULL;
}

/* If the sink is full for a while, the writer waits, and nothing is lost. */
static void test_back_pressure(void **state)
{
	pthread_t thread;
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	b.memory.room = 5;
	assert_int_equal(pthread_create(&thread, NULL, make_room, &b.memory), 0);
	for (uint32_t i = 0; i < 1000; i++)
		send_event(&b, &b.one, i, 20, i);
	pthread_join(thread, NULL);
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_int_equal(b.got.n_events, 1000);
	assert_int_equal(b.one.shed, 0);
	tear_down(&b);
}

/* The sink stays full: events are shed and counted, later events keep their numbers, and the loss is reported. */
static void shed_and_recover(uint32_t events_per_frame)
{
	struct bench b;
	uint32_t i;

	set_up(&b, SMALL, events_per_frame);
	b.memory.room = 5;
	for (i = 0; !b.one.shed; i++)
		send_event(&b, &b.one, i, 20, i);
	assert_true(i < 1000);
	for (; i < 100000; i++) /* after one wait, the writer does not wait again */
		send_at_once(&b, i);
	tw_frame_writer__lost(&b.writer, &b.one, 100000, TW_LOST_RING, false, 33);
	tw_frame_writer__lost(&b.writer, &b.one, 100000, TW_LOST_TX, false, 5);
	tw_frame_writer__lost(&b.writer, &b.one, 100000, TW_LOST_RING, false, 9);
	assert_true(b.one.shed > 90000);
	b.memory.room = MEMORY_SINK_ENDLESS;
	usleep(10000);
	for (; i < 100100; i++)
		send_event(&b, i % 2 ? &b.one : &b.two, i, 20, i);
	receive(&b);
	receiver__assert_sound(&b.got, b.one.shed);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_SHED), b.one.shed);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_RING), 33 + 9);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_TX), 5);
	assert_int_equal(b.got.n_events, 100100 - b.one.shed);
	assert_int_equal(b.got.n_events, b.writer.events);
	if (events_per_frame == 1)
		expect_alone(&b);
	tear_down(&b);
}

static void test_shedding(void **state)
{
	(void)state;
	shed_and_recover(0);
}

static void test_shedding_one_event_frames(void **state)
{
	(void)state;
	shed_and_recover(1);
}

/* Addresses are hashed before a record is split, wherever the splits are. */
static void test_hidden_parts(void **state)
{
	static uint8_t record[4000 + TW_COPY_STEP];
	const uint64_t address = 0xffff888100001000;
	const uint16_t id = 300;
	struct tw_hashed_pointers pointers;
	uint64_t hashed;
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	assert_int_equal(tw_hashed_pointers__init(&pointers, NULL), 0);
	assert_int_equal(tw_hashed_pointers__set_unknown(&pointers, id), 0);
	b.stream.pointers = &pointers;
	memcpy(record, &id, sizeof(id));
	for (size_t at = 8; at < 4000; at += 8)
		memcpy(record + at, &address, sizeof(address));
	for (uint32_t len = 16; len <= 4000; len += 332)
		tw_frame_writer__event(&b.writer, &b.one, record, len, 1000 + len);
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_true(b.got.n_parts > 50);
	hashed = tw_pointer_key__hash(&pointers.key, address, 8);
	for (size_t i = 0; i < b.got.n_events; i++)
		for (uint32_t at = 8; at + 8 <= b.got.events[i].len; at += 8)
			assert_memory_equal(b.got.events[i].record + at, &hashed, sizeof(hashed));
	assert_memory_equal(record + 8, &address, sizeof(address));
	tear_down(&b);
	tw_hashed_pointers__fini(&pointers);
}

/* If the sink has no room for some PARTs of a record, the whole record is shed. */
static void test_shedding_parts(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	send_event(&b, &b.one, 1, 20, 1);
	b.memory.room = 4;
	send_event(&b, &b.one, 2, 8000, 2);
	send_event(&b, &b.one, 3, 20, 3);
	b.memory.room = MEMORY_SINK_ENDLESS;
	usleep(10000);
	send_event(&b, &b.one, 4, 20, 4);
	receive(&b);
	receiver__assert_sound(&b.got, 2);
	assert_int_equal(b.one.shed, 2);
	assert_int_equal(receiver__lost(&b.got, TW_LOST_SHED), 2);
	assert_int_equal(b.got.n_events, 2);
	assert_int_equal(b.got.events[1].pid, 4);
	assert_int_equal(b.got.events[1].seq, 3);
	tear_down(&b);
}

/* Beginning a frame fails, and the writer asks the sink for room only a few times. */
static void expect_no_wait(struct bench *b, struct tw_producer_channel *channel)
{
	const uint64_t before = b->memory.refused + b->memory.held;

	assert_false(tw_frame_writer__begin(&b->writer, channel, 1));
	assert_in_range(b->memory.refused + b->memory.held - before, 1, 4);
}

static void expect_no_long_drain(struct bench *b)
{
	const uint64_t before = b->memory.held;

	assert_int_equal(tw_frame_writer__drain(&b->writer), -EAGAIN);
	assert_in_range(b->memory.held - before, 1, 2);
}

/* All last frames share one wait: if it was in vain, the writer waits neither for slots nor for flushing again. */
static void test_last_frames(void **state)
{
	struct tw_deadline deadline = { 1 };
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	b.writer.deadline = &deadline;
	b.memory.room = 0;
	expect_no_wait(&b, &b.one);
	assert_int_equal(b.writer.given_up, 1);
	tw_frame_writer__begin_last(&b.writer);
	assert_false(tw_frame_writer__begin(&b.writer, &b.one, 1)); /* waits for room, whatever the deadline is */
	for (int i = 0; i < 20; i++) {
		expect_no_wait(&b, i % 2 ? &b.one : &b.two);
		expect_no_long_drain(&b);
	}
	assert_int_equal(b.writer.given_up, 1);
	b.memory.room = MEMORY_SINK_ENDLESS;
	assert_true(tw_frame_writer__begin(&b.writer, &b.one, 1));
	receive(&b);
	tear_down(&b);
}

/* After tw_frame_writer__stop_waiting(), the writer does not wait, until the last frames. */
static void test_no_hope(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	b.memory.room = 0;
	tw_frame_writer__stop_waiting(&b.writer);
	for (int i = 0; i < 20; i++) {
		expect_no_wait(&b, &b.one);
		expect_no_long_drain(&b);
	}
	tw_frame_writer__begin_last(&b.writer);
	assert_int_equal(tw_frame_writer__drain(&b.writer), -EAGAIN);
	expect_no_long_drain(&b);
	tear_down(&b);
}

static void test_broken(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	b.memory.broken = -ENODEV;
	b.memory.room = 2;
	for (uint32_t i = 0; i < 100000; i++) /* the sink has failed, so the writer does not wait */
		send_at_once(&b, i);
	assert_int_equal(b.writer.err, -ENODEV);
	assert_int_equal(tw_frame_writer__flush(&b.writer), -ENODEV);
	receive(&b);
	assert_int_equal(b.got.n_events + b.one.shed, 100000);
	tear_down(&b);
}

/* A HOST of the largest size, with frames that have room for only a part of it. */
static void test_control_parts(void **state)
{
	struct tw_attr_view attrs[16];
	static uint8_t text[256];
	struct tw_control_channel control;
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	tw_control_channel__init(&control, &b.writer);
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 16; i++)
		attrs[i] = (struct tw_attr_view){ TW_HOST_NAME, text, sizeof(text) };
	tw_control_channel__host(&control, attrs, 16);
	tw_control_channel__task(&control, &(struct tw_producer_task){ .pid = 7, .name = "fifteen letters" });
	tw_control_channel__host(&control, attrs, 1);
	tw_control_channel__end(&control);
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_true(b.got.n_parts > 8);
	assert_int_equal(b.got.n_hosts, 2);
	assert_int_equal(b.got.n_names, 1);
	assert_string_equal(b.got.names[0].name, "fifteen letters");
	tear_down(&b);
}

/* Format texts around the largest TLV: some are longer even if they are compressed, one just fits. The records after them arrive, too. */
static void test_large_texts(void **state)
{
	static const size_t lengths[] = { 200000, 65520, 65519, 40000, 100 };
	struct tw_schema_view items[5];
	char *text = malloc(200001);
	struct tw_control_channel control;
	struct bench b;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < 200000; i++)
		text[i] = (char)(' ' + (i * i * 31 + i / 7) % 90);
	for (size_t i = 0; i < 5; i++) {
		char *raw = malloc(lengths[i] + 1);

		assert_non_null(raw);
		raw[0] = 0;
		memcpy(raw + 1, text, lengths[i]);
		items[i] = (struct tw_schema_view){
			.index = (uint32_t)i,
			.total = 5,
			.raw_length = (uint32_t)lengths[i] + 1,
			.data = (const uint8_t *)raw,
			.len = lengths[i] + 1,
		};
	}
	set_up(&b, 9000, 0);
	tw_control_channel__init(&control, &b.writer);
	tw_control_channel__texts(&control, &(struct tw_schema_texts){ .records = { items, 5 } });
	tw_control_channel__end(&control);
	receive(&b);
	receiver__assert_sound(&b.got, 0);
	assert_int_equal(control.channel.shed, 0);
	assert_int_equal(b.got.n_texts, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(strlen(b.got.texts[i].text), lengths[i]);
		assert_memory_equal(b.got.texts[i].text, text, lengths[i]);
		free((void *)(uintptr_t)items[i].data);
	}
	free(text);
	tear_down(&b);
}

/* Records that the control channel could not send are a gap in its numbers. */
static void test_control_shed(void **state)
{
	struct tw_control_channel control;
	struct bench b;

	(void)state;
	set_up(&b, SMALL, 0);
	tw_control_channel__init(&control, &b.writer);
	for (uint32_t i = 0; i < 100; i++) {
		b.memory.room = i == 50 ? 0 : MEMORY_SINK_ENDLESS;
		tw_control_channel__task(&control, &(struct tw_producer_task){ .pid = i, .name = "name" });
		tw_control_channel__end(&control);
	}
	receive(&b);
	assert_int_equal(b.got.n_names, 99);
	receiver__assert_sound(&b.got, 1);
	assert_int_equal(control.channel.shed, 1);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),        cmocka_unit_test(test_one_event_frames),
		cmocka_unit_test(test_far_apart),      cmocka_unit_test(test_parts),
		cmocka_unit_test(test_hidden_parts),   cmocka_unit_test(test_back_pressure),
		cmocka_unit_test(test_shedding),       cmocka_unit_test(test_shedding_one_event_frames),
		cmocka_unit_test(test_shedding_parts), cmocka_unit_test(test_broken),
		cmocka_unit_test(test_last_frames),    cmocka_unit_test(test_no_hope),
		cmocka_unit_test(test_control_parts),  cmocka_unit_test(test_large_texts),
		cmocka_unit_test(test_control_shed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
