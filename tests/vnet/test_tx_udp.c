/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames over UDP: each frame arrives or is counted as lost, and none is sent in fragments, even if the path MTU becomes smaller. */
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "ends.h"
#include "netns.h"
#include "path.h"
#include "vnet/rx_requests.h"
#include "vnet/rx_udp.h"
#include "vnet/tx_udp.h"
#include "wire/encode.h"
#include "wire/tracewire.h"

#define WINDOW  256 /* frames that may be on their way: they fit in the receiver's buffer */
#define HEADER4 28
#define HEADER6 48

/* The beginning of each frame of these tests. */
struct head {
	uint32_t number;
	uint32_t len;
};

struct udp_transfer {
	uint32_t frames;
	size_t least, most;
	struct tw_receiver *rx;
	struct tw_tx_udp *udp;
	struct tw_sink *sink;
	atomic_uint received;
	atomic_uint next; /* number after that of the last frame that arrived */
	atomic_bool sent; /* all frames were sent */
	unsigned int bad;
	uint64_t padding; /* bytes of padding that were received */
	uint64_t events_sent, events_received;
};

static uint8_t pattern(uint32_t number, size_t at)
{
	return (uint8_t)(number * 31 + at * 7 + (at >> 8));
}

/* Writes a frame as the encoder does, whose copies extend into the slack. */
static void write_frame(uint8_t *slot, uint32_t number, size_t len)
{
	const struct head head = { number, (uint32_t)len };

	memcpy(slot, &head, sizeof(head));
	for (size_t at = sizeof(head); at < len; at++)
		slot[at] = pattern(number, at);
	memset(slot + len, 0xee, TW_COPY_STEP);
}

static bool is_intact(struct udp_transfer *run, const struct tw_received_frame *f)
{
	struct head head;

	if (f->len < sizeof(head))
		return false;
	memcpy(&head, f->data, sizeof(head));
	if (head.number < run->next || head.number >= run->frames || head.len > f->len)
		return false;
	run->next = head.number + 1;
	for (size_t at = sizeof(head); at < head.len; at++)
		if (f->data[at] != pattern(head.number, at))
			return false;
	for (size_t at = head.len; at < f->len; at++)
		if (f->data[at])
			return false;
	run->padding += f->len - head.len;
	run->events_received += frame__events(f->data);
	return true;
}

/* Receives until all frames were sent and no more arrive. */
static void *receive(void *arg)
{
	struct udp_transfer *run = arg;
	struct tw_received_frame f;

	for (;;) {
		const bool last = run->sent;

		if (tw_receiver__next(run->rx, 200, &f) == 1) {
			run->bad += !is_intact(run, &f);
			run->received++;
		} else if (last) {
			return NULL;
		}
	}
}

static void open_rx(struct udp_transfer *run)
{
	const struct tw_rx_udp_options o = { .at = { .port = TW_UDP_PORT } };
	struct tw_error error = { "" };

	if (tw_rx_udp__open(&o, &run->rx, &error) < 0)
		fail_msg("%s", error.text);
}

static void open_tx(struct udp_transfer *run, const char *host, size_t frame_max)
{
	struct tw_udp_address to;
	struct tw_error error = { "" };

	assert_int_equal(tw_udp_address__parse(host, &to, &error), 0);
	if (tw_tx_udp__open(&to, &run->udp, &error) < 0 || tw_tx_udp__sink(run->udp, frame_max, &run->sink, &error) < 0)
		fail_msg("%s", error.text);
}

static void close_all(struct udp_transfer *run)
{
	tw_sink__close(run->sink);
	tw_tx_udp__close(run->udp);
	tw_receiver__close(run->rx);
}

/* Waits until the window has room, but not for long, because lost frames never arrive. */
static void wait_for_receiver(struct udp_transfer *run, uint32_t number)
{
	for (int i = 0; i < 2000 && (int32_t)(number - run->next) >= WINDOW; i++) {
		tw_sink__flush(run->sink);
		usleep(100);
	}
}

static size_t length_of(const struct udp_transfer *run, uint32_t number)
{
	const size_t most = run->most < run->sink->frame_max ? run->most : run->sink->frame_max;

	return run->least + (size_t)number * 7919 % (most - run->least + 1);
}

