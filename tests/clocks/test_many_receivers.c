/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many capture hosts and one producer, whose rate of responses is limited. Together they would send more requests than the producer
 * answers. Each poller sends fewer, so that each capture host gets exchanges without pauses, and without long delays in the producer's
 * queue.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/clock_poller.h"
#include "clocks/time_sync_responder.h"
#include "wire/encode.h"

#define MS        TW_NS_PER_MS
#define SECOND    TW_NS_PER_SECOND
#define START     (1000 * SECOND)
#define STREAM    7
#define HOSTS_MAX 64
#define TICK_NS   10000
#define WAY_NS    15000 /* of a request, and of a response */
#define QUEUE     256   /* requests that wait in the producer's socket; the kernel drops further ones */
#define FRAME_NS  (SECOND / TW_TIME_SYNC_RESPONSES_PER_SECOND)
#define BURST_NS  (50 * FRAME_NS)

struct host {
	struct tw_streams *streams;
	struct tw_clock_poller *poller;
	uint32_t previous; /* id of its latest request that was answered */
	uint64_t last, longest_gap, slowest;
	uint64_t n, n_slow; /* exchanges, and those that took more than 20 ms */
};

struct request {
	struct host *host;
	uint64_t arrived;
	struct tw_time_sync_view sync;
};

struct producer {
	struct request queue[QUEUE];
	uint64_t first, end; /* of the queue, modulo QUEUE */
	uint64_t paid, awake, dropped;
};

static const struct tw_peer peer = { .len = 1 };

static void hear(struct host *h, uint64_t now)
{
	const struct tw_frame_info info = { .source = TW_SOURCE_CONTROL,
					    .stream_id = STREAM,
					    .length = sizeof(struct tw_frame_hdr) };
	uint8_t bytes[sizeof(struct tw_frame_hdr) + TW_COPY_STEP] = { 0 };
	const struct tw_received_frame frame = { .data = bytes, .len = sizeof(struct tw_frame_hdr), .from = &peer };
	struct tw_stream *unused;

	tw_frame_hdr__emit(bytes, &info);
	assert_int_equal(tw_streams__live(h->streams, STREAM, now, &unused), 0);
	tw_clock_poller__saw(h->poller, &frame, now);
}

static void ask(struct producer *p, struct host *h, uint64_t now)
{
	struct tw_time_sync_request request;

	while (tw_clock_poller__next(h->poller, now, &request)) {
		struct request *r = &p->queue[p->end % QUEUE];
		uint64_t unused;

		if (p->end - p->first == QUEUE) {
			p->dropped++;
			continue;
		}
		p->end++;
		*r = (struct request){ .host = h, .arrived = now + WAY_NS };
		assert_true(tw_time_sync_frame__read(request.frame, request.len, &unused, &r->sync));
	}
}

static void respond(struct request *r, uint64_t now)
{
	const uint64_t arrived = now + WAY_NS, trip = arrived - r->sync.asked;
	uint8_t bytes[TW_TIME_SYNC_ROOM];
	struct host *h = r->host;
	struct tw_received_frame frame = { .data = bytes, .from = &peer };
	struct tw_time_sync_sample sample;
	uint64_t unused;

	r->sync.received = r->arrived;
	r->sync.answered = now;
	r->sync.previous = h->previous;
	r->sync.sent_by = h->previous ? TW_STAMP_SOFTWARE : TW_STAMP_NONE;
	r->sync.sent = h->previous ? now : 0;
	h->previous = r->sync.id;
	frame.len = tw_time_sync_frame__write(bytes, STREAM, &r->sync);
	if (!tw_clock_poller__response(h->poller, &frame, (struct tw_stamped_time){ arrived, TW_STAMP_SOFTWARE },
				       &unused, &sample))
		return; /* too late */
	h->longest_gap = tw_time__later(h->longest_gap, now - h->last);
	h->last = now;
	h->slowest = tw_time__later(h->slowest, trip);
	h->n_slow += trip > 20 * MS;
	h->n++;
}

/* The thread of the responder, with its limit. */
static void answer(struct producer *p, uint64_t now)
{
	while (now >= p->awake && p->first < p->end && p->queue[p->first % QUEUE].arrived <= now) {
		respond(&p->queue[p->first++ % QUEUE], now);
		p->paid = tw_time__later(p->paid, now) + FRAME_NS;
		if (p->paid > now + BURST_NS)
			p->awake = now + FRAME_NS;
	}
}

static void run(struct producer *p, struct host *hosts, size_t n, uint64_t from, uint64_t ns)
{
	for (uint64_t now = from; now < from + ns; now += TICK_NS) {
		for (size_t i = 0; i < n; i++) {
			if ((now + i * 31 * MS) % (SECOND / 2) == 0)
				hear(&hosts[i], now);
			ask(p, &hosts[i], now);
		}
		answer(p, now);
	}
}

/* Checks @n hosts: each gets at least @rate responses a second, with a pause of at most @gap between two, and few wait for long. */
static void check(size_t n, double rate, uint64_t gap)
{
	static struct host hosts[HOSTS_MAX];
	static struct producer producer;
	uint64_t slowest = 0, longest = 0, least = UINT64_MAX, total = 0, slow = 0;
	const double seconds = 20;

	memset(&producer, 0, sizeof(producer));
	memset(hosts, 0, sizeof(hosts));
	for (size_t i = 0; i < n; i++) {
		hosts[i].streams = tw_streams__new(NULL);
		hosts[i].poller = tw_clock_poller__new(hosts[i].streams, i + 1);
		hear(&hosts[i], START);
	}
	run(&producer, hosts, n, START, 10 * SECOND);
	for (size_t i = 0; i < n; i++)
		hosts[i].slowest = hosts[i].longest_gap = hosts[i].n = hosts[i].n_slow = 0;
	producer.dropped = 0;
	run(&producer, hosts, n, START + 10 * SECOND, 20 * SECOND);
	for (size_t i = 0; i < n; i++) {
		slowest = tw_time__later(slowest, hosts[i].slowest);
		longest = tw_time__later(longest, hosts[i].longest_gap);
		least = tw_time__earlier(least, hosts[i].n);
		total += hosts[i].n;
		slow += hosts[i].n_slow;
		tw_clock_poller__free(hosts[i].poller);
		tw_streams__free(hosts[i].streams);
	}
	printf("%2zu hosts: %.0f exchanges/s, at least %.1f each; %.1f %% take longer than 20 ms, the slowest %.0f ms; longest gap %.0f ms; "
	       "%llu dropped\n",
	       n, (double)total / seconds, (double)least / seconds, 100 * (double)slow / (double)total,
	       (double)slowest / 1e6, (double)longest / 1e6, (unsigned long long)producer.dropped);
	assert_true((double)least / seconds >= rate);
	assert_in_range(longest, 0, gap);
	assert_in_range(slow, 0, total / 50);
	assert_int_equal(producer.dropped, 0);
}

static void test_hosts(void **state)
{
	(void)state;
	check(1, 79, 60 * MS);
	check(4, 79, 60 * MS);
	check(6, 60, 100 * MS);
	check(16, 16, SECOND / 2);
	check(64, 2, 3 * SECOND / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_hosts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
