/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rate limit of a run, with real sinks: the bytes that the interface counts stay within the rate, and waiting frames are not lost. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "netns.h"
#include "path.h"
#include "vnet/limit.h"
#include "vnet/tx.h"
#include "vnet/tx_udp.h"

#define SENDERS    2
#define WINDOW_US  200000 /* much longer than the limit's burst, which may be sent in addition */
#define LONGEST_NS (60 * TW_NS_PER_SECOND)

struct sender {
	struct tw_sink *sink;
	size_t least, most; /* lengths of frames */
	const atomic_bool *ending;
	struct tw_sink_stats stats;
};

/* Sends as much as possible, in bursts, as a reader thread does. */
static void *send_until_end(void *arg)
{
	struct sender *s = arg;
	uint32_t n = 0;

	while (!*s->ending) {
		uint8_t *slot = tw_sink__reserve(s->sink);
		const size_t len = s->least + n * 7919u % (s->most - s->least + 1);

		if (!slot) {
			tw_sink__flush(s->sink);
			usleep(200);
			continue;
		}
		memset(slot, 1, len);
		tw_sink__commit(s->sink, len);
		n++;
	}
	while (tw_sink__flush(s->sink) == -EAGAIN)
		usleep(100);
	tw_sink__stats(s->sink, &s->stats);
	return NULL;
}

/* Return: bits per second that the interface has counted since then */
static double rate_since(const char *ifname, uint64_t begin, uint64_t before)
{
	const uint64_t bytes = link__counters(ifname).tx_bytes - before;

	return (double)bytes * 8 * TW_NS_PER_SECOND / (double)(tw_time__now(CLOCK_MONOTONIC) - begin);
}

/* Return: the highest rate of consecutive windows; ends after a second or later, when a window has had 0.9 of @rate */
static double best_window(const char *ifname, uint64_t rate)
{
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC);
	uint64_t now = begin;
	double best = 0;

	while (now - begin < TW_NS_PER_SECOND || (best <= 0.9 * (double)rate && now - begin < LONGEST_NS)) {
		const uint64_t before = link__counters(ifname).tx_bytes;
		double got;

		usleep(WINDOW_US);
		got = rate_since(ifname, now, before);
		best = got > best ? got : best;
		now = tw_time__now(CLOCK_MONOTONIC);
	}
	return best;
}

/* The total must be within the rate. One window with the full rate is enough, because a busy machine interrupts the sending often. */
static void assert_rate(const char *what, uint64_t rate, const char *ifname, struct sender *senders)
{
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC), before = link__counters(ifname).tx_bytes;
	pthread_t threads[SENDERS];
	atomic_bool ending = false;
	double best, all;

	for (int i = 0; i < SENDERS; i++) {
		senders[i].ending = &ending;
		assert_int_equal(pthread_create(&threads[i], NULL, send_until_end, &senders[i]), 0);
	}
	best = best_window(ifname, rate);
	ending = true;
	for (int i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	all = rate_since(ifname, begin, before);
	print_message("%s: %.2f of %.2f Mbit/s, and %.2f in the best window\n", what, all / 1e6, (double)rate / 1e6,
		      best / 1e6);
	assert_true(all < 1.03 * (double)rate);
	assert_true(best > 0.9 * (double)rate);
	for (int i = 0; i < SENDERS; i++) {
		assert_true(senders[i].stats.waits > 0);
		assert_int_equal(senders[i].stats.dropped, 0);
		tw_sink__close(senders[i].sink);
	}
}

/* Sends to a host that does not exist, through a gateway: only bytes that leave the interface count. */
static void try_udp(uint64_t rate, size_t least, size_t most)
{
	struct sender senders[SENDERS] = { { .least = least, .most = most }, { .least = least, .most = most } };
	struct tw_limit *limit = tw_limit__new(rate);
	struct tw_udp_address to;
	struct tw_tx_udp *udp;
	char what[80];

	netns__setup(NULL);
	path__make(1500);
	assert_int_equal(tw_udp_address__parse("10.2.0.2", &to, NULL), 0);
	assert_int_equal(tw_tx_udp__open(&to, &udp, NULL), 0);
	for (int i = 0; i < SENDERS; i++) {
		struct tw_sink *inner;

		assert_int_equal(tw_tx_udp__sink(udp, 0, &inner, NULL), 0);
		assert_int_equal(tw_limit__sink(limit, inner, &senders[i].sink, NULL), 0);
	}
	snprintf(what, sizeof(what), "UDP, frames of %zu to %zu bytes", least, most);
	assert_rate(what, rate, "s0", senders);
	tw_tx_udp__close(udp);
	tw_limit__free(limit);
	path__forget();
}

static void test_udp(void **state)
{
	(void)state;
	try_udp(2000000, 1000, 1400);
	try_udp(50000000, 1300, 1472);
	try_udp(50000000, 64, 300); /* mostly headers and padding */
}

static void test_wire(void **state)
{
	const uint64_t rate = 100000000;
	struct sender senders[SENDERS] = { { .least = 64, .most = 9000 }, { .least = 64, .most = 9000 } };
	struct tw_limit *limit = tw_limit__new(rate);

	(void)state;
	netns__veth(0, SENDERS);
	for (unsigned int i = 0; i < SENDERS; i++) {
		const struct tw_tx_options o = { .ifname = "tw0-tx", .queue = i, .frame_max = 9000 };
		struct tw_sink *inner;

		assert_int_equal(tw_tx__open(&o, &inner, NULL), 0);
		assert_int_equal(tw_limit__sink(limit, inner, &senders[i].sink, NULL), 0);
		assert_int_equal(senders[i].sink->frame_max, inner->frame_max);
		assert_string_equal(senders[i].sink->how, inner->how);
	}
	assert_rate("wire", rate, "tw0-tx", senders);
	tw_limit__free(limit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_udp, netns__setup),
		cmocka_unit_test_setup(test_wire, netns__setup),
	};
	const int skip = netns__main_guard();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