static void send_frame(struct udp_transfer *run, uint8_t *slot, uint32_t number, size_t len)
{
	assert_int_equal((uintptr_t)slot % 4, 0);
	write_frame(slot, number, len);
	run->events_sent += frame__events(slot);
	tw_sink__commit(run->sink, len);
}

static void send_some(struct udp_transfer *run, uint32_t first, uint32_t end)
{
	for (uint32_t number = first; number < end; number++) {
		uint8_t *slot;

		wait_for_receiver(run, number);
		slot = sink__slot(run->sink);
		send_frame(run, slot, number, length_of(run, number));
	}
	sink__flush_all(run->sink);
}

/* Waits until @n frames have arrived. After half a minute, it gives up, and the caller finds that frames are missing. */
static void await_received(struct udp_transfer *run, uint64_t n)
{
	for (int i = 0; i < NETNS_PATIENCE_MS && run->received < n; i++)
		usleep(1000);
	run->sent = true;
}

/* Checks that all frames arrive, whole and in order. */
static void assert_lossless(struct udp_transfer *run)
{
	struct tw_sink_stats stats;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, receive, run), 0);
	send_some(run, 0, run->frames);
	await_received(run, run->frames);
	pthread_join(thread, NULL);
	tw_sink__stats(run->sink, &stats);
	assert_int_equal(run->bad, 0);
	assert_int_equal(run->received, run->frames);
	assert_int_equal(stats.frames, run->frames);
	assert_int_equal(stats.dropped, 0);
	assert_int_equal(run->padding, run->sink->padding);
	assert_int_equal(snmp("Udp", "RcvbufErrors"), 0);
	assert_no_fragments();
}

static void try_mtu(const char *host, unsigned int mtu, size_t wanted, size_t expected, size_t least)
{
	struct udp_transfer run = { .frames = 3000, .least = least };

	netns__setup(NULL);
	command__run("ip link set lo mtu %u up", mtu);
	open_rx(&run);
	open_tx(&run, host, wanted);
	assert_int_equal(run.sink->frame_max, expected);
	run.most = run.sink->frame_max;
	assert_lossless(&run);
	print_message("%s, MTU %u: %s, frames of %zu to %zu bytes, padding %.1f %%\n", host, mtu, run.sink->how,
		      run.least, run.most,
		      100.0 * (double)run.padding / (run.frames * (double)(run.least + run.most) / 2));
	close_all(&run);
}

static void test_ipv4(void **state)
{
	(void)state;
	try_mtu("127.0.0.1", 576, 0, 576 - HEADER4, 64);
	try_mtu("127.0.0.1", 1500, 0, 1500 - HEADER4, 1300);
	try_mtu("127.0.0.1", 9000, 0, 8188, 64);
	try_mtu("127.0.0.1", 9000, TW_FRAME_MAX, 9000 - HEADER4, 8000);
	try_mtu("127.0.0.1", 65535, 0, 8188, 7900);
	try_mtu("127.0.0.1", 65535, TW_FRAME_MAX, 65504, 64);
	try_mtu("127.0.0.1", 65535, 256, 256, 64);
}

static void test_ipv6(void **state)
{
	(void)state;
	try_mtu("[::1]", 1280, 0, 1280 - HEADER6, 64);
	try_mtu("[::1]", 1500, 0, 1500 - HEADER6, 1300);
	try_mtu("[::1]", 9000, 0, 8188, 64);
	try_mtu("[::1]", 65535, TW_FRAME_MAX, 65484, 64);
	try_mtu("[::ffff:127.0.0.1]", 1500, 0, 1500 - HEADER6, 64);
}

/* If the kernel refuses batches, because it has no checksum offload to segment them, frames are sent one by one. */
static void test_no_batches(void **state)
{
	struct udp_transfer run = { .frames = 3000, .least = 64, .most = 1400 };
	const int one = 1;

	(void)state;
	command__run("ip link set lo up");
	open_rx(&run);
	open_tx(&run, "127.0.0.1", 0);
	assert_return_code(setsockopt(tw_tx_udp__fd(run.udp), SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one)), errno);
	assert_lossless(&run);
	assert_int_equal(run.padding, 0);
	close_all(&run);
}

/*
 * The second link's MTU is lowered in the middle of the transfer. Datagrams that the router refuses are lost, and the router counts them.
 * Frames that are already built and too long are dropped, and the sink counts them. Later frames arrive.
 */
