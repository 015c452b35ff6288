/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocked outputs: other threads do not wait for them, a deadline ends them, and the ledger balances. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "frames.h"
#include "pcap-tools/output/output_impl.h"
#include "pcap-tools/record/recorder.h"

#define SLOT_BYTES 4096
#define EVENTS     20 /* number of events in a frame */
#define HANGS_S    60 /* a test that takes longer hangs, and is ended by SIGALRM */

static struct tw_deadline deadline;

struct blocked {
	int fds[2];
	struct tw_recorder *rec;
	struct tw_receive_queue *queue;
	uint64_t seq;
};

static bool put_frame(struct blocked *b)
{
	const struct tw_arrival arrival = { .now = 1 };
	static struct test_frame frame;
	uint8_t *room[TW_RECEIVE_QUEUE_SLOTS];
	size_t len;

	if (!tw_receive_queue__room(b->queue, room))
		return false;
	test_frame__begin(&frame, 1, b->seq, 1000 + b->seq);
	for (uint32_t i = 0; i < EVENTS; i++)
		test_frame__event(&frame, 1000 + b->seq + i, i, 24);
	tw_watermark__emit(&frame.f, 1000 + b->seq + EVENTS, (const uint16_t[]){ 1 },
			   (const uint64_t[]){ b->seq + EVENTS }, 1);
	len = test_frame__end(&frame);
	memcpy(room[0], frame.buf, len);
	tw_receive_queue__put(b->queue, 0, len, len, &arrival);
	b->seq += EVENTS;
	return true;
}

/* Put frames until the pipe and the pool of slots are full. */
static void fill(struct blocked *b)
{
	for (unsigned int idle = 0; idle < 50;) {
		if (put_frame(b)) {
			idle = 0;
			tw_receive_queue__flush(b->queue);
			continue;
		}
		tw_receive_queue__flush(b->queue);
		tw_receive_queue__wait(b->queue, 10);
		idle++;
	}
}

static void start(struct blocked *b, bool socket)
{
	struct tw_recorder_options options = { .slots = 20, .slot_bytes = SLOT_BYTES, .deadline = &deadline };

	memset(b, 0, sizeof(*b));
	atomic_store(&deadline.at, 0);
	alarm(HANGS_S);
	assert_int_equal(socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, b->fds) : pipe(b->fds), 0);
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .fd = b->fds[1], .deadline = &deadline },
					 &options.output, NULL),
			 0);
	options.archive = (struct tw_archive_options){ .from_start = true, .wait_ns = 1 };
	assert_int_equal(tw_recorder__new(&options, &b->rec, NULL), 0);
	assert_int_equal(tw_recorder__receive_queue(b->rec, &b->queue, NULL), 0);
	fill(b);
}

static void finish(struct blocked *b)
{
	struct tw_archive_stats stats;

	while (tw_receive_queue__flush(b->queue) == -EBUSY)
		;
	tw_receive_queue__free(b->queue);
	assert_int_equal(tw_recorder__finish(b->rec, &stats, NULL), -ETIMEDOUT);
	assert_int_equal(stats.ledger.recorded, b->seq);
	assert_int_equal(tw_ledger__difference(&stats.ledger), 0);
	assert_in_range(stats.ledger.place[TW_PLACE_DISK], 1, b->seq);
	tw_recorder__free(b->rec);
	close(b->fds[0]);
	close(b->fds[1]);
	alarm(0);
}

static void a_deadline_ends_it(void **state)
{
	struct blocked b;

	(void)state;
	for (int socket = 0; socket <= 1; socket++) {
		start(&b, socket);
		assert_int_equal(fcntl(b.fds[1], F_GETFL) & O_NONBLOCK, 0); /* other processes may use the same pipe */
		atomic_store(&deadline.at, tw_time__now(CLOCK_MONOTONIC));
		finish(&b);
	}
}

/* Only the part of a write after the deadline counts. */
static void time_after_the_deadline(void **state)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC),
		       unit = now / 10000; /* a part of the time since the machine started */
	struct tw_output output = { .options = { .deadline = &deadline } };

	(void)state;
	atomic_store(&deadline.at, now - 1000 * unit);
	tw_output__was_late(&output, now - 10 * unit); /* a write that began after the deadline */
	assert_in_range(output.late, 10 * unit, 500 * unit);
	output.late = 0;
	tw_output__was_late(&output, now - 5000 * unit); /* a write that began before the deadline */
	assert_in_range(output.late, 1000 * unit, 2000 * unit);
}

/* While the recorder's thread is blocked, calls that pass it something, or ask for its reports, return at once. */
static void who_tells_it_something_does_not_wait(void **state)
{
	const struct tw_time_sync_sample sample = { 0 };
	const struct tw_own_clock own = { 0 };
	struct tw_archive_report *reports;
	struct tw_archive_stats stats;
	struct blocked b;

	(void)state;
	start(&b, false);
	for (int i = 0; i < 2 * 512; i++)
		tw_recorder__answer(b.rec, 1, &sample);
	tw_recorder__own_clock(b.rec, &own);
	assert_int_equal(tw_recorder__reports(b.rec, 10, &reports, &stats), 0);
	atomic_store(&deadline.at, tw_time__now(CLOCK_MONOTONIC));
	finish(&b);
}

static void a_fifo_that_nobody_reads(void **state)
{
	char path[] = "/tmp/tracewire-fifo-XXXXXX";
	struct tw_output *output;
	struct tw_error err;

	(void)state;
	assert_non_null(mkdtemp(path));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(HANGS_S);
	atomic_store(&deadline.at, tw_time__now(CLOCK_MONOTONIC) + 50 * TW_NS_PER_MS);
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .path = path, .deadline = &deadline }, &output,
					 &err),
			 -EINTR);
	assert_non_null(strstr(err.text, "no reader opened the pipe"));
	alarm(0);
	unlink(path);
}

/* The end of a compressed stream is written last. If this write fails, tw_output__finish() returns the error. */
static void a_fifo_whose_reader_goes_before_the_end(void **state)
{
	char dir[] = "/tmp/tracewire-fifo-XXXXXX", path[64];
	static const uint32_t padding[] = { 0x80005457u, 12, 12 }; /* a whole block */
	struct tw_output *output;
	struct tw_error err;
	size_t kept;
	int reader;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.zst", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_int_equal(tw_output__open(&(struct tw_output_options){ .path = path }, &output, &err), 0);
	assert_int_equal(tw_output__write(output, padding, sizeof(padding), &kept, &err), 0);
	close(reader);
	assert_int_equal(tw_output__finish(output, &err), -EPIPE);
	assert_non_null(strstr(err.text, "closed it"));
	tw_output__free(output);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deadline_ends_it),
		cmocka_unit_test(time_after_the_deadline),
		cmocka_unit_test(who_tells_it_something_does_not_wait),
		cmocka_unit_test(a_fifo_that_nobody_reads),
		cmocka_unit_test(a_fifo_whose_reader_goes_before_the_end),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
