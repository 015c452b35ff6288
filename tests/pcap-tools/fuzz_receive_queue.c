/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams as from a UDP socket, several in one buffer, for admission, the clock poller, the receive queue and the recorder's thread, as
 * in cli/receiver.c. The input is a sequence of bundles (see udp_seeds.c). Each bundle follows a head: the length of the bundle and the
 * length of each datagram, both 16-bit big-endian, and a byte with the sender, the elapsed time and the dropped frames.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "clocks/clock_poller.h"
#include "pcap-tools/admission/admission.h"
#include "pcap-tools/record/recorder.h"

#define SLOTS      32
#define SLOT_BYTES 4096
#define PEERS      3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	struct tw_recorder *recorder;
	struct tw_receive_queue *queue;
	struct tw_clock_poller *poller;
	struct tw_admission *admission;
	uint64_t now;
	uint64_t frames;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Flush the queue. -EAGAIN and -EBUSY are no errors: no slot is free, or the recorder's thread has the lock of the slots. */
static void flush(struct state *s)
{
	const int code = tw_receive_queue__flush(s->queue);

	check(!code || code == -EAGAIN || code == -EBUSY);
}

static void take_admitted(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival)
{
	struct state *s = ctx;

	check(frame->len <= SLOT_BYTES);
	tw_clock_poller__saw(s->poller, frame, s->now);
	while (!tw_receive_queue__copy(s->queue, frame->data, frame->len, frame->len, arrival))
		flush(s);
}

static void let_go(void *ctx, uint64_t stream_id)
{
	struct state *s = ctx;

	while (!tw_receive_queue__retire(s->queue, stream_id))
		flush(s);
}

static void take_answer(struct state *s, const struct tw_received_frame *frame)
{
	struct tw_time_sync_sample sample;
	uint64_t stream;

	if (tw_admission__answer(s->admission, frame) ||
	    !tw_clock_poller__response(s->poller, frame, (struct tw_stamped_time){ s->now, TW_STAMP_SOFTWARE }, &stream,
				       &sample))
		return;
	tw_admission__answered(s->admission, stream, &frame->from->address);
	tw_clock_poller__better(s->poller, &sample);
	tw_recorder__answer(s->recorder, stream, &sample);
}

/* Return: whether the frame is for the recorder */
static bool look_at_frame(struct state *s, const struct tw_received_frame *frame, const struct tw_arrival *arrival)
{
	s->frames++;
	if (tw_clock_poller__is_response(frame)) {
		take_answer(s, frame);
		return true;
	}
	if (!tw_admission__frame(s->admission, frame, arrival))
		return false;
	tw_clock_poller__saw(s->poller, frame, s->now);
	return true;
}

/* Move the frames that are for the recorder to the front of the bundle. Return: their length, bytes */
static size_t look_at_bundle(struct state *s, const struct tw_received_batch *bundle, const struct tw_arrival *arrival)
{
	struct tw_received_frame frame;
	size_t sum = 0, kept = 0;

	for (size_t at = 0; tw_received_batch__frame(bundle, at, &frame); at += bundle->segment) {
		check(frame.len <= bundle->segment);
		sum += frame.len;
		if (!look_at_frame(s, &frame, arrival))
			continue;
		memmove(bundle->to + kept, frame.data, frame.len);
		kept += frame.len;
	}
	check(sum == bundle->len);
	return kept;
}

static void ask(struct state *s)
{
	struct tw_time_sync_request question;
	unsigned int n = 0;

	while (tw_clock_poller__next(s->poller, s->now, &question)) {
		check(question.len >= TW_TIME_SYNC_BYTES_MIN && question.len <= TW_TIME_SYNC_ROOM - TW_COPY_STEP);
		check(n++ < TW_STREAMS_LIVE_MAX);
	}
	while (tw_admission__next(s->admission, &question))
		check(question.len && question.len <= TW_TIME_SYNC_ROOM && n++ < 2 * TW_STREAMS_LIVE_MAX);
}

static void pass_on(struct state *s, struct tw_received_batch *bundle)
{
	const struct tw_arrival arrival = { .now = s->now, .dropped = bundle->dropped };
	uint8_t *places[TW_RECEIVE_QUEUE_SLOTS];

	while (!tw_receive_queue__room(s->queue, places))
		flush(s);
	memcpy(places[0], bundle->to, bundle->len);
	bundle->to = places[0];
	tw_admission__begin(s->admission, s->now);
	bundle->len = look_at_bundle(s, bundle, &arrival);
	if (bundle->len)
		tw_receive_queue__put(s->queue, 0, bundle->len, bundle->segment, &arrival);
	flush(s);
	ask(s);
}

static void feed(struct state *s, struct tw_cursor *input)
{
	const uint8_t *p;

	while ((p = tw_cursor__take(input, 5))) {
		struct tw_received_batch bundle = { .len = tw_load_be16(p), .segment = tw_load_be16(p + 2) };

		bundle.from = (struct tw_peer){ .len = 1, .bytes = { p[4] % PEERS } };
		bundle.dropped = p[4] >> 6;
		s->now += (uint64_t)(p[4] & 0x3c) << 20;
		bundle.segment = bundle.segment ? bundle.segment : 1;
		bundle.len = bundle.len < SLOT_BYTES ? bundle.len : SLOT_BYTES;
		bundle.len = bundle.len < input->left ? bundle.len : input->left;
		bundle.to = (uint8_t *)tw_cursor__take(input, bundle.len);
		pass_on(s, &bundle);
	}
}

static bool begin(struct state *s)
{
	struct tw_recorder_options options = {
		.slots = SLOTS,
		.slot_bytes = SLOT_BYTES,
		.archive = { .wait_ns = TW_NS_PER_SECOND, .network = true, .memory = 1 << 20, .buffer = 4096 },
	};
	const struct tw_admission_options admission = {
		.unanswered = TW_ADMISSION_UNANSWERED,
		.admitted = take_admitted,
		.gave_way = let_go,
		.ctx = s,
	};
	const struct tw_output_options output = { .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };

	check(output.fd >= 0 && !tw_output__open(&output, &options.output, NULL));
	s->admission = tw_admission__new(&admission);
	s->poller = s->admission ? tw_clock_poller__new(tw_admission__streams(s->admission), 1) : NULL;
	return s->poller && s->admission && !tw_recorder__new(&options, &s->recorder, NULL) &&
	       !tw_recorder__receive_queue(s->recorder, &s->queue, NULL);
}

static void finish(struct state *s)
{
	tw_admission__finish(s->admission);
	while (tw_receive_queue__holds(s->queue))
		flush(s);
	tw_receive_queue__free(s->queue);
}

static void check_books(struct state *s)
{
	const uint64_t refused = tw_admission__refusals(s->admission)->frames;
	struct tw_archive_stats stats;
	struct tw_clock_poller_stats asked;

	check(!tw_recorder__finish(s->recorder, &stats, NULL));
	tw_clock_poller__stats(s->poller, &asked);
	check(stats.merge.unreadable + stats.merge.refused + refused <= s->frames);
	check(stats.merge.received ==
	      stats.merge.events_out + stats.merge.filtered + stats.merge.incomplete + stats.merge.damaged);
	check(asked.answered <= asked.asked && asked.answered + asked.strange + asked.crowded <= s->frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_cursor input = { .at = data, .left = size };
	struct state s = { .now = TW_NS_PER_SECOND };

	if (begin(&s)) {
		feed(&s, &input);
		finish(&s);
		check_books(&s);
	}
	tw_recorder__free(s.recorder);
	tw_clock_poller__free(s.poller);
	tw_admission__free(s.admission);
	return 0;
}
