/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The AF_PACKET receiver: it gets only Tracewire frames, without delay, ends its wait in time, and counts all losses. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ends.h"
#include "netns.h"
#include "vnet/rx_packet.h"
#include "vnet/rx_requests.h"
#include "vnet/veth.h"
#include "wire/tracewire.h"

static struct tw_receiver *open_rx(const char *ifname, size_t ring)
{
	const struct tw_rx_packet_options o = { .ifname = ifname, .ring = ring };
	struct tw_error error = { "" };
	struct tw_receiver *rx = NULL;

	if (tw_rx_packet__open(&o, &rx, &error) < 0)
		fail_msg("%s", error.text);
	return rx;
}

static void test_ours_only(void **state)
{
	struct tw_received_frame f;
	struct tw_receiver *rx;
	struct tw_receiver_stats stats;
	int tx, here;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	tx = raw__open("tw0-tx");
	here = raw__open("tw0");
	raw__send(tx, ETH_P_ARP, 1, 60);
	raw__send(tx, TW_ETHERTYPE, 2, 61);
	raw__send(here, TW_ETHERTYPE, 3, 60); /* sent by the interface itself */
	raw__send(tx, TW_ETHERTYPE, 4, 8000);
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(f.len, 61);
	assert_int_equal(f.data[0], 2);
	assert_int_equal(f.data[60], 2);
	assert_true(f.time / 1000000000 >= (uint64_t)time(NULL) - 10);
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(f.len, 8000);
	assert_int_equal(f.data[7999], 4);
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.frames, 2);
	assert_int_equal(stats.dropped, 0);
	close(here);
	close(tx);
	tw_receiver__close(rx);
}

static void test_in_time(void **state)
{
	struct tw_receiver *rx;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	rx__assert_in_time(rx);
	tw_receiver__close(rx);
}

/* One frame on an idle interface must not wait until a block is full. One of ten must be fast, because the machine may be busy. */
static void test_soon(void **state)
{
	struct tw_received_frame f;
	struct tw_receiver *rx;
	double best = 1e9;
	int tx;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	tx = raw__open("tw0-tx");
	for (int i = 0; i < 10 || (i < 1000 && best >= 15); i++) {
		const double before = now_ms();
		double took;

		raw__send(tx, TW_ETHERTYPE, 1, 64);
		assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
		took = now_ms() - before;
		if (took < best)
			best = took;
		assert_int_equal(tw_receiver__next(rx, 0, &f), 0);
	}
	print_message("soonest frame: %.2f ms\n", best);
	assert_true(best < 15);
	close(tx);
	tw_receiver__close(rx);
}

/* The caller gets copies of the frames, which the ring only lends. */
static void test_taken(void **state)
{
	static uint8_t places[4][2048];
	struct tw_received_frame f = { .len = 0 };
	struct tw_received_batch bundles[4];
	struct tw_receiver *rx;
	int tx;

	(void)state;
	for (int i = 0; i < 4; i++)
		bundles[i].to = places[i];
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	tx = raw__open("tw0-tx");
	for (uint8_t i = 1; i < 3; i++) {
		raw__send(tx, TW_ETHERTYPE, i, 100);
		assert_int_equal(tw_receiver__take(rx, 1000, bundles, 4), 1);
		assert_true(tw_received_batch__frame(&bundles[0], 0, &f));
		assert_int_equal(f.len, 100);
		assert_int_equal(f.data[0], i);
		assert_ptr_equal(f.data, places[0]);
		assert_false(tw_received_batch__frame(&bundles[0], bundles[0].segment, &f));
	}
	link__set_up("tw0", false);
	assert_int_equal(tw_receiver__take(rx, 1000, bundles, 4), -ENETDOWN);
	assert_int_equal(tw_receiver__take(rx, 20, bundles, 4), 0);
	close(tx);
	tw_receiver__close(rx);
}

static void test_loss_is_counted(void **state)
{
	const unsigned int sent = 1000;
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	unsigned int got = 0;
	int tx, witness;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 1); /* the minimum: one block */
	witness = witness__open("tw0");
	tx = raw__open("tw0-tx");
	for (unsigned int i = 0; i < sent; i++)
		raw__send(tx, TW_ETHERTYPE, (uint8_t)i, 8000);
	witness__await(witness, sent);
	while (tw_receiver__next(rx, 100, &f) == 1) {
		assert_int_equal(f.data[0], (uint8_t)got); /* the first frames, in order */
		assert_int_equal(f.dropped, 0);            /* before the loss */
		got++;
	}
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.frames, got);
	assert_true(stats.dropped > 0);
	assert_int_equal(stats.frames + stats.dropped, sent);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0); /* the kernel's counters restart, the receiver's do not */
	assert_int_equal(stats.frames + stats.dropped, sent);
	raw__send(tx, TW_ETHERTYPE, 7, 100); /* the receiver continues */
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(f.len, 100);
	close(witness);
	close(tx);
	tw_receiver__close(rx);
}

