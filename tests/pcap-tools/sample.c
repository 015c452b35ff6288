/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample PATH EVENTS [PAUSE_US]: records EVENTS events of each of two producer threads, and prints the recorder's numbers on standard
 * error. Event i of thread c is at STREAM_START + 100 * i + 10 * c + 1 ns; the wall clock is AHEAD ns ahead of that clock. Exit status: 0;
 * or 1 with the recorder's error on standard error
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frames.h"
#include "pcap-tools/record/recorder.h"

#define STREAM_START 5000000000ull
#define AHEAD        1700000000123456000ull
#define PER_FRAME    50
#define THREADS      2

struct producer {
	pthread_t thread;
	struct tw_recorder *rec;
	uint32_t index;
	uint64_t events;
	unsigned int pause_us;
	int code;
};

/* Reserve a slot like a producer: wait while there is no room, give up when the sink fails. */
static void *reserve(struct tw_sink *sink, int *ret_code)
{
	void *slot;
	int code = 0;

	while (!(slot = tw_sink__reserve(sink)) && (!code || code == -EAGAIN)) {
		code = tw_sink__flush(sink);
		usleep(100);
	}
	if (!slot)
		*ret_code = code;
	return slot;
}

static int send_frame(struct tw_sink *sink, const struct test_frame *frame, size_t len)
{
	int code = 0;
	void *slot = reserve(sink, &code);

	if (!slot)
		return code;
	memcpy(slot, frame->buf, len);
	tw_sink__commit(sink, len);
	code = tw_sink__flush(sink);
	return code == -EAGAIN ? 0 : code;
}

static int send_round(struct producer *p, struct tw_sink *sink, struct test_frame *frame, uint64_t seq)
{
	const uint64_t start = STREAM_START + 10 * p->index + 1;
	const uint16_t channel = (uint16_t)(p->index + 1);
	uint64_t next = seq;
	int code;

	test_frame__begin(frame, channel, seq, start + 100 * seq);
	for (; next < seq + PER_FRAME && next < p->events; next++)
		test_frame__event(frame, start + 100 * next, (uint32_t)next, 56);
	code = send_frame(sink, frame, test_frame__end(frame));
	if (code)
		return code;
	return send_frame(sink, frame, test_frame__watermark(frame, start + 100 * (next - 1), &channel, &next, 1));
}

static void *produce(void *arg)
{
	struct producer *p = arg;
	struct test_frame *frame = malloc(sizeof(*frame));
	struct tw_sink *sink = NULL;

	if (!frame || tw_recorder__sink(p->rec, &sink, NULL))
		p->code = -ENOMEM;
	for (uint64_t seq = 0; seq < p->events && !p->code; seq += PER_FRAME) {
		p->code = send_round(p, sink, frame, seq);
		if (p->pause_us)
			usleep(p->pause_us);
	}
	while (sink && tw_sink__flush(sink) == -EAGAIN)
		usleep(100);
	tw_sink__close(sink);
	free(frame);
	return NULL;
}

static int send_hello(struct tw_recorder *rec)
{
	static struct test_frame frame;
	const struct tw_stat_view counters[] = {
		{ .stat = TW_STAT_OVERRUN, .channel = 1, .value = 11 },
		{ .stat = TW_STAT_OVERRUN, .channel = 2, .value = 22 },
		{ .stat = TW_STAT_SHED, .channel = 0, .value = 5 },
	};
	const uint16_t channels[THREADS] = { 1, 2 };
	const uint64_t next[THREADS] = { 0, 0 };
	struct tw_sink *sink;
	int code = tw_recorder__sink(rec, &sink, NULL);

	if (code)
		return code;
	code = send_frame(sink, &frame, test_frame__hello(&frame, "box", "tracewire-1", STREAM_START, AHEAD));
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 1, STREAM_START);
	tw_stats__emit(&frame.f, counters, 3);
	if (!code)
		code = send_frame(sink, &frame, test_frame__end(&frame));
	if (!code)
		code = send_frame(sink, &frame, test_frame__watermark(&frame, STREAM_START, channels, next, THREADS));
	tw_sink__close(sink);
	return code;
}

static void run(struct tw_recorder *rec, uint64_t events, unsigned int pause_us)
{
	struct producer producers[THREADS];

	for (uint32_t i = 0; i < THREADS; i++) {
		producers[i] = (struct producer){ .rec = rec, .index = i, .events = events, .pause_us = pause_us };
		if (pthread_create(&producers[i].thread, NULL, produce, &producers[i]))
			abort();
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(producers[i].thread, NULL);
}

int main(int argc, char **argv)
{
	const struct tw_output_options output = { .path = argc > 2 ? argv[1] : "" };
	struct tw_recorder_options options = {
		.slots = 32,
		.archive = { .os = "Testix", .hardware = "a machine", .comment = "made by a test", .from_start = true },
	};
	struct tw_archive_stats stats;
	const uint64_t *place = stats.ledger.place;
	struct tw_error err;
	struct tw_recorder *rec;
	int code;

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	code = tw_output__open(&output, &options.output, &err);
	if (!code)
		code = tw_recorder__new(&options, &rec, &err);
	if (!code) {
		send_hello(rec);
		run(rec, strtoull(argv[2], NULL, 0), argc > 3 ? (unsigned int)atoi(argv[3]) : 0);
		code = tw_recorder__finish(rec, &stats, &err);
		fprintf(stderr,
			"packets=%" PRIu64 " events=%" PRIu64 " bytes=%" PRIu64 " ring=%" PRIu64 " shed=%" PRIu64
			" wire=%" PRIu64 " late=%" PRIu64 " gaps=%" PRIu64 "\n",
			stats.packets, place[TW_PLACE_DELIVERED], stats.bytes, place[TW_PLACE_RING],
			place[TW_PLACE_SHED], place[TW_PLACE_WIRE], stats.merge.late, stats.merge.gaps);
		tw_recorder__free(rec);
	}
	if (code)
		fprintf(stderr, "error %d: %s\n", code, err.text);
	return code ? 1 : 0;
}
