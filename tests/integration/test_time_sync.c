/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture host requests a producer's clock over an interface. The error bounds hold for each trace clock. A receiver that requests
 * metadata gets it. Requests that are too many or invalid get no response, and do not slow down the readers. Both hosts are this machine,
 * so the true distance of their clocks is known: CLOCK samples relate the stream's clock to CLOCK_REALTIME, the capture host's clock.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/capture_clock.h"
#include "clocks/clock_poller.h"
#include "clocks/stream_clock.h"
#include "clocks/time_sync_responder.h"
#include "tests/producer/run.h"
#include "tests/vnet/netns.h"
#include "vnet/rx_packet.h"
#include "vnet/rx_requests.h"
#include "vnet/tx.h"

#define MS TW_NS_PER_MS
#define AWAIT_NS \
	(10 * TW_NS_PER_SECOND) /* longest wait for a frame or a response, because a busy machine may be slow */
#define BOUND_MAX (20 * MS)     /* largest error bound, once the clock is known, ns */
#define ASKED \
	2 /* value of @asked in requests that the tests send themselves; the poller's requests have the real time */

/* State of the capture host. */
struct host {
	struct run run;
	struct tw_receiver *rx;
	struct tw_streams *streams;
	struct tw_clock_poller *poller;
	struct tw_capture_clock clock;
	struct tw_stream_clock stream;
	struct tw_clock_view samples[16];
	size_t n_samples;
	uint64_t stream_id;
	struct tw_peer peer;  /* address of the stream's sender */
	unsigned int stamped; /* number of exchanges all of whose times are software stamps */
	unsigned int ends;    /* number of ENDs received */
	unsigned int hosts;   /* number of HOSTs received */
	unsigned int
		texts; /* number of SCHEMAs and PARTs received; a SCHEMA that does not fit in a frame is sent as PARTs */
	unsigned int from_clock; /* number of events of the responder thread */
	unsigned int from_us;    /* number of events of this thread */
	uint32_t clock_tid;
	bool silent; /* the poller sends no requests: only the test does */
};

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	const struct tw_tx_options options = { .ifname = "tw0-tx", .transport = TW_TRANSPORT_PACKET };

	(void)ctx;
	(void)thread;
	return tw_tx__open(&options, ret, err);
}

static int open_questions(void *ctx, struct tw_receiver **ret, struct tw_error *err)
{
	(void)ctx;
	return tw_rx_requests__on_link("tw0-tx", ret, err);
}

/* Return: tid of the responder thread in this process. */
static uint32_t find_clock_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	uint32_t found = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		char path[300];
		char *name;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		name = read_file(path);
		if (name && !strcmp(name, "tracewire-clock\n"))
			found = (uint32_t)atoi(entry->d_name);
		free(name);
	}
	closedir(dir);
	return found;
}

static _Atomic unsigned int refused_why;

static void hear_refused(void *ctx, uint16_t why)
{
	(void)ctx;
	refused_why = why;
}

static void host__open_with(struct host *h, const char *clock, const char *events, const char *filter,
			    unsigned int repeat_ms)
{
	const struct tw_rx_packet_options options = { .ifname = "tw0" };
	struct tw_error err = { "" };

	*h = (struct host){ 0 };
	netns__veth(0, 0);
	if (tw_rx_packet__open(&options, &h->rx, &err))
		fail_msg("%s", err.text);
	tw_capture_clock__begin(&h->clock);
	h->streams = tw_streams__new(NULL);
	h->poller = tw_clock_poller__new(h->streams, 1);
	tw_stream_clock__init(&h->stream, TW_ALIGN_NONE, false);
	run__init(&h->run, events, filter);
	h->run.options.open_sink = open_sink;
	h->run.options.open_questions = open_questions;
	h->run.options.refused = hear_refused;
	h->run.options.clock = clock;
	h->run.options.repeat_ms = repeat_ms;
	h->run.options.threads = 1;
	run__start(&h->run);
	h->clock_tid = find_clock_thread();
	assert_true(h->clock_tid);
}

static void host__open(struct host *h, const char *clock, const char *events)
{
	host__open_with(h, clock, events, NULL, 100);
}

static void take_sample(struct host *h, const struct tw_tlv_view *tlv)
{
	struct tw_clock_view sample;

	assert_true(tw_clock__parse(tlv, &sample));
	tw_stream_clock__sample(&h->stream, &sample);
	if (h->n_samples < sizeof(h->samples) / sizeof(h->samples[0]))
		h->samples[h->n_samples++] = sample;
}