static unsigned int take_all(struct tw_receiver *rx, struct tw_received_frame *ret_last)
{
	unsigned int n = 0;

	while (tw_receiver__next(rx, 100, ret_last) == 1)
		n++;
	return n;
}

/*
 * Frames that arrive one by one wait for a reader that is not running. Each frame may use a block, but there are more blocks than frames.
 */
static void test_a_trickle_waits(void **state)
{
	const unsigned int sent = 100;
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int tx;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	tx = raw__open("tw0-tx");
	for (unsigned int i = 0; i < sent; i++) {
		raw__send(tx, TW_ETHERTYPE, 1, 100);
		usleep(2000);
	}
	assert_int_equal(take_all(rx, &f), sent);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.dropped, 0);
	close(tx);
	tw_receiver__close(rx);
}

/* A frame has the losses before it, and none of the later ones, although the kernel has counted those already. */
static void test_loss_has_its_place(void **state)
{
	const unsigned int sent = 1000;
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	uint64_t first;
	unsigned int got;
	int tx, witness;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 3u << 17); /* three blocks */
	witness = witness__open("tw0");
	tx = raw__open("tw0-tx");
	for (unsigned int i = 0; i < sent; i++)
		raw__send(tx, TW_ETHERTYPE, 1, 8000);
	witness__await(witness, sent);
	got = take_all(rx, &f);
	assert_int_equal(f.dropped, 0);
	raw__send(tx, TW_ETHERTYPE, 2, 100);
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	first = f.dropped;
	assert_in_range(first, sent - got - 2, sent - got); /* room for two more blocks is left */
	for (unsigned int i = 0; i < sent; i++)
		raw__send(tx, TW_ETHERTYPE, 3, 8000);
	witness__await(witness, sent + 1);
	got += take_all(rx, &f);
	assert_in_range(f.dropped, first, first + 2);
	raw__send(tx, TW_ETHERTYPE, 4, 100);
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_in_range(f.dropped, 2 * sent - got - 2, 2 * sent - got);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.dropped, 2 * sent - got);
	close(witness);
	close(tx);
	tw_receiver__close(rx);
}

/* The sender is identified by its address, whatever the destination is, and gets the answer in a frame to its address. */
static void test_answer(void **state)
{
	static const uint8_t answer[60] = { 7, 8, 9 };
	uint8_t frame[ETH_HLEN + 100] = { 0x03, [ETH_ALEN] = 0x02, 1, 2, 3, 4, 5 }, got[200];
	const uint16_t type = htons(TW_ETHERTYPE);
	struct tw_peer first;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int tx;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	assert_int_equal(rx->frame_max, TW_VETH_MTU);
	tx = raw__open("tw0-tx");
	memcpy(frame + ETH_HLEN - sizeof(type), &type, sizeof(type));
	assert_int_equal(send(tx, frame, sizeof(frame), 0), sizeof(frame));
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	first = *f.from;
	frame[0] = 0x02; /* to the address of no interface */
	assert_int_equal(send(tx, frame, sizeof(frame), 0), sizeof(frame));
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_memory_equal(&first, f.from, sizeof(first));
	frame[ETH_ALEN + 5]++; /* another sender */
	assert_int_equal(send(tx, frame, sizeof(frame), 0), sizeof(frame));
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_memory_not_equal(&first, f.from, sizeof(first));
	while (recv(tx, got, sizeof(got), 0) > 0)
		;
	ends__answer_stamped(rx, &first, answer, sizeof(answer));
	assert_int_equal(raw__receive(tx, got, sizeof(got)), ETH_HLEN + sizeof(answer));
	assert_memory_equal(got, "\x02\1\2\3\4\5", ETH_ALEN);
	link__assert_address("tw0", got + ETH_ALEN);
	assert_memory_equal(got + 2 * ETH_ALEN, &type, sizeof(type));
	assert_memory_equal(got + ETH_HLEN, answer, sizeof(answer));
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0); /* another EtherType */
	close(tx);
	tw_receiver__close(rx);
}

static void test_down_and_gone(void **state)
{
	struct tw_receiver *rx;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	rx__assert_down_and_gone(rx);
	tw_receiver__close(rx);
}

static void test_gone_while_down(void **state)
{
	struct tw_receiver *rx;

	(void)state;
	netns__veth(0, 0);
	rx = open_rx("tw0", 0);
	rx__assert_gone_while_down(rx);
	tw_receiver__close(rx);
}

