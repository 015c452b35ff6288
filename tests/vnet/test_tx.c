/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending on a veth pair, with both transports: every frame arrives intact and in order, or is counted as dropped. Received frames are
 * compared with the sent frames byte by byte, and their number with the kernel's counters.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "ends.h"
#include "netns.h"
#include "path.h"
#include "vnet/rx_packet.h"
#include "vnet/tx.h"
#include "vnet/veth.h"
#include "wire/encode.h"
#include "wire/tracewire.h"

#define LEAST   48 /* size of a frame's header, bytes */
#define WAIT_MS 200
#define RING    (256u << 20) /* size of the receiver's ring, bytes */
#define WINDOW  200          /* frames, fewer than the ring has blocks, so that the ring cannot lose them */

static struct tw_sink *open_tx(enum tw_transport transport, size_t frame_max, unsigned int queue)
{
	const struct tw_tx_options o = {
		.ifname = "tw0-tx",
		.transport = transport,
		.frame_max = frame_max,
		.queue = queue,
	};
	struct tw_sink *sink = NULL;
	struct tw_error error = { "" };
	const int err = tw_tx__open(&o, &sink, &error);

	if (err == -EAFNOSUPPORT && transport == TW_TRANSPORT_XDP) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	if (err < 0)
		fail_msg("%s", error.text);
	return sink;
}

/* Return: byte @at of frame @number; consecutive frames differ in every byte */
static uint8_t pattern(size_t number, size_t at)
{
	return (uint8_t)(number * 31 + at * 7 + (at >> 8));
}

/* Writes a frame as the encoder does, whose copies extend into the slack. */
static void write_frame(uint8_t *slot, uint32_t number, size_t len)
{
	memcpy(slot, &number, sizeof(number));
	for (size_t at = sizeof(number); at < len; at++)
		slot[at] = pattern(number, at);
	memset(slot + len, 0xee, TW_COPY_STEP);
}

static unsigned int events_of(uint32_t number)
{
	uint8_t frame[LEAST + TW_COPY_STEP];

	write_frame(frame, number, LEAST);
	return frame__events(frame);
}

static void send_frame(struct tw_sink *sink, uint32_t number, size_t len)
{
	write_frame(sink__slot(sink), number, len);
	tw_sink__commit(sink, len);
}

static size_t length_of(uint32_t number, size_t least, size_t most)
{
	return least + (size_t)number * 7919 % (most - least + 1);
}

/* Frames that one end sends and the other checks. */
struct transfer {
	uint32_t frames;
	size_t least, most; /* range of the frames' lengths */
	uint32_t window;    /* number of frames that may be on their way; 0 = any number */
	struct tw_receiver *rx;
	atomic_uint received;
	uint64_t dropped;  /* frames that the sink counted as dropped, after all were sent */
	atomic_bool sent;  /* all frames were sent */
	unsigned int bad;  /* frames that arrived damaged or out of order */
	uint32_t expected; /* number of the next frame, if none is missing */
};

static bool is_intact(struct transfer *run, const struct tw_received_frame *f)
{
	uint32_t number;

	if (f->len < LEAST)
		return false;
	memcpy(&number, f->data, sizeof(number));
	if (number < run->expected || number >= run->frames || f->len != length_of(number, run->least, run->most))
		return false;
	run->expected = number + 1;
	for (size_t at = sizeof(number); at < f->len; at++)
		if (f->data[at] != pattern(number, at))
			return false;
	return true;
}

/* Whether no further frames are on their way. */
static bool is_all(const struct transfer *run)
{
	struct tw_receiver_stats stats;

	return run->sent && tw_receiver__stats(run->rx, &stats) == 0 &&
	       run->received + stats.dropped + run->dropped >= run->frames;
}

/* Receives frames until all have arrived. It gives up after half a minute without a frame; the caller then finds the missing frames. */
static void *receive(void *arg)
{
	struct transfer *run = arg;
	struct tw_received_frame f;
	int waited = 0;

	while (run->received < run->frames && waited < NETNS_PATIENCE_MS) {
		if (tw_receiver__next(run->rx, WAIT_MS, &f) == 1) {
			run->bad += !is_intact(run, &f);
			run->received++;
			waited = 0;
		} else if (is_all(run)) {
			break;
		} else {
			waited += WAIT_MS;
		}
	}
	return NULL;
}