static void take_event(struct host *h, const struct tw_tlv_view *tlv)
{
	struct tw_event_view event;

	assert_true(tw_event__parse(tlv, 0, &event));
	h->from_clock += event.pid == h->clock_tid;
	h->from_us += event.pid == (uint32_t)getpid();
}

static void take_stamps(struct host *h)
{
	struct tw_sent_stamp stamp;

	while (tw_receiver__sent(h->rx, &stamp)) {
		const uint64_t asked = tw_clock_poller__asked(h->poller, stamp.cookie);

		if (asked)
			tw_clock_poller__sent(h->poller, stamp.cookie,
					      tw_capture_clock__sent(&h->clock, NULL, &stamp, asked));
	}
}

static void take_frame(struct host *h, const struct tw_received_frame *frame)
{
	const struct tw_stamped_time arrived = tw_capture_clock__arrived(&h->clock, NULL, frame);
	struct tw_time_sync_sample exchange;
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_tlv_view tlv;
	struct tw_stream *known;
	struct tw_cursor tlvs;
	uint64_t stream;

	if (tw_clock_poller__is_response(frame)) {
		take_stamps(h);
		if (!tw_clock_poller__response(h->poller, frame, arrived, &stream, &exchange))
			return;
		if (tw_clock_poller__better(h->poller, &exchange))
			h->stamped += !memcmp(&exchange.by, "\2\2\2\2", sizeof(exchange.by));
		assert_true(tw_stream_clock__exchange(&h->stream, &exchange));
		return;
	}
	assert_int_equal(tw_frame__parse(frame->data, frame->len, &info, &tlvs), TW_FRAME_OK);
	h->stream_id = info.stream_id;
	assert_int_equal(tw_streams__live(h->streams, info.stream_id, arrived.time, &known), 0);
	tw_clock_poller__saw(h->poller, frame, arrived.time);
	h->peer = *frame->from;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_CLOCK)
			take_sample(h, &tlv);
		if (tlv.type == TW_TLV_EVENT)
			take_event(h, &tlv);
		h->ends += tlv.type == TW_TLV_END;
		h->hosts += tlv.type == TW_TLV_HOST;
		h->texts += tlv.type == TW_TLV_SCHEMA || tlv.type == TW_TLV_PART;
	}
}

static void host__run(struct host *h, uint64_t ns)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC) + ns;
	struct tw_time_sync_request question;
	struct tw_received_frame frame;

	while (tw_time__now(CLOCK_MONOTONIC) < end) {
		while (!h->silent && tw_clock_poller__next(h->poller, tw_capture_clock__now(&h->clock), &question))
			tw_receiver__answer(h->rx, question.to, question.frame, question.len, question.cookie);
		if (tw_receiver__next(h->rx, 1, &frame) == 1)
			take_frame(h, &frame);
	}
}

/* Wait until the counter @what is at least @n, for up to AWAIT_NS; then it must be @n. */
static void host__await(struct host *h, const unsigned int *what, unsigned int n)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC) + AWAIT_NS;

	while (*what < n && tw_time__now(CLOCK_MONOTONIC) < end)
		host__run(h, 2 * MS);
	assert_int_equal(*what, n);
}

/* Wait until the first frame of the stream has arrived, and 100 ms longer. */
static void host__await_stream(struct host *h)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC) + AWAIT_NS;

	while (!h->stream_id && tw_time__now(CLOCK_MONOTONIC) < end)
		host__run(h, 2 * MS);
	assert_true(h->stream_id);
	host__run(h, 100 * MS);
}

/* Wait until all metadata has arrived: until no text has arrived for 600 ms. Return: number of texts */
static unsigned int host__await_texts(struct host *h)
{
	unsigned int texts;

	host__await(h, &h->hosts, 1);
	do {
		texts = h->texts;
		host__run(h, 600 * MS);
	} while (!texts || h->texts != texts);
	return texts;
}

/*
 * Wait until the poller has sent at least nine requests, of which at most two have no response yet, until five CLOCKs and a sample with
 * software stamps only have arrived, and until the distance is known within BOUND_MAX. This takes longer if the machine is busy.
 */
static void host__await_clock(struct host *h, struct tw_clock_poller_stats *ret_stats,
			      struct tw_stream_clock_summary *ret_summary)
{
	const uint64_t end = tw_time__now(CLOCK_MONOTONIC) + AWAIT_NS;

	do {
		host__run(h, 20 * MS);
		tw_clock_poller__stats(h->poller, ret_stats);
		tw_stream_clock__summary(&h->stream, ret_summary);
	} while ((ret_stats->asked < 9 || ret_stats->answered + 2 < ret_stats->asked || h->n_samples < 5 ||
		  !h->stamped || !ret_summary->ahead_known || ret_summary->ahead_most > BOUND_MAX) &&
		 tw_time__now(CLOCK_MONOTONIC) < end);
}

