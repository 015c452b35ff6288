/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The UDP receiver: it gets all datagrams, ends its wait in time, and reports each loss with the first frame after it. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "ends.h"
#include "netns.h"
#include "path.h"
#include "simulated_card.h"
#include "vnet/rx_udp.h"
#include "wire/tracewire.h"

static struct tw_receiver *open_rx(const char *at, size_t buffer)
{
	struct tw_rx_udp_options o = { .buffer = buffer };
	struct tw_error error = { "" };
	struct tw_receiver *rx = NULL;

	assert_int_equal(tw_udp_address__parse(at, &o.at, &error), 0);
	if (tw_rx_udp__open(&o, &rx, &error) < 0)
		fail_msg("%s", error.text);
	return rx;
}

static int open_sender(const char *host)
{
	struct addrinfo *addresses;
	struct tw_udp_address to;
	int fd;

	assert_int_equal(tw_udp_address__parse(host, &to, NULL), 0);
	assert_int_equal(tw_udp_address__resolve(&to, 0, &addresses, NULL), 0);
	fd = socket(addresses->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_return_code(fd, errno);
	assert_return_code(connect(fd, addresses->ai_addr, addresses->ai_addrlen), errno);
	freeaddrinfo(addresses);
	return fd;
}

static void send_frame(int fd, uint8_t fill, size_t len)
{
	uint8_t frame[8192];

	memset(frame, fill, len);
	assert_int_equal(send(fd, frame, len, 0), len);
}

static void assert_next(struct tw_receiver *rx, uint8_t fill, size_t len, struct tw_received_frame *ret)
{
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, ret), 1);
	assert_int_equal(ret->len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(ret->data[i], fill);
	assert_true(ret->time / TW_NS_PER_SECOND >= (uint64_t)time(NULL) - 10);
}

/* Datagrams from IPv4 and IPv6 arrive in order, including datagrams without a frame. A sender is identified by its address. */
static void test_all(void **state)
{
	struct tw_peer first, second;
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int v4, v6;

	(void)state;
	command__run("ip link set lo up");
	rx = open_rx("18101", 0);
	v4 = open_sender("127.0.0.1");
	v6 = open_sender("[::1]");
	send_frame(v4, 1, 100);
	send_frame(v6, 2, 8000);
	send_frame(v4, 3, 0);
	send_frame(v4, 4, 1);
	assert_next(rx, 1, 100, &f);
	first = *f.from;
	assert_next(rx, 2, 8000, &f);
	second = *f.from;
	assert_memory_not_equal(&first, &second, sizeof(first));
	assert_next(rx, 3, 0, &f);
	assert_memory_equal(&first, f.from, sizeof(first));
	assert_next(rx, 4, 1, &f);
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.frames, 4);
	assert_int_equal(stats.dropped, 0);
	close(v4);
	close(v6);
	tw_receiver__close(rx);
}

static void test_in_time(void **state)
{
	struct tw_receiver *rx;

	(void)state;
	command__run("ip link set lo up");
	rx = open_rx("127.0.0.1:5", 0);
	rx__assert_in_time(rx);
	tw_receiver__close(rx);
}

/* GRO batches are split into pieces of one size, of which the last may be shorter. Single datagrams may follow. */
static void test_bundles(void **state)
{
	const int segment = 1000;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int fd;

	(void)state;
	command__run("ip link set lo up");
	rx = open_rx("[::1]", 0);
	fd = open_sender("[::1]");
	assert_return_code(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)), errno);
	send_frame(fd, 1, 4300);
	send_frame(fd, 2, 3000);
	send_frame(fd, 3, 7);
	for (int i = 0; i < 4; i++)
		assert_next(rx, 1, 1000, &f);
	assert_next(rx, 1, 300, &f);
	for (int i = 0; i < 3; i++)
		assert_next(rx, 2, 1000, &f);
	assert_next(rx, 3, 7, &f);
	assert_int_equal(tw_receiver__next(rx, 0, &f), 0);
	close(fd);
	tw_receiver__close(rx);
}