static void try_shrinking(const char *host, unsigned int before, unsigned int after, unsigned int headers,
			  const char *group, const char *refused)
{
	struct udp_transfer run = { .frames = 4000, .least = 64, .most = TW_FRAME_MAX };
	struct tw_sink_stats stats;
	pthread_t thread;
	uint64_t lost;

	netns__setup(NULL);
	path__make(before);
	path__go(PATH_RECEIVER);
	open_rx(&run);
	path__go(PATH_SENDER);
	open_tx(&run, host, 0);
	assert_int_equal(tw_tx_udp__mtu(run.udp), before);
	assert_int_equal(pthread_create(&thread, NULL, receive, &run), 0);
	send_some(&run, 0, run.frames / 2);
	path__shrink(after);
	send_some(&run, run.frames / 2, run.frames);
	tw_sink__stats(run.sink, &stats);
	path__go(PATH_ROUTER);
	for (int i = 0; i < NETNS_PATIENCE_MS && run.received + snmp(group, refused) + stats.dropped < run.frames; i++)
		usleep(1000);
	run.sent = true;
	path__go(PATH_SENDER);
	pthread_join(thread, NULL);
	assert_int_equal(run.sink->frame_max, after - headers);
	assert_int_equal(run.bad, 0);
	assert_int_equal(stats.frames, run.frames);
	assert_no_fragments();
	path__go(PATH_RECEIVER);
	assert_no_fragments();
	path__go(PATH_ROUTER);
	assert_no_fragments();
	lost = snmp(group, refused);
	print_message("%s: %u received, %lu refused by the router, %lu dropped for their length\n", host, run.received,
		      (unsigned long)lost, (unsigned long)stats.dropped);
	assert_true(lost > 0);
	assert_int_equal(run.received + lost + stats.dropped, run.frames);
	path__go(PATH_SENDER);
	close_all(&run);
	path__forget();
}

static void test_path_shrinks(void **state)
{
	(void)state;
	try_shrinking("10.2.0.2", 1500, 1300, HEADER4, "Ip", "FragFails");
	try_shrinking("10.2.0.2", 9000, 1500, HEADER4, "Ip", "FragFails");
	try_shrinking("[fd00:2::2]", 1500, 1300, HEADER6, "Ip6", "FragFails");
}

/* The interface's MTU is lowered: nothing is lost on the path, and the sink counts frames that do not fit. */
static void test_link_shrinks(void **state)
{
	struct udp_transfer run = { .frames = 2000, .least = 64, .most = TW_FRAME_MAX };
	struct tw_sink_stats stats;
	pthread_t thread;

	(void)state;
	path__make(9000);
	path__go(PATH_RECEIVER);
	open_rx(&run);
	path__go(PATH_SENDER);
	open_tx(&run, "10.2.0.2", 0);
	assert_int_equal(pthread_create(&thread, NULL, receive, &run), 0);
	send_some(&run, 0, run.frames / 2);
	for (uint32_t number = run.frames / 2; number < run.frames / 2 + 4; number++) /* two of these are too long */
		send_frame(&run, sink__slot(run.sink), number, number % 2 ? 4000 : 400);
	command__run("ip link set s0 mtu 1500");
	send_some(&run, run.frames / 2 + 4, run.frames);
	tw_sink__stats(run.sink, &stats);
	await_received(&run, run.frames - stats.dropped);
	pthread_join(thread, NULL);
	assert_int_equal(run.sink->frame_max, 1500 - HEADER4);
	assert_true(stats.dropped >= 2);
	assert_int_equal(run.bad, 0);
	assert_int_equal(run.received + stats.dropped, run.frames);
	assert_int_equal(run.events_received + stats.dropped_events, run.events_sent);
	assert_int_equal(stats.dropped_unseen, 0);
	assert_no_fragments();
	close_all(&run);
	path__forget();
}