static void *stop(void *run)
{
	run__stop(run);
	return NULL;
}

/* Stop the stream, and receive frames until it has stopped, because otherwise the receiver's ring could be full when END arrives. */
static void host__stop(struct host *h)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, stop, &h->run), 0);
	while (pthread_tryjoin_np(thread, NULL))
		host__run(h, 2 * MS);
}

static void host__close(struct host *h)
{
	host__stop(h);
	assert_int_equal(h->run.result, 0);
	assert_true(h->run.counters.balanced);
	host__await(h, &h->ends, 5);
	run__fini(&h->run);
	tw_receiver__close(h->rx);
	tw_clock_poller__free(h->poller);
	tw_streams__free(h->streams);
}

/* Check that the bounds calculated from the exchanges agree with the true distances in the CLOCK samples. */
static void check_bounds(const struct host *h)
{
	for (size_t i = 0; i < h->n_samples; i++) {
		const struct tw_clock_view *s = &h->samples[i];
		const int64_t truth = (int64_t)(s->reading[TW_CLOCK_TRACE] - s->reading[TW_CLOCK_REAL]);
		const struct tw_bounds said = tw_distance__at(&h->stream.distance, s->reading[TW_CLOCK_TRACE]);
		const struct tw_bounds true_bounds = { truth - s->error_ns - 1000, truth + s->error_ns + 1000 };
		const struct tw_bounds both = tw_bounds__meet(said, true_bounds);

		if (both.low > both.high)
			fail_msg("the distance is %lld +- %u ns, and said to be from %lld to %lld", (long long)truth,
				 s->error_ns, (long long)said.low, (long long)said.high);
	}
}

static void test_every_clock(void **state)
{
	static const char *const clocks[] = { "mono", "boot", "tai", "mono_raw", "local", "global" };

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct tw_stream_clock_summary summary;
		struct tw_clock_poller_stats asked;
		uint64_t begun, ns;
		struct host h;

		assert_int_equal(netns__setup(NULL), 0);
		host__open(&h, clocks[i], "sched:sched_process_hang");
		begun = tw_time__now(CLOCK_MONOTONIC);
		host__run(&h, 1200 * MS);
		host__await_clock(&h, &asked, &summary);
		ns = tw_time__now(CLOCK_MONOTONIC) - begun;
		printf("%s: %llu of %llu answered, bound %.1f us, drift %d +- %d ns/s\n", clocks[i],
		       (unsigned long long)asked.answered, (unsigned long long)asked.asked,
		       (double)summary.ahead_most / 1e3, summary.drift, summary.drift_most);
		assert_in_range(asked.asked, 9, 10 + 4 * 20 * ns / TW_NS_PER_SECOND);
		assert_true(asked.answered + 2 >= asked.asked);
		assert_int_equal(asked.strange + summary.refused + summary.restarts, 0);
		assert_true(h.n_samples >= 5 && summary.ahead_known);
		assert_true(h.stamped > 0);
		check_bounds(&h);
		assert_in_range(summary.ahead_most, 1, BOUND_MAX);
		assert_in_range(summary.ahead + (int64_t)summary.ahead_most, 0, 2 * summary.ahead_most);
		host__close(&h);
	}
}

/*
 * Both the responder thread and this thread, which sends the requests, call sendmsg(). The trace has the calls of this thread, but not
 * those of the responder thread. The filter passes only sendmsg(), because the test could not read all system calls of a busy machine.
 */
static void test_left_out(void **state)
{
	struct tw_clock_poller_stats asked;
	char filter[32];
	struct host h;
	uint64_t end;

	(void)state;
	snprintf(filter, sizeof(filter), "id == %d", SYS_sendmsg);
	host__open_with(&h, "mono", "raw_syscalls:sys_enter", filter, 100);
	end = tw_time__now(CLOCK_MONOTONIC) + AWAIT_NS;
	do {
		host__run(&h, 300 * MS);
		tw_clock_poller__stats(h.poller, &asked);
	} while ((!asked.answered || !h.from_us) && tw_time__now(CLOCK_MONOTONIC) < end);
	assert_true(asked.answered > 0);
	assert_int_equal(h.from_clock, 0);
	assert_true(h.from_us > 0);
	host__close(&h);
}