/* Waits until the window has room. After a few seconds, it gives up, and the caller finds that frames are missing. */
static void wait_for_receiver(struct tw_sink *sink, const struct transfer *run, uint32_t number)
{
	for (int i = 0; i < 50000 && number - run->received >= run->window; i++) {
		tw_sink__flush(sink);
		usleep(100);
	}
}

/*
 * Sends all frames, and stays on one CPU: frames on a veth pair wait in a queue of the sender's CPU, so frames of a thread that moves to
 * another CPU may overtake earlier frames.
 */
static void send_all(struct tw_sink *sink, struct transfer *run)
{
	struct tw_sink_stats stats;
	cpu_set_t before, here;

	assert_return_code(sched_getaffinity(0, sizeof(before), &before), errno);
	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	assert_return_code(sched_setaffinity(0, sizeof(here), &here), errno);
	for (uint32_t number = 0; number < run->frames; number++) {
		const size_t len = length_of(number, run->least, run->most);

		if (run->window)
			wait_for_receiver(sink, run, number);
		send_frame(sink, number, len);
	}
	sink__flush_all(sink);
	assert_return_code(sched_setaffinity(0, sizeof(before), &before), errno);
	tw_sink__stats(sink, &stats);
	run->dropped = stats.dropped;
	run->sent = true;
}

/* Return: number of frames that were lost because the receiver's ring was full */
static unsigned int send_and_receive(struct tw_sink *sink, struct transfer *run, struct tw_sink_stats *ret)
{
	const struct tw_rx_packet_options o = { .ifname = "tw0", .ring = RING };
	struct tw_receiver_stats received;
	pthread_t thread;

	assert_int_equal(tw_rx_packet__open(&o, &run->rx, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, receive, run), 0);
	send_all(sink, run);
	pthread_join(thread, NULL);
	tw_sink__stats(sink, ret);
	assert_int_equal(tw_receiver__stats(run->rx, &received), 0);
	print_message("%s: %u frames sent, %u received, %lu dropped, %lu waits\n", sink->how, run->frames,
		      run->received, (unsigned long)ret->dropped, (unsigned long)ret->waits);
	assert_int_equal(received.frames, run->received);
	assert_int_equal(run->bad, 0);
	assert_int_equal(ret->frames, run->frames);
	tw_receiver__close(run->rx);
	return (unsigned int)received.dropped;
}

/* Checks that no frame is lost, and that all counters agree. */
static void assert_lossless(struct tw_sink *sink, struct transfer *run)
{
	struct tw_sink_stats sent;
	struct rtnl_link_stats counters;

	run->window = WINDOW;
	assert_int_equal((uintptr_t)sink__slot(sink) % 4, 0);
	assert_int_equal(send_and_receive(sink, run, &sent), 0);
	assert_int_equal(run->received, run->frames);
	assert_int_equal(sent.dropped, 0);
	counters = link__counters("tw0-tx");
	assert_int_equal(counters.tx_packets, run->frames);
	assert_int_equal(counters.tx_dropped, 0);
	counters = link__counters("tw0");
	assert_int_equal(counters.rx_packets, run->frames);
	assert_int_equal(counters.rx_bytes, sent.bytes + (uint64_t)run->frames * ETH_HLEN);
}

struct lengths {
	enum tw_transport transport;
	unsigned int mtu;
	size_t frame_max;
	uint32_t frames;
	size_t least; /* length of a frame */
};

static void test_lengths(void **state)
{
	const struct lengths *l = *state;
	struct transfer run = { .frames = l->frames, .least = l->least };
	struct tw_sink *sink;

	netns__veth(l->mtu, 1);
	sink = open_tx(l->transport, l->frame_max, 0);
	run.most = sink->frame_max;
	if (l->least > run.most)
		run.least = run.most;
	assert_true(l->frame_max == 0 || sink->frame_max <= l->frame_max);
	assert_lossless(sink, &run);
	tw_sink__close(sink);
}