/* Without a receiver, sending continues, and the sink knows that nobody listens. */
static void test_nobody_listens(void **state)
{
	struct udp_transfer run = { .frames = 500, .least = 64, .most = 1000 };
	struct tw_sink_stats stats;

	(void)state;
	command__run("ip link set lo up");
	open_tx(&run, "127.0.0.1:9", 0);
	run.next = run.frames;
	send_some(&run, 0, run.frames);
	send_some(&run, 0, 1);
	tw_sink__stats(run.sink, &stats);
	assert_int_equal(stats.frames, run.frames + 1);
	assert_int_equal(stats.dropped, 0);
	assert_true(tw_tx_udp__refused(run.udp) > 0);
	assert_true(snmp("Udp", "NoPorts") > 0);
	close_all(&run);
}

/* Without a route to the host, the sink keeps frames until it has no room. When there is a route, all arrive. */
static void test_no_way(void **state)
{
	struct udp_transfer run = { .frames = 1000, .least = 64, .most = 1000 };
	uint32_t n = 0;
	uint8_t *slot;
	pthread_t thread;

	(void)state;
	path__make(1500);
	path__go(PATH_RECEIVER);
	open_rx(&run);
	path__go(PATH_SENDER);
	open_tx(&run, "10.2.0.2", 0);
	command__run("ip link set s0 down");
	while ((slot = tw_sink__reserve(run.sink))) {
		assert_true(n < run.frames);
		write_frame(slot, n++, 100);
		tw_sink__commit(run.sink, 100);
	}
	assert_int_equal(tw_sink__flush(run.sink), -EAGAIN);
	command__run("ip link set s0 up && ip route add default via 10.1.0.2");
	assert_int_equal(pthread_create(&thread, NULL, receive, &run), 0);
	send_some(&run, n, run.frames);
	run.sent = true;
	pthread_join(thread, NULL);
	assert_int_equal(run.bad, 0);
	assert_int_equal(run.received, run.frames);
	close_all(&run);
	path__forget();
}

static in_port_t port_of(int fd)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	assert_return_code(getsockname(fd, (struct sockaddr *)&address, &len), errno);
	return address.sin_port;
}

/* The sender's address changes in the middle of the transfer: later frames come from the new address, with the same port. */
static void test_new_address(void **state)
{
	struct udp_transfer run = { .frames = 1000, .least = 64, .most = 1400 };
	struct tw_sink_stats stats;
	pthread_t thread;
	in_port_t port;

	(void)state;
	path__make(1500);
	path__go(PATH_RECEIVER);
	open_rx(&run);
	path__go(PATH_SENDER);
	open_tx(&run, "10.2.0.2", 0);
	port = port_of(tw_tx_udp__fd(run.udp));
	assert_int_equal(pthread_create(&thread, NULL, receive, &run), 0);
	send_some(&run, 0, run.frames / 2);
	command__run(
		"ip addr del 10.1.0.1/24 dev s0 && ip addr add 10.1.0.7/24 dev s0 && ip route add default via 10.1.0.2");
	send_some(&run, run.frames / 2, run.frames);
	await_received(&run, run.frames);
	pthread_join(thread, NULL);
	tw_sink__stats(run.sink, &stats);
	assert_int_equal(run.bad, 0);
	assert_int_equal(stats.dropped, 0);
	assert_int_equal(run.received, run.frames);
	assert_int_equal(port_of(tw_tx_udp__fd(run.udp)), port);
	close_all(&run);
	path__forget();
}

/*
 * A receiver answers from the address to which the request was sent, even if its host has several, so that the sender's connected socket
 * accepts the answer. The sender can reply to the answer.
 */