/* The stamp of the card is that of the first frame of a batch. */
static void test_card_stamps(void **state)
{
	const uint64_t before = simulated_card__time(tw_time__now(CLOCK_BOOTTIME));
	const int segment = 1000;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int fd;

	(void)state;
	atomic_store(&simulated_card, true);
	command__run("ip link set lo up");
	rx = open_rx("[::1]", 0);
	fd = open_sender("[::1]");
	send_frame(fd, 1, 7);
	assert_return_code(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)), errno);
	send_frame(fd, 2, 2000);
	for (int i = 1; i < 3; i++) {
		assert_next(rx, (uint8_t)i, i == 1 ? 7 : 1000, &f);
		assert_int_equal(f.card.interface, SIMULATED_CARD_INTERFACE);
		assert_in_range(f.card.time, before, simulated_card__time(tw_time__now(CLOCK_BOOTTIME)));
	}
	assert_next(rx, 2, 1000, &f);
	assert_int_equal(f.card.time, 0);
	atomic_store(&simulated_card, false);
	send_frame(fd, 3, 7);
	assert_next(rx, 3, 7, &f);
	assert_int_equal(f.card.time, 0);
	close(fd);
	tw_receiver__close(rx);
}

/* If the caller requests it, it gets batches as a whole. A single datagram is a batch, too. */
static void test_taken(void **state)
{
	static uint8_t places[4][65536];
	struct tw_received_batch bundles[4];
	const int segment = 1000;
	struct tw_received_frame f = { .len = 0 };
	struct tw_receiver *rx;
	int fd;

	(void)state;
	for (int i = 0; i < 4; i++)
		bundles[i].to = places[i];
	command__run("ip link set lo up");
	rx = open_rx("[::1]", 0);
	assert_true(rx->batch_max <= sizeof(places[0]));
	assert_int_equal(tw_receiver__take(rx, 20, bundles, 4), 0);
	fd = open_sender("[::1]");
	assert_return_code(setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)), errno);
	send_frame(fd, 1, 4300);
	send_frame(fd, 2, 0);
	send_frame(fd, 3, 7);
	assert_int_equal(tw_receiver__take(rx, NETNS_PATIENCE_MS, bundles, 1), 1);
	assert_int_equal(bundles[0].len, 4300);
	assert_int_equal(bundles[0].segment, 1000);
	assert_true(tw_received_batch__frame(&bundles[0], 4000, &f));
	assert_int_equal(f.len, 300);
	assert_ptr_equal(f.data, places[0] + 4000);
	assert_int_equal(f.data[299], 1);
	assert_false(tw_received_batch__frame(&bundles[0], 5000, &f));
	assert_int_equal(tw_receiver__take(rx, NETNS_PATIENCE_MS, bundles, 4), 2);
	assert_true(tw_received_batch__frame(&bundles[0], 0, &f));
	assert_int_equal(f.len, 0);
	assert_false(tw_received_batch__frame(&bundles[0], bundles[0].segment, &f));
	assert_true(tw_received_batch__frame(&bundles[1], 0, &f));
	assert_int_equal(f.len, 7);
	close(fd);
	tw_receiver__close(rx);
}

/*
 * A socket that sends to itself, while the thread stays on one CPU. A datagram of this socket leaves the CPU's backlog after all datagrams
 * that were sent before it.
 */
struct barrier {
	int fd;
	cpu_set_t before;
};

static void barrier__open(struct barrier *b)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct timeval patience = { .tv_sec = NETNS_PATIENCE_MS / 1000 };
	socklen_t len = sizeof(at);
	cpu_set_t here;

	assert_return_code(sched_getaffinity(0, sizeof(b->before), &b->before), errno);
	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	assert_return_code(sched_setaffinity(0, sizeof(here), &here), errno);
	b->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_return_code(b->fd, errno);
	assert_return_code(bind(b->fd, (struct sockaddr *)&at, sizeof(at)), errno);
	assert_return_code(getsockname(b->fd, (struct sockaddr *)&at, &len), errno);
	assert_return_code(connect(b->fd, (struct sockaddr *)&at, sizeof(at)), errno);
	assert_return_code(setsockopt(b->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), errno);
}