/* Since Linux 6.16, a veth interface stops its queue if the receiver is slow; older kernels drop frames. Only the version tells. */
static bool veth_pushes_back(void)
{
	struct utsname u;
	int major, minor;

	assert_return_code(uname(&u), errno);
	assert_int_equal(sscanf(u.release, "%d.%d", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 16);
}

/*
 * The receiving end is slow, because its frames wait for a thread. If the kernel's veth driver drops frames of the faster sender, each drop
 * must be in the sink's counters.
 */
static void test_back_pressure(void **state)
{
	const enum tw_transport transport = *(const enum tw_transport *)*state;
	struct transfer run = { .frames = 20000 };
	struct tw_sink_stats sent;
	struct tw_sink *sink;
	unsigned int overrun;

	netns__veth(0, 1);
	link__slow_down("tw0");
	sink = open_tx(transport, 0, 0);
	run.least = run.most = sink->frame_max;
	overrun = send_and_receive(sink, &run,
				   &sent); /* @overrun: the receiver had no CPU time; the sink did not lose these */
	assert_int_equal(run.received + overrun + sent.dropped, run.frames);
	assert_true(sent.dropped == 0 || !veth_pushes_back());
	tw_sink__close(sink);
}

/* Commits numbered frames of 100 bytes until there is no room. Return: their number */
static uint32_t fill_up(struct tw_sink *sink)
{
	uint8_t *slot;
	uint32_t n = 0;

	while ((slot = tw_sink__reserve(sink))) {
		write_frame(slot, n++, 100);
		tw_sink__commit(sink, 100);
		assert_true(n < 100000);
	}
	return n;
}

/* Frames committed while the interface was down leave when it is up again, or are counted. */
static void test_down(void **state)
{
	const enum tw_transport transport = *(const enum tw_transport *)*state;
	struct tw_sink_stats sent;
	struct tw_sink *sink;
	uint32_t n;

	netns__veth(0, 1);
	sink = open_tx(transport, 0, 0);
	link__set_up("tw0-tx", false);
	n = fill_up(sink);
	assert_true(n > 0);
	assert_int_equal(tw_sink__flush(sink), -EAGAIN);
	link__set_up("tw0-tx", true);
	sink__flush_all(sink);
	tw_sink__stats(sink, &sent);
	assert_int_equal(sent.frames, n);
	assert_true(sent.waits > 0);
	link__await_frames("tw0", n - (uint32_t)sent.dropped);
	tw_sink__close(sink);
}

/* When a sink is closed, the frames in it count as dropped, with their events. Frames that left before do not. */
static void test_give_up(void **state)
{
	const enum tw_transport transport = *(const enum tw_transport *)*state;
	struct tw_sink_stats sent;
	struct tw_sink *sink;
	uint64_t events = 0;
	uint32_t n;

	netns__veth(0, 1);
	sink = open_tx(transport, 0, 0);
	for (uint32_t i = 0; i < 10; i++) {
		send_frame(sink, i, 100);
	}
	sink__flush_all(sink);
	link__set_up("tw0-tx", false);
	n = fill_up(sink);
	for (uint32_t i = 0; i < n; i++)
		events += events_of(i);
	assert_int_equal(tw_sink__flush(sink), -EAGAIN);
	tw_sink__give_up(sink);
	tw_sink__stats(sink, &sent);
	assert_int_equal(sent.frames, 10 + n);
	assert_int_equal(sent.dropped, n);
	assert_int_equal(sent.dropped_events, events);
	assert_int_equal(link__counters("tw0").rx_packets, 10);
	tw_sink__close(sink);
}

/* The veth pair is removed while frames are on their way: these frames and later ones are counted as dropped. */
static void test_gone(void **state)
{
	const enum tw_transport transport = *(const enum tw_transport *)*state;
	struct tw_sink_stats before, after;
	struct tw_sink *sink;
	uint64_t events = 0;
	uint8_t *slot;
	uint32_t n;

	netns__veth(0, 1);
	sink = open_tx(transport, 0, 0);
	link__set_up("tw0-tx", false);
	n = fill_up(sink);
	for (uint32_t i = 0; i < n; i++)
		events += events_of(i);
	assert_int_equal(tw_veth__remove("tw0", NULL), 0);
	assert_int_equal(tw_sink__flush(sink), -ENODEV);
	assert_int_equal(tw_sink__flush(sink), -ENODEV);
	tw_sink__stats(sink, &before);
	assert_int_equal(before.frames, n);
	assert_int_equal(before.dropped, n);
	assert_int_equal(before.dropped_events, events);
	assert_int_equal(before.dropped_unseen, 0);
	slot = tw_sink__reserve(sink);
	assert_non_null(slot);
	write_frame(slot, 0, 100);
	tw_sink__commit(sink, 100);
	tw_sink__stats(sink, &after);
	assert_int_equal(after.frames, n + 1);
	assert_int_equal(after.dropped, n + 1);
	assert_int_equal(after.dropped_events, events + events_of(0));
	tw_sink__close(sink);
}

/* The receiving end is down: the kernel accepts each frame, drops it, and counts it. */
static void test_xdp_no_carrier(void **state)
{
	struct tw_sink_stats sent;
	struct tw_sink *sink;
	uint64_t events = 0;

	(void)state;
	netns__veth(0, 1);
	sink = open_tx(TW_TRANSPORT_XDP, 0, 0);
	link__set_up("tw0", false);
	for (uint32_t n = 0; n < 100; n++) {
		send_frame(sink, n, 100);
		events += events_of(n);
	}
	sink__flush_all(sink);
	tw_sink__stats(sink, &sent);
	assert_int_equal(sent.frames, 100);
	assert_int_equal(sent.dropped, 100);
	assert_int_equal(sent.dropped_events, events);
	assert_int_equal(link__counters("tw0").rx_packets, 0);
	tw_sink__close(sink);
}

/*
 * Every second frame is too long for the other end: the sink counts exactly the events of these frames, however the kernel reports drops.
 */
static void test_xdp_some_too_long(void **state)
{
	struct tw_sink_stats sent;
	struct tw_sink *sink;
	uint64_t events = 0;
	uint32_t long_ones = 0;

	(void)state;
	netns__veth(9000, 1);
	sink = open_tx(TW_TRANSPORT_XDP, 0, 0);
	command__run("ip link set tw0 mtu 1500");
	srand(1);
	for (uint32_t n = 0; n < 1000; n++) {
		const bool is_long = rand() % 2;

		send_frame(sink, n, is_long ? 8000 : 100);
		long_ones += is_long;
		events += is_long ? events_of(n) : 0;
		if (rand() % 8 == 0)
			sink__flush_all(sink);
	}
	sink__flush_all(sink);
	tw_sink__stats(sink, &sent);
	link__await_frames("tw0", 1000 - long_ones);
	assert_int_equal(sent.dropped, long_ones);
	assert_int_equal(sent.dropped_events, events);
	assert_int_equal(sent.dropped_unseen, 0);
	tw_sink__close(sink);
}

/* The interface's MTU is lowered: longer frames are dropped and counted. */
static void test_packet_some_too_long(void **state)
{
	struct tw_sink_stats sent;
	struct tw_sink *sink;

	(void)state;
	netns__veth(9000, 1);
	sink = open_tx(TW_TRANSPORT_PACKET, 0, 0);
	for (uint32_t n = 0; n < 6; n++) {
		send_frame(sink, n, n % 2 ? 8000 : 100);
	}
	command__run("ip link set tw0-tx mtu 1500");
	sink__flush_all(sink);
	tw_sink__stats(sink, &sent);
	assert_int_equal(sent.dropped, 3);
	assert_int_equal(sent.dropped_events, events_of(1) + events_of(3) + events_of(5));
	assert_int_equal(sent.dropped_unseen, 0);
	tw_sink__close(sink);
}

/* Sinks of both transports use one veth pair whose receiving end is down: each drop is counted once. */
static void test_drops_once(void **state)
{
	struct tw_sink *sinks[3];
	uint64_t dropped = 0;

	(void)state;
	netns__veth(0, 2);
	sinks[0] = open_tx(TW_TRANSPORT_XDP, 0, 0);
	sinks[1] = open_tx(TW_TRANSPORT_XDP, 0, 1);
	sinks[2] = open_tx(TW_TRANSPORT_PACKET, 0, 0);
	link__set_up("tw0", false);
	for (size_t i = 0; i < 3; i++) {
		for (uint32_t n = 0; n < 40; n++) {
			send_frame(sinks[i], n, 100);
		}
		tw_sink__flush(sinks[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		struct tw_sink_stats sent;

		tw_sink__stats(sinks[i], &sent);
		print_message("%s: %lu dropped\n", sinks[i]->how, (unsigned long)sent.dropped);
		dropped += sent.dropped;
		tw_sink__close(sinks[i]);
	}
	assert_int_equal(dropped, link__counters("tw0-tx").tx_dropped);
	assert_true(dropped >=
		    80); /* when the kernel notices that there is no carrier, it no longer counts drops of AF_PACKET */
}

static void test_one_socket_a_queue(void **state)
{
	const struct tw_tx_options taken = { .ifname = "tw0-tx", .queue = 0, .transport = TW_TRANSPORT_XDP };
	struct tw_sink *sinks[2], *none = NULL, *other;
	struct tw_error error = { "" };
	struct rtnl_link_stats counters;

	(void)state;
	netns__veth(0, 2);
	sinks[0] = open_tx(TW_TRANSPORT_XDP, 0, 0);
	sinks[1] = open_tx(TW_TRANSPORT_XDP, 0, 1);
	assert_int_equal(tw_tx__open(&taken, &none, &error), -EBUSY);
	assert_null(none);
	assert_non_null(strstr(error.text, "queue 0"));
	other = open_tx(TW_TRANSPORT_AUTO, 0, 0);
	assert_non_null(strstr(other->how, "AF_PACKET sendmmsg (AF_XDP refused: "));
	for (size_t i = 0; i < 2; i++) {
		send_frame(sinks[i], 0, 1000);
		sink__flush_all(sinks[i]);
	}
	counters = link__counters("tw0");
	assert_int_equal(counters.rx_packets, 2);
	tw_sink__close(other);
	tw_sink__close(sinks[1]);
	tw_sink__close(sinks[0]);
}

static void test_ethernet_header(void **state)
{
	static const uint8_t group[] = TW_TX_GROUP, to[] = { 2, 3, 4, 5, 6, 7 };
	struct tw_tx_options o = { .ifname = "tw0-tx" };
	uint8_t frame[256];
	struct tw_sink *sink;
	int fd;

	(void)state;
	netns__veth(0, 1);
	fd = raw__open("tw0");
	for (int i = 0; i < 2; i++) {
		o.destination = i ? to : NULL;
		assert_int_equal(tw_tx__open(&o, &sink, NULL), 0);
		send_frame(sink, 0, 100);
		sink__flush_all(sink);
		assert_int_equal(raw__receive(fd, frame, sizeof(frame)), ETH_HLEN + 100);
		assert_memory_equal(frame, i ? to : group, ETH_ALEN);
		link__assert_address("tw0-tx", frame + ETH_ALEN);
		assert_int_equal(frame[12] << 8 | frame[13], TW_ETHERTYPE);
		tw_sink__close(sink);
	}
	close(fd);
}

static void assert_refused(const struct tw_tx_options *o, int err, const char *word)
{
	struct tw_error error = { "" };
	struct tw_sink *sink = NULL;

	assert_int_equal(tw_tx__open(o, &sink, &error), err);
	assert_null(sink);
	if (!strstr(error.text, word))
		fail_msg("\"%s\" is not in \"%s\"", word, error.text);
}

static void test_refused(void **state)
{
	(void)state;
	netns__veth(0, 1);
	assert_refused(&(struct tw_tx_options){ .ifname = "none" }, -ENODEV, "no such interface");
	assert_refused(&(struct tw_tx_options){ .ifname = "tw0-tx", .queue = 1 }, -EINVAL, "queue 1");
	link__set_up("tw0-tx", false);
	assert_refused(&(struct tw_tx_options){ .ifname = "tw0-tx" }, -ENETDOWN, "is down");
	link__set_up("tw0-tx", true);
	assert_return_code(seteuid(65534), errno);
	assert_refused(&(struct tw_tx_options){ .ifname = "tw0-tx" }, -EPERM, "CAP_NET_RAW");
	assert_return_code(seteuid(0), errno);
}

/* Frames need an Ethernet header, so an interface without Ethernet addresses, such as a tunnel, is refused. */
static void test_not_ethernet(void **state)
{
	(void)state;
	if (system("ip tuntap add tun0 mode tun && ip link set tun0 up")) {
		print_message("skipped: this kernel has no TUN interfaces\n");
		skip();
	}
	assert_refused(&(struct tw_tx_options){ .ifname = "tun0" }, -EINVAL, "no Ethernet address");
}

/*
 * Frames that just fill two chunks, including the Ethernet header: if slots had no slack, a slot would extend into the next one.
 */
#define BRIM (2 * 4096 - 16)

static struct lengths xdp_small = { TW_TRANSPORT_XDP, 0, 256, 5000, LEAST },
		      xdp_packed = { TW_TRANSPORT_XDP, 0, 0, 3000, 8000 },
		      xdp_mixed = { TW_TRANSPORT_XDP, 0, 9216, 5000, LEAST },
		      xdp_largest = { TW_TRANSPORT_XDP, 65535, TW_FRAME_MAX, 500, 60000 },
		      packet_small = { TW_TRANSPORT_PACKET, 0, 256, 5000, LEAST },
		      packet_mixed = { TW_TRANSPORT_PACKET, 0, 9216, 5000, LEAST },
		      packet_largest = { TW_TRANSPORT_PACKET, 65535, TW_FRAME_MAX, 500, 60000 },
		      xdp_slack = { TW_TRANSPORT_XDP, 0, BRIM, 2000, BRIM },
		      packet_slack = { TW_TRANSPORT_PACKET, 0, BRIM, 2000, BRIM };

int main(void)
{
	static enum tw_transport xdp = TW_TRANSPORT_XDP, packet = TW_TRANSPORT_PACKET;
	const struct CMUnitTest tests[] = {
		{ "test_xdp_small", test_lengths, netns__setup, NULL, &xdp_small },
		{ "test_xdp_packed", test_lengths, netns__setup, NULL, &xdp_packed },
		{ "test_xdp_mixed", test_lengths, netns__setup, NULL, &xdp_mixed },
		{ "test_xdp_largest", test_lengths, netns__setup, NULL, &xdp_largest },
		{ "test_packet_small", test_lengths, netns__setup, NULL, &packet_small },
		{ "test_packet_mixed", test_lengths, netns__setup, NULL, &packet_mixed },
		{ "test_packet_largest", test_lengths, netns__setup, NULL, &packet_largest },
		{ "test_xdp_slack", test_lengths, netns__setup, NULL, &xdp_slack },
		{ "test_packet_slack", test_lengths, netns__setup, NULL, &packet_slack },
		{ "test_xdp_back_pressure", test_back_pressure, netns__setup, NULL, &xdp },
		{ "test_packet_back_pressure", test_back_pressure, netns__setup, NULL, &packet },
		{ "test_xdp_down", test_down, netns__setup, NULL, &xdp },
		{ "test_packet_down", test_down, netns__setup, NULL, &packet },
		{ "test_xdp_give_up", test_give_up, netns__setup, NULL, &xdp },
		{ "test_packet_give_up", test_give_up, netns__setup, NULL, &packet },
		{ "test_xdp_gone", test_gone, netns__setup, NULL, &xdp },
		{ "test_packet_gone", test_gone, netns__setup, NULL, &packet },
		cmocka_unit_test_setup(test_xdp_no_carrier, netns__setup),
		cmocka_unit_test_setup(test_xdp_some_too_long, netns__setup),
		cmocka_unit_test_setup(test_packet_some_too_long, netns__setup),
		cmocka_unit_test_setup(test_drops_once, netns__setup),
		cmocka_unit_test_setup(test_one_socket_a_queue, netns__setup),
		cmocka_unit_test_setup(test_ethernet_header, netns__setup),
		cmocka_unit_test_setup(test_refused, netns__setup),
		cmocka_unit_test_setup(test_not_ethernet, netns__setup),
	};
	const int skip_code = netns__main_guard();

	return skip_code ? skip_code : cmocka_run_group_tests(tests, NULL, NULL);
}