/* Out-of-band frames that have a socket of their own arrive as others do, and once. */
static void test_separate(void **state)
{
	const struct tw_rx_packet_options o = { .ifname = "tw0", .separate = true };
	unsigned int n[TW_SOURCE_OUT_OF_BAND + 1] = { 0 };
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int tx;

	(void)state;
	netns__veth(0, 0);
	assert_int_equal(tw_rx_packet__open(&o, &rx, NULL), 0);
	tx = raw__open("tw0-tx");
	for (unsigned int i = 0; i < 20; i++)
		raw__send(tx, TW_ETHERTYPE, i % 2 ? TW_SOURCE_OUT_OF_BAND : TW_SOURCE_FTRACE, 100);
	raw__send(tx, ETH_P_ARP, TW_SOURCE_OUT_OF_BAND, 100);
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
		assert_true(f.len == 100 && f.data[0] == f.data[99] && f.data[0] <= TW_SOURCE_OUT_OF_BAND);
		assert_int_equal(f.time_by, TW_STAMP_SOFTWARE);
		assert_true(f.time / TW_NS_PER_SECOND >= (uint64_t)time(NULL) - 10);
		n[f.data[0]]++;
	}
	assert_true(n[TW_SOURCE_FTRACE] == 10 && n[TW_SOURCE_OUT_OF_BAND] == 10);
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.frames, 20);
	close(tx);
	rx__assert_in_time(rx);
	rx__assert_down_and_gone(rx);
	tw_receiver__close(rx);
}

static void test_refused(void **state)
{
	const struct tw_rx_packet_options o = { .ifname = "none" };
	struct tw_error error = { "" };
	struct tw_receiver *rx;

	(void)state;
	assert_int_equal(tw_rx_packet__open(&o, &rx, &error), -ENODEV);
	assert_string_equal(error.text,
			    "cannot receive on none: there is no such interface; `ip -br link` lists all interfaces");
	tw_receiver__close(NULL);
}

static void test_control_only(void **state)
{
	const struct tw_rx_packet_options o = { .ifname = "tw0", .control_only = true };
	const size_t low = offsetof(struct tw_frame_hdr, channel) + 1;
	struct tw_error error = { "" };
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int tx;

	(void)state;
	netns__veth(0, 0);
	assert_int_equal(tw_rx_packet__open(&o, &rx, &error), 0);
	tx = raw__open("tw0-tx");
	raw__send(tx, ETH_P_ARP, TW_CHANNEL_CONTROL, 60);
	raw__send(tx, TW_ETHERTYPE, 1, 60);
	raw__send(tx, TW_ETHERTYPE, TW_CHANNEL_CONTROL, low); /* truncated before its channel */
	raw__send(tx, TW_ETHERTYPE, TW_CHANNEL_CONTROL, 62);
	assert_int_equal(tw_receiver__next(rx, NETNS_PATIENCE_MS, &f), 1);
	assert_int_equal(f.len, 62);
	assert_int_equal(tw_receiver__next(rx, 20, &f), 0);
	close(tx);
	tw_receiver__close(rx);
}

/* Requests that did not fit into the socket's buffer are counted; the kernel's counter restarts when it is read. */
static void test_lost_requests(void **state)
{
	const unsigned int sent = 4000;
	uint8_t frame[ETH_HLEN + 2000] = { 0 };
	const uint16_t type = htons(TW_ETHERTYPE);
	struct tw_receiver_stats stats;
	struct tw_received_frame f;
	struct tw_receiver *rx;
	int tx, witness;

	(void)state;
	netns__veth(0, 0);
	assert_int_equal(tw_rx_requests__on_link("tw0-tx", &rx, NULL), 0);
	witness = witness__open("tw0-tx");
	tx = raw__open("tw0");
	link__address("tw0-tx", frame);
	memcpy(frame + 2 * ETH_ALEN, &type, sizeof(type));
	frame[ETH_HLEN + offsetof(struct tw_frame_hdr, source)] = TW_SOURCE_OUT_OF_BAND;
	for (unsigned int i = 0; i < sent; i++)
		assert_int_equal(send(tx, frame, sizeof(frame), 0), sizeof(frame));
	witness__await(witness, sent);
	assert_int_equal(tw_receiver__next(rx, 0, &f), 1);
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_true(stats.dropped > 0 && stats.dropped < sent);
	while (tw_receiver__next(rx, 100, &f) == 1)
		;
	assert_int_equal(tw_receiver__stats(rx, &stats), 0);
	assert_int_equal(stats.frames + stats.dropped, sent);
	close(witness);
	close(tx);
	tw_receiver__close(rx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ours_only, netns__setup),
		cmocka_unit_test_setup(test_control_only, netns__setup),
		cmocka_unit_test_setup(test_in_time, netns__setup),
		cmocka_unit_test_setup(test_soon, netns__setup),
		cmocka_unit_test_setup(test_taken, netns__setup),
		cmocka_unit_test_setup(test_loss_is_counted, netns__setup),
		cmocka_unit_test_setup(test_a_trickle_waits, netns__setup),
		cmocka_unit_test_setup(test_loss_has_its_place, netns__setup),
		cmocka_unit_test_setup(test_answer, netns__setup),
		cmocka_unit_test_setup(test_down_and_gone, netns__setup),
		cmocka_unit_test_setup(test_gone_while_down, netns__setup),
		cmocka_unit_test_setup(test_separate, netns__setup),
		cmocka_unit_test_setup(test_lost_requests, netns__setup),
		cmocka_unit_test_setup(test_refused, netns__setup),
	};
	const int skip = netns__main_guard();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