/* Waits until all datagrams that this CPU sent before are in the receiving sockets. */
static void barrier__pass(struct barrier *b)
{
	char byte = 0;

	assert_int_equal(send(b->fd, &byte, 1, 0), 1);
	assert_int_equal(recv(b->fd, &byte, 1, 0), 1);
}

static void barrier__close(struct barrier *b)
{
	assert_return_code(sched_setaffinity(0, sizeof(b->before), &b->before), errno);
	close(b->fd);
}

/* Frames before a loss do not report it, although the kernel has counted it already. */
static void test_loss(void **state)
{
	const unsigned int sent = 500;
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	unsigned int got = 0;
	struct barrier barrier;
	int fd;

	(void)state;
	command__run("ip link set lo up");
	rx = open_rx("127.0.0.1", 65536);
	fd = open_sender("127.0.0.1");
	barrier__open(&barrier);
	for (unsigned int i = 0; i < sent; i++)
		send_frame(fd, 1, 2000);
	barrier__pass(&barrier);
	while (tw_receiver__next(rx, 0, &f) == 1) {
		assert_int_equal(f.dropped, 0);
		got++;
	}
	assert_in_range(got, 1, sent - 1);
	send_frame(fd, 2, 100);
	assert_next(rx, 2, 100, &f);
	assert_int_equal(f.dropped, sent - got);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.frames, got + 1);
	assert_int_equal(stats.dropped, sent - got);
	barrier__close(&barrier);
	close(fd);
	tw_receiver__close(rx);
}

static void assert_refused(const char *at, int err, const char *why)
{
	struct tw_rx_udp_options o = { .buffer = 0 };
	struct tw_error error = { "" };
	struct tw_receiver *rx;

	assert_int_equal(tw_udp_address__parse(at, &o.at, &error), 0);
	assert_int_equal(tw_rx_udp__open(&o, &rx, &error), err);
	assert_string_equal(error.text, why);
}

/* During a flood of short datagrams, the receiver has to wait for a CPU. No datagram is lost meanwhile. */
static void test_pause(void **state)
{
	enum {
		SENT = 100000,
		AT_ONCE = 500
	}; /* more at once may overflow the backlog of a CPU, which no socket counts */
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	struct barrier barrier;
	size_t n = 0;
	int fd;

	(void)state;
	command__run("ip link set lo up");
	rx = open_rx("127.0.0.1:18101", 0);
	fd = open_sender("127.0.0.1");
	barrier__open(&barrier);
	for (unsigned int i = 0; i < SENT; i++) {
		send_frame(fd, 1, 96);
		if ((i + 1) % AT_ONCE == 0)
			barrier__pass(&barrier);
	}
	while (n < SENT && tw_receiver__next(rx, NETNS_PATIENCE_MS, &f) == 1)
		n++;
	assert_int_equal(n, SENT);
	assert_int_equal(tw_receiver__next(rx, 0, &f), 0);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.dropped, 0);
	barrier__close(&barrier);
	close(fd);
	tw_receiver__close(rx);
}

static void test_refused(void **state)
{
	struct tw_receiver *rx;

	(void)state;
	command__run("ip link set lo up");
	rx = open_rx("5000", 0);
	assert_refused("5000", -EADDRINUSE,
		       "cannot receive at UDP port 5000: another program uses this port; `ss -lunp` shows its name");
	assert_refused(
		"10.9.9.9:5001", -EADDRNOTAVAIL,
		"cannot receive at 10.9.9.9:5001: no interface of this machine has that address; `ip -br addr` lists "
		"all addresses");
	tw_receiver__close(rx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all, netns__setup),
		cmocka_unit_test_setup(test_in_time, netns__setup),
		cmocka_unit_test_setup(test_bundles, netns__setup),
		cmocka_unit_test_setup(test_loss, netns__setup),
		cmocka_unit_test_setup(test_card_stamps, netns__setup),
		cmocka_unit_test_setup(test_taken, netns__setup),
		cmocka_unit_test_setup(test_refused, netns__setup),
		cmocka_unit_test_setup(test_pause, netns__setup),
	};
	const int skip = netns__main_guard();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