/* Return: whether this is a response to a request of the test itself; it may also be a late response to the poller. */
static bool is_answer_to_us(const struct tw_received_frame *frame)
{
	struct tw_time_sync_view exchange;
	uint64_t stream;

	return tw_clock_poller__is_response(frame) &&
	       tw_time_sync_frame__read(frame->data, frame->len, &stream, &exchange) && exchange.asked == ASKED;
}

/*
 * Send @frame @times times. Return: number of responses until 200 ms later, or within AWAIT_NS until there are @least responses. Received
 * frames are taken meanwhile, too: on a busy machine, events would fill the receiver's ring, and responses would be dropped.
 */
static unsigned int count_answers(struct host *h, const uint8_t *frame, size_t len, unsigned int times,
				  unsigned int least)
{
	struct tw_received_frame got;
	uint64_t begun, end, late;
	unsigned int n = 0;

	for (unsigned int i = 0; i < times; i++) {
		assert_in_range(-tw_receiver__answer(h->rx, &h->peer, frame, len, 0), 0, EAGAIN);
		for (unsigned int k = 0; k < 100 && tw_receiver__next(h->rx, 0, &got) == 1; k++)
			n += is_answer_to_us(&got);
	}
	begun = tw_time__now(CLOCK_MONOTONIC);
	end = begun + 200 * MS;
	late = begun + AWAIT_NS;
	while (tw_time__now(CLOCK_MONOTONIC) < (n < least ? late : end))
		if (tw_receiver__next(h->rx, 1, &got) == 1)
			n += is_answer_to_us(&got);
	return n;
}

static void test_nonsense(void **state)
{
	static const struct tw_time_sync_view question = { .id = 1, .asked = ASKED };
	static const struct tw_time_sync_view answered = { .id = 1, .asked = ASKED, .received = 3, .answered = 4 };
	uint8_t frame[TW_TIME_SYNC_ROOM];
	struct host h;
	size_t len;

	(void)state;
	host__open(&h, "mono", "sched:sched_process_hang");
	host__await_stream(&h);
	len = tw_time_sync_frame__write(frame, h.stream_id, &question);
	assert_int_equal(count_answers(&h, frame, len, 3, 3), 3);
	assert_int_equal(count_answers(&h, frame, len - 4, 3, 0),
			 0); /* truncated by 4 bytes, so that it is shorter than the length in its header */
	frame[offsetof(struct tw_frame_hdr, version)] = 2;
	assert_int_equal(count_answers(&h, frame, len, 3, 0), 0);
	len = tw_time_sync_frame__write(frame, h.stream_id + 1, &question);
	assert_int_equal(count_answers(&h, frame, len, 3, 0), 0);
	len = tw_time_sync_frame__write(
		frame, h.stream_id,
		&answered); /* a response; if it were answered, two responders could answer each other for ever */
	assert_int_equal(count_answers(&h, frame, len, 3, 0), 0);
	host__close(&h);
}

static void test_flood(void **state)
{
	static const struct tw_time_sync_view question = { .id = 1, .asked = ASKED };
	uint8_t frame[TW_TIME_SYNC_ROOM];
	unsigned int n = 0, asked;
	uint64_t begun, ns;
	struct host h;
	size_t len;

	(void)state;
	host__open(&h, "mono", "sched:sched_switch");
	host__await_stream(&h);
	len = tw_time_sync_frame__write(frame, h.stream_id, &question);
	begun = tw_time__now(CLOCK_MONOTONIC);
	for (asked = 0; asked < 25000 || (n < 50 && tw_time__now(CLOCK_MONOTONIC) - begun < AWAIT_NS); asked += 5000)
		n += count_answers(&h, frame, len, 5000, 0);
	ns = tw_time__now(CLOCK_MONOTONIC) - begun;
	printf("%u questions in %.1f s: %u answers\n", asked, (double)ns / 1e9, n);
	assert_in_range(n, 50, 60 + TW_TIME_SYNC_RESPONSES_PER_SECOND * ns / TW_NS_PER_SECOND);
	host__close(&h); /* asserts that the counters balance */
}

/* Send the request @times times, one every @every_ms ms. */
static void ask_for(struct host *h, const uint8_t *frame, size_t len, unsigned int times, unsigned int every_ms)
{
	for (unsigned int i = 0; i < times; i++) {
		assert_in_range(-tw_receiver__answer(h->rx, &h->peer, frame, len, 0), 0, EAGAIN);
		host__run(h, every_ms * MS);
	}
}