static void try_questions(const char *host)
{
	static const uint8_t question[] = "a question", answer[] = "an answer";
	struct udp_transfer run = { .frames = 1, .least = 100, .most = 100 };
	struct tw_receiver *questions;
	struct tw_received_frame f;

	netns__setup(NULL);
	path__make(1500);
	path__go(PATH_RECEIVER);
	open_rx(&run);
	path__go(PATH_SENDER);
	open_tx(&run, host, 0);
	send_some(&run, 0, 1);
	assert_int_equal(tw_receiver__next(run.rx, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(tw_rx_requests__on_udp(run.udp, &questions, NULL), 0);
	ends__answer_stamped(run.rx, f.from, question, sizeof(question));
	assert_int_equal(tw_receiver__next(questions, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(f.len, sizeof(question));
	assert_memory_equal(f.data, question, sizeof(question));
	assert_in_range(f.time, tw_time__now(CLOCK_REALTIME) - TW_NS_PER_SECOND, tw_time__now(CLOCK_REALTIME));
	ends__answer_stamped(questions, f.from, answer, sizeof(answer));
	assert_int_equal(tw_receiver__next(run.rx, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(f.len, sizeof(answer));
	assert_memory_equal(f.data, answer, sizeof(answer));
	assert_int_equal(tw_receiver__next(questions, 20, &f), 0);
	tw_receiver__close(questions);
	close_all(&run);
	path__forget();
}

static void test_questions(void **state)
{
	(void)state;
	try_questions("10.2.0.2");
	try_questions("10.2.0.3");
	try_questions("[fd00:2::3]");
}

/* An ICMP error does not end the wait for requests, and the wait does not become a busy loop. */
static void test_questions_from_nobody(void **state)
{
	struct udp_transfer run = { .frames = 1, .least = 100, .most = 100 };
	struct tw_receiver *questions;
	struct tw_received_frame f;
	uint64_t before;

	(void)state;
	command__run("ip link set lo up");
	open_tx(&run, "127.0.0.1:9", 0);
	assert_int_equal(tw_rx_requests__on_udp(run.udp, &questions, NULL), 0);
	send_some(&run, 0, 1);
	assert_int_equal(tw_receiver__next(questions, 100, &f), 0);
	before = tw_time__now(CLOCK_MONOTONIC);
	assert_int_equal(tw_receiver__next(questions, 100, &f), 0);
	assert_true(tw_time__now(CLOCK_MONOTONIC) - before > 99 * TW_NS_PER_MS);
	assert_int_equal(tw_tx_udp__refused(run.udp), 1);
	tw_receiver__close(questions);
	close_all(&run);
}

static void test_refused(void **state)
{
	struct tw_udp_address to;
	struct tw_error error = { "" };
	struct tw_tx_udp *udp;
	struct tw_sink *sink;

	(void)state;
	assert_int_equal(tw_udp_address__parse("10.1.1.1", &to, &error), 0);
	assert_int_equal(tw_tx_udp__open(&to, &udp, &error), -ENETUNREACH);
	assert_string_equal(error.text,
			    "cannot send to 10.1.1.1: Network is unreachable; `ip route get 10.1.1.1` shows the route");
	assert_int_equal(tw_udp_address__parse("[fe80::1]", &to, &error), 0);
	assert_int_equal(tw_tx_udp__open(&to, &udp, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"cannot send to fe80::1: add the interface that leads to this address, as in [fe80::1%eth0]");
	assert_int_equal(tw_udp_address__parse("no-such-host.invalid", &to, &error), 0);
	assert_int_equal(tw_tx_udp__open(&to, &udp, &error), -EHOSTUNREACH);
	assert_int_equal(strncmp(error.text, "cannot look up host no-such-host.invalid: ", 42), 0);
	assert_int_equal(tw_udp_address__parse("18101", &to, &error), 0);
	assert_int_equal(tw_tx_udp__open(&to, &udp, &error), -EINVAL);
	command__run("ip link set lo mtu 100 up");
	assert_int_equal(tw_udp_address__parse("127.0.0.1", &to, &error), 0);
	assert_int_equal(tw_tx_udp__open(&to, &udp, &error), 0);
	assert_int_equal(tw_tx_udp__sink(udp, 0, &sink, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"cannot send to 127.0.0.1:18101: the path MTU leaves 72 bytes for a frame, below the minimum "
		"frame size of 128 bytes");
	tw_tx_udp__close(udp);
	tw_tx_udp__close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ipv4, netns__setup),
		cmocka_unit_test_setup(test_ipv6, netns__setup),
		cmocka_unit_test_setup(test_no_batches, netns__setup),
		cmocka_unit_test_setup(test_path_shrinks, netns__setup),
		cmocka_unit_test_setup(test_link_shrinks, netns__setup),
		cmocka_unit_test_setup(test_nobody_listens, netns__setup),
		cmocka_unit_test_setup(test_no_way, netns__setup),
		cmocka_unit_test_setup(test_new_address, netns__setup),
		cmocka_unit_test_setup(test_questions, netns__setup),
		cmocka_unit_test_setup(test_questions_from_nobody, netns__setup),
		cmocka_unit_test_setup(test_refused, netns__setup),
	};
	const int skip = netns__main_guard();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