/* Without requests, the stream does not repeat its metadata within the test. A receiver that requests metadata gets it immediately. */
static void test_wants(void **state)
{
	static const struct tw_time_sync_view question = { .id = 1, .asked = ASKED };
	uint8_t frame[TW_TIME_SYNC_ROOM];
	unsigned int all;
	struct host h;
	size_t len;

	(void)state;
	host__open_with(&h, "mono", "sched:sched_process_hang", NULL, 60000);
	h.silent = true; /* the poller requests metadata if formats arrive late */
	all = host__await_texts(&h);
	assert_int_equal(h.hosts, 1);
	len = tw_time_sync_frame__request(frame, h.stream_id, &question, 77);
	ask_for(&h, frame, len, 1, 100);
	assert_int_equal(h.hosts, 1);
	len = tw_time_sync_frame__request(frame, h.stream_id, &question, TW_METADATA_REQUEST_CLOCK);
	ask_for(&h, frame, len, 1, 0);
	host__await(&h, &h.hosts, 2);
	len = tw_time_sync_frame__request(frame, h.stream_id, &question, TW_METADATA_REQUEST_ALL);
	ask_for(&h, frame, len, 1, 0);
	host__await(&h, &h.texts, 2 * all);
	assert_int_equal(h.hosts, 3);
	host__close(&h);
}

/* The producer takes the reason from a request with a REFUSED if the request has its stream's id, and ignores it otherwise. */
static void test_refused(void **state)
{
	static const struct tw_time_sync_view question = { .id = 1, .asked = ASKED };
	uint8_t frame[TW_TIME_SYNC_ROOM];
	struct host h;
	size_t len;

	(void)state;
	refused_why = 0;
	host__open_with(&h, "mono", "sched:sched_process_hang", NULL, 60000);
	host__await_texts(&h);
	len = tw_time_sync_frame__refuse(frame, h.stream_id + 1, &question, TW_REFUSED_RATE);
	ask_for(&h, frame, len, 1, 0);
	len = tw_time_sync_frame__refuse(frame, h.stream_id, &question, TW_REFUSED_SOURCE);
	ask_for(&h, frame, len, 1, 0);
	for (int ms = 0; ms < 10000 && !refused_why; ms++)
		host__run(&h, MS);
	assert_int_equal(refused_why, TW_REFUSED_SOURCE);
	host__close(&h);
}

/* Endless requests get metadata at a limited rate, however often the reader thread wakes; here, events wake it all the time. */
static void test_wants_flood(void **state)
{
	static const struct tw_time_sync_view question = { .id = 1, .asked = ASKED };
	static const char *const clocks[] = { "mono", "global" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		unsigned int all, clocks_said, texts_said, wishes;
		uint8_t frame[TW_TIME_SYNC_ROOM];
		uint64_t begun, ns;
		struct host h;
		size_t len;

		assert_int_equal(netns__setup(NULL), 0);
		host__open_with(&h, clocks[i], "sched:sched_switch", NULL, 60000);
		h.silent = true; /* the poller's first requests would also get metadata */
		all = host__await_texts(&h);
		clocks_said = h.hosts;
		len = tw_time_sync_frame__request(frame, h.stream_id, &question, TW_METADATA_REQUEST_ALL);
		begun = tw_time__now(CLOCK_MONOTONIC);
		for (wishes = 0; wishes < 1500 || ((h.hosts - clocks_said < 15 || h.texts < 2 * all) &&
						   tw_time__now(CLOCK_MONOTONIC) - begun < AWAIT_NS);
		     wishes += 100)
			ask_for(&h, frame, len, 100, 1);
		host__run(&h, 50 * MS);
		ns = tw_time__now(CLOCK_MONOTONIC) - begun;
		texts_said = h.texts - all;
		clocks_said = h.hosts - clocks_said;
		printf("%s: %u wishes in %.1f s: HOST was said %u times, %u texts of %u\n", clocks[i], wishes,
		       (double)ns / 1e9, clocks_said, texts_said, all);
		assert_in_range(clocks_said, 15, 8 + ns / (50 * MS) + 2 + ns / (500 * MS) + 2);
		assert_in_range(texts_said, all, all * (2 + ns / (500 * MS) + 1));
		host__close(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_every_clock, netns__setup),
		cmocka_unit_test_setup(test_left_out, netns__setup),
		cmocka_unit_test_setup(test_nonsense, netns__setup),
		cmocka_unit_test_setup(test_flood, netns__setup),
		cmocka_unit_test_setup(test_wants, netns__setup),
		cmocka_unit_test_setup(test_refused, netns__setup),
		cmocka_unit_test_setup(test_wants_flood, netns__setup),
	};
	const int cannot = need_tracing();

	if (cannot)
		return cannot;
	return netns__main_guard() ?: cmocka_run_group_tests(tests, NULL, NULL);
}
