/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What hand-made socket events say about the messages of flows: shared packets, retransmissions, wrapping numbers, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pcap-tools/sockets/follow.h"
#include "schema/format.h"

#define UDP 17

static struct tw_socket_follower follower;
static struct tw_socket_event event; /* the next one; each test changes what it needs */
static struct tw_socket_step latest;

static void note(void *ctx, const struct tw_socket_step *step)
{
	(void)ctx;
	latest = *step;
}

static int setup(void **state)
{
	(void)state;
	follower = (struct tw_socket_follower){ .step = note };
	tw_socket_flows__init(&follower.flows);
	event = (struct tw_socket_event){
		.stream = 1, .netns_cookie = 1, .protocol = TW_SOCKET_TCP, .sport = 1000, .dport = 80, .cookie = 5
	};
	strcpy(event.comm, "program");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tw_socket_flows__fini(&follower.flows);
	return 0;
}

static void put(enum tw_socket_kind kind)
{
	event.kind = kind;
	event.key = event.seq - 100;
	assert_int_equal(tw_socket_follower__event(&follower, &event), 0);
}

/* An event of egress_ts or ingress_ts: the last byte, the number of bytes, and the time. */
static void put_out(enum tw_sockts_egress_type type, uint32_t seq, uint32_t bytes, uint64_t time)
{
	event.type = type;
	event.seq = seq;
	event.bytes = bytes;
	event.software = time;
	put(TW_SOCKET_EGRESS);
}

static void put_in(enum tw_sockts_ingress_type type, uint32_t seq, uint32_t bytes, uint64_t time)
{
	event.type = type;
	event.seq = seq;
	event.bytes = bytes;
	event.software = time;
	put(TW_SOCKET_INGRESS);
}

static void put_datagram(enum tw_sockts_ingress_type type, uint32_t key, uint64_t time)
{
	event.type = type;
	event.protocol = UDP;
	event.bytes = 30;
	event.seq = 0;
	event.software = time;
	event.kind = TW_SOCKET_INGRESS;
	event.key = key;
	assert_int_equal(tw_socket_follower__event(&follower, &event), 0);
}

static struct tw_socket_flow *flow(void)
{
	const struct tw_socket_flow_id id = tw_socket_flow_id__of(&event);
	struct tw_socket_flow *found = tw_socket_flows__find(&follower.flows, &id);

	assert_non_null(found);
	return found;
}

static const struct tw_socket_figures *program(const char *name)
{
	char comm[TW_SOCKTS_COMM_LEN] = "";
	struct tw_socket_figures *found;

	memcpy(comm, name, strlen(name));
	found = tw_socket_flows__program(&follower.flows, 1, comm);
	assert_non_null(found);
	return found;
}

/* Checks the number of times of a stage, their sum and the largest one. */
static void check(const struct tw_socket_figures *figures, enum tw_socket_stage stage, uint64_t n, uint64_t sum,
		  uint64_t max)
{
	const struct tw_histogram *h = figures->stages[stage];

	assert_int_equal(h ? h->n : 0, n);
	if (!n)
		return;
	assert_int_equal(h->sum, sum);
	assert_int_equal(h->max, max);
}

/* Checks a stage of the flow and of the only program. */
static void check_both(enum tw_socket_stage stage, uint64_t n, uint64_t sum, uint64_t max)
{
	check(&flow()->figures, stage, n, sum, max);
	check(program("program"), stage, n, sum, max);
}

static void test_sent(void **state)
{
	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG_ENTRY, 199, 100, 1000);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 199, 100, 1010);
	put_out(TW_SOCKTS_EGRESS_SCHED, 199, 100, 1030);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 199, 100, 1070);
	assert_int_equal(latest.since, 1030);
	assert_int_equal(latest.messages, 1);
	put_out(TW_SOCKTS_EGRESS_ACK, 199, 100, 1150);
	check_both(TW_SOCKET_STAGE_SEND, 1, 10, 10);
	check_both(TW_SOCKET_STAGE_TCP, 1, 20, 20);
	check_both(TW_SOCKET_STAGE_QDISC, 1, 40, 40);
	check_both(TW_SOCKET_STAGE_ACK, 1, 80, 80);
	assert_int_equal(flow()->figures.sent, 1);
	assert_int_equal(flow()->figures.bytes_sent, 100);
	assert_int_equal(flow()->out.n, 0);
	assert_string_equal(flow()->comm, "program");
}

/* The time of a program is that from its last read until it begins to send; what it sends after that is the same answer. */
static void test_program(void **state)
{
	(void)state;
	put_in(TW_SOCKTS_INGRESS_READ, 500, 10, 900);
	put_in(TW_SOCKTS_INGRESS_READ, 510, 10, 1000);
	put_out(TW_SOCKTS_EGRESS_SENDMSG_ENTRY, 199, 100, 1070);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 199, 100, 1100);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 299, 100, 1200);
	check_both(TW_SOCKET_STAGE_PROGRAM, 1, 70, 70);
	put_in(TW_SOCKTS_INGRESS_READ, 520, 10, 1300);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 399, 100, 1330);
	check_both(TW_SOCKET_STAGE_PROGRAM, 2, 70 + 30, 70);
	put_in(TW_SOCKTS_INGRESS_READ, 530, 10, 1400);
	event.cookie++; /* another connection */
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 499, 100, 1500);
	check_both(TW_SOCKET_STAGE_PROGRAM, 2, 70 + 30, 70);
	event.sample = 2; /* messages in between may have no events */
	put_in(TW_SOCKTS_INGRESS_READ, 540, 10, 1600);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 599, 100, 1700);
	check_both(TW_SOCKET_STAGE_PROGRAM, 2, 70 + 30, 70);
}

/* Two calls share a packet, whose key is that of the second. A third one has a packet of its own. */
static void test_shared_packet(void **state)
{
	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 9, 10, 1000);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 109, 100, 1100);
	put_out(TW_SOCKTS_EGRESS_SCHED, 109, 110, 1200);
	assert_int_equal(latest.messages, 2);
	assert_int_equal(latest.since, 1100);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 209, 100, 1300);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 109, 110, 1400);
	assert_int_equal(latest.messages, 2);
	put_out(TW_SOCKTS_EGRESS_SCHED, 209, 100, 1500);
	assert_int_equal(latest.messages, 1);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 209, 100, 1600);
	check_both(TW_SOCKET_STAGE_TCP, 3, 100 + 200 + 200, 200);
	check_both(TW_SOCKET_STAGE_QDISC, 3, 200 + 200 + 100, 200);
	/* The acknowledgement of the last byte completes all. */
	put_out(TW_SOCKTS_EGRESS_ACK, 209, 100, 1700);
	assert_int_equal(latest.messages, 3);
	check_both(TW_SOCKET_STAGE_ACK, 3, 300 + 300 + 100, 300);
	assert_int_equal(flow()->out.n, 0);
}

/* A packet says nothing about an earlier call whose last byte is not in it. Its stages are unknown, until it is acknowledged. */
static void test_lost_steps(void **state)
{
	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 9, 10, 1000);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 109, 100, 1100);
	put_out(TW_SOCKTS_EGRESS_SCHED, 109, 100, 1200);
	assert_int_equal(latest.messages, 1);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 109, 100, 1250);
	put_out(TW_SOCKTS_EGRESS_ACK, 9, 10, 1300);
	assert_int_equal(flow()->out.n, 1);
	put_out(TW_SOCKTS_EGRESS_ACK, 109, 100, 1400);
	check_both(TW_SOCKET_STAGE_TCP, 1, 100, 100);
	check_both(TW_SOCKET_STAGE_ACK, 1, 150, 150);
	assert_int_equal(flow()->figures.sent, 2);
	/* The kernel accepted a part only: the entry is not that of the call. */
	put_out(TW_SOCKTS_EGRESS_SENDMSG_ENTRY, 309, 200, 1500);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 209, 100, 1600);
	check_both(TW_SOCKET_STAGE_SEND, 1, 100, 100);
	put_out(TW_SOCKTS_EGRESS_SENDMSG_ENTRY, 409, 100, 1700);
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 309, 100, 1800);
	check_both(TW_SOCKET_STAGE_SEND, 1, 100, 100);
}

static void test_retransmission(void **state)
{
	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 99, 100, 1000);
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 1010);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 99, 100, 1020);
	for (event.transmission = 1; event.transmission < 3; event.transmission++) {
		put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 1000 * event.transmission + 1000);
		put_out(TW_SOCKTS_EGRESS_SND_SW, 99, 100, 1000 * event.transmission + 1500);
	}
	event.transmission = 2;
	put_out(TW_SOCKTS_EGRESS_ACK, 99, 100, 4020);
	check_both(TW_SOCKET_STAGE_TCP, 1, 10, 10);
	check_both(TW_SOCKET_STAGE_QDISC, 1, 10, 10);
	check_both(TW_SOCKET_STAGE_ACK, 1, 3000, 3000);
	assert_int_equal(flow()->figures.resent, 1);
	assert_int_equal(program("program")->resent, 1);
	/* A late copy of what was acknowledged is no new message. */
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 5000);
	event.transmission = 0;
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 5000);
	assert_int_equal(flow()->out.n, 0);
	check_both(TW_SOCKET_STAGE_TCP, 1, 10, 10);
	assert_int_equal(flow()->figures.resent, 1);
}

/* Stacked devices repeat steps; the first of them counts. */
static void test_stacked_devices(void **state)
{
	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 99, 100, 1000);
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 1010);
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 1015);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 99, 100, 1030);
	put_out(TW_SOCKTS_EGRESS_SND_SW, 99, 100, 1040);
	check_both(TW_SOCKET_STAGE_TCP, 1, 10, 10);
	check_both(TW_SOCKET_STAGE_QDISC, 1, 20, 20);
}

/* Sequence numbers wrap, between messages and inside of one; 0 is a number like others. */
static void test_wrap(void **state)
{
	static const uint32_t ends[] = { 0xffffff9b, 0xffffffff, 0, 99 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		put_out(TW_SOCKTS_EGRESS_SENDMSG_ENTRY, ends[i], i ? ends[i] - ends[i - 1] : 100, 1000 + 10 * i);
		put_out(TW_SOCKTS_EGRESS_SENDMSG, ends[i], i ? ends[i] - ends[i - 1] : 100, 1001 + 10 * i);
	}
	assert_int_equal(flow()->out.n, 4);
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 99 + 1 + 100, 2000);
	assert_int_equal(latest.messages, 3);
	put_out(TW_SOCKTS_EGRESS_ACK, 0xffffffff, 100, 3000);
	assert_int_equal(flow()->out.n, 2);
	put_out(TW_SOCKTS_EGRESS_ACK, 99, 100, 3000);
	assert_int_equal(flow()->out.n, 0);
	check_both(TW_SOCKET_STAGE_SEND, 4, 4, 1);
	check_both(TW_SOCKET_STAGE_TCP, 3, 989 + 979 + 969, 989);
	/* 5 GB in order: nothing of the first round is left. */
	for (uint64_t i = 1; i <= 50; i++)
		put_out(TW_SOCKTS_EGRESS_SENDMSG, (uint32_t)(99 + i * 100000000), 100000000, 4000);
	assert_int_equal(flow()->figures.sent, 54);
	assert_in_range(flow()->out.n, 20, 22);
	assert_int_equal(flow()->out.n + flow()->out.forgotten, 50);
	put_out(TW_SOCKTS_EGRESS_ACK, (uint32_t)(99 + 5000000000), 100, 5000);
	assert_int_equal(flow()->out.n, 0);
}

static void test_received(void **state)
{
	(void)state;
	/* Two segments; the reader is woken for the first, and reads both in two parts. */
	put_in(TW_SOCKTS_INGRESS_RX, 99, 100, 1000);
	put_in(TW_SOCKTS_INGRESS_IP, 99, 100, 1001);
	put_in(TW_SOCKTS_INGRESS_L4, 99, 100, 1003);
	put_in(TW_SOCKTS_INGRESS_SOCKET, 99, 100, 1007);
	put_in(TW_SOCKTS_INGRESS_RX, 199, 100, 1100);
	put_in(TW_SOCKTS_INGRESS_IP, 199, 100, 1101);
	put_in(TW_SOCKTS_INGRESS_L4, 199, 100, 1103);
	put_in(TW_SOCKTS_INGRESS_SOCKET, 199, 100, 1107);
	check(&flow()->figures, TW_SOCKET_STAGE_SOCKET, 2, 8, 4);
	strcpy(event.comm, "reader");
	put_in(TW_SOCKTS_INGRESS_WAKE, 99, 100, 1010);
	put_in(TW_SOCKTS_INGRESS_RUN, 99, 100, 1020);
	put_in(TW_SOCKTS_INGRESS_READ, 149, 150, 1200);
	assert_int_equal(flow()->figures.received, 1);
	put_in(TW_SOCKTS_INGRESS_READ, 199, 50, 1300);
	assert_int_equal(latest.since, 1107);
	assert_int_equal(flow()->figures.received, 2);
	assert_int_equal(flow()->figures.bytes_received, 200);
	assert_int_equal(program("reader")->received, 2);
	for (int i = 0; i < 2; i++) {
		const struct tw_socket_figures *f = i ? program("reader") : &flow()->figures;

		check(f, TW_SOCKET_STAGE_IP, 2, 2, 1);
		check(f, TW_SOCKET_STAGE_L4, 2, 4, 2);
		check(f, TW_SOCKET_STAGE_SOCKET, 2, 8, 4);
		check(f, TW_SOCKET_STAGE_WAKE, 1, 3, 3);
		check(f, TW_SOCKET_STAGE_RUN, 1, 10, 10);
		check(f, TW_SOCKET_STAGE_READ, 2, 193 + 193, 193);
	}
	/* A segment that was read and comes again is not followed. */
	put_in(TW_SOCKTS_INGRESS_RX, 199, 100, 1400);
	assert_int_equal(flow()->in.n, 0);
}

/* The segment after a hole waits for the missing one, which comes with another length. */
static void test_hole(void **state)
{
	(void)state;
	put_in(TW_SOCKTS_INGRESS_L4, 199, 100, 1000);
	put_in(TW_SOCKTS_INGRESS_L4, 49, 50, 2000);
	put_in(TW_SOCKTS_INGRESS_L4, 99, 100, 2100);
	put_in(TW_SOCKTS_INGRESS_SOCKET, 199, 200, 2200);
	assert_int_equal(latest.messages, 3);
	check(&flow()->figures, TW_SOCKET_STAGE_SOCKET, 3, 1200 + 200 + 100, 1200);
	put_in(TW_SOCKTS_INGRESS_READ, 199, 200, 2300);
	check_both(TW_SOCKET_STAGE_READ, 3, 300, 100);
}

/* Datagrams are followed one by one: one that was dropped is not completed by a later one. */
static void test_datagrams(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		put_datagram(TW_SOCKTS_INGRESS_L4, i - 1, 1000 + i);
	put_datagram(TW_SOCKTS_INGRESS_SOCKET, 0xffffffff, 1010);
	put_datagram(TW_SOCKTS_INGRESS_SOCKET, 1, 1012);
	put_datagram(TW_SOCKTS_INGRESS_READ, 1, 1020);
	put_datagram(TW_SOCKTS_INGRESS_READ, 0xffffffff, 1030);
	check_both(TW_SOCKET_STAGE_SOCKET, 2, 20, 10);
	check_both(TW_SOCKET_STAGE_READ, 2, 8 + 20, 20);
	assert_int_equal(flow()->in.n, 1);
	assert_int_equal(flow()->figures.received, 2);
}

static void test_state(void **state)
{
	(void)state;
	/* What was counted before the run began is left out, except if the connection began later. */
	event.retransmits = 7;
	event.rwnd_limited_us = 100;
	event.srtt_us = 30;
	put(TW_SOCKET_STATS);
	event.retransmits = 9;
	event.rwnd_limited_us = 150;
	put(TW_SOCKET_STATS);
	assert_int_equal(flow()->figures.retransmits, 2);
	assert_int_equal(flow()->figures.rwnd_limited_us, 50);
	check(&flow()->figures, TW_SOCKET_STAGE_SRTT, 2, 60000, 30000);
	event.sport = 1001;
	event.key_base = TW_SOCKTS_KEY_BASE_FIRST;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 99, 100, 1000);
	put(TW_SOCKET_STATS);
	assert_int_equal(flow()->figures.retransmits, 9);
	assert_int_equal(program("program")->retransmits, 9);
	assert_int_equal(flow()->state.rwnd_limited_us, 150);
}

/* Another socket with the same addresses: its sequence numbers have nothing to do with the earlier ones. */
static void test_new_connection(void **state)
{
	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 0x80000000, 100, 1000);
	put_out(TW_SOCKTS_EGRESS_ACK, 0x80000000, 100, 1100);
	event.cookie = 6;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 0x70000000, 100, 2000);
	put_out(TW_SOCKTS_EGRESS_SCHED, 0x70000000, 100, 2010);
	check_both(TW_SOCKET_STAGE_TCP, 1, 10, 10);
	assert_int_equal(flow()->figures.sent, 2);
}

static void test_resets_and_drops(void **state)
{
	(void)state;
	event.bytes = 100;
	event.direction = TW_SOCKTS_DIRECTION_SENT;
	put(TW_SOCKET_RESET);
	event.direction++;
	put(TW_SOCKET_RESET);
	put(TW_SOCKET_RESET);
	assert_int_equal(flow()->figures.resets_sent, 1);
	assert_int_equal(flow()->figures.resets_received, 2);
	/* The packet comes from the other host: its source is the flow's remote end. */
	event.sport = 80;
	event.dport = 1000;
	put(TW_SOCKET_DROP);
	event.sport = 81;
	put(TW_SOCKET_DROP);
	assert_int_equal(follower.stray_drops, 1);
	event.sport = 1000;
	event.dport = 80;
	assert_int_equal(flow()->figures.drops, 1);
	/* It is sent by the flow's own socket. */
	put(TW_SOCKET_DROP);
	assert_int_equal(flow()->figures.drops, 2);
	/* The end of the data that a socket had received is freed with it: no bytes are lost. */
	event.bytes = 0;
	put(TW_SOCKET_DROP);
	assert_int_equal(flow()->figures.drops, 2);
	event.sport = 81;
	put(TW_SOCKET_DROP);
	assert_int_equal(follower.stray_drops, 1);
}

/* Waits count by their reasons, for the flow and for its latest program. */
static void test_held(void **state)
{
	static const uint64_t reasons[] = { 2, 5, 2, TW_SOCKTS_HELD_END, UINT64_MAX };

	(void)state;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 199, 100, 1000);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		event.reason = reasons[i];
		event.waited = 10 + i;
		put(TW_SOCKET_HELD);
	}
	assert_int_equal(flow()->figures.held[2].n, 2);
	assert_int_equal(flow()->figures.held[2].ns, 22);
	assert_int_equal(flow()->figures.held[5].ns, 11);
	assert_int_equal(flow()->figures.held[0].n, 2);
	assert_int_equal(tw_socket_figures__held(program("program")).n, 5);
	assert_int_equal(tw_socket_figures__held(program("program")).ns, 60);
}

/* A time that would be negative is left out and counted; nothing is assumed for unknown types. */
static void test_bad_events(void **state)
{
	(void)state;
	put_in(TW_SOCKTS_INGRESS_RX, 99, 100, 1000);
	put_in(TW_SOCKTS_INGRESS_IP, 99, 100, 900);
	assert_int_equal(follower.backwards, 1);
	check(&flow()->figures, TW_SOCKET_STAGE_IP, 0, 0, 0);
	event.type = 200;
	put(TW_SOCKET_EGRESS);
	put(TW_SOCKET_INGRESS);
	event.comm[0] = '\0';
	event.sport = 7;
	put_out(TW_SOCKTS_EGRESS_SENDMSG, 99, 100, 1000);
	put_out(TW_SOCKTS_EGRESS_SENDMSG_ENTRY, 99, 0, 1000);
	put_out(TW_SOCKTS_EGRESS_SCHED, 99, 0, 1000);
	assert_int_equal(flow()->figures.sent, 1);
}

static void test_full_queue(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < TW_SOCKET_QUEUE_MAX + 10; i++)
		put_out(TW_SOCKTS_EGRESS_SENDMSG, 100 * i, 100, 1000);
	assert_int_equal(flow()->out.n, TW_SOCKET_QUEUE_MAX);
	assert_int_equal(tw_socket_flows__forgotten(&follower.flows), 10);
	put_out(TW_SOCKTS_EGRESS_SCHED, 0, 100, 2000); /* forgotten: not taken in again */
	assert_int_equal(flow()->out.n, TW_SOCKET_QUEUE_MAX);
	put_out(TW_SOCKTS_EGRESS_ACK, 100 * (TW_SOCKET_QUEUE_MAX + 8), 100, 3000);
	assert_int_equal(flow()->out.n, 1);
}

/* The flow that was idle longest makes room, and its figures stay. */
static void test_full_tables(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < TW_SOCKET_FLOWS_MAX + 5; i++) {
		event.sport = i;
		snprintf(event.comm, sizeof(event.comm), "p%u", i);
		put_out(TW_SOCKTS_EGRESS_SENDMSG, 99, 100, 1000);
		put_out(TW_SOCKTS_EGRESS_SCHED, 99, 100, 1010);
		event.sport = 0;
		put_out(TW_SOCKTS_EGRESS_ACK, 99, 100, 1010); /* flow 0 is never idle */
	}
	assert_int_equal(follower.flows.by_id.n, TW_SOCKET_FLOWS_MAX);
	assert_int_equal(follower.flows.n_others, 5);
	assert_int_equal(follower.flows.others.sent, 5);
	check(&follower.flows.others, TW_SOCKET_STAGE_TCP, 5, 50, 10);
	assert_int_equal(tw_socket_flows__forgotten(&follower.flows), 5);
	assert_int_equal(flow()->figures.sent, 1);
	assert_int_equal(follower.flows.programs.n, TW_SOCKET_PROGRAMS_MAX);
	assert_int_equal(follower.flows.other_programs.sent, TW_SOCKET_FLOWS_MAX + 5 - TW_SOCKET_PROGRAMS_MAX);
	/* Flows without a socket make room first, however new they are. */
	event.cookie = 0;
	for (event.sport = 60000; event.sport < 60010; event.sport++)
		put_in(TW_SOCKTS_INGRESS_RX, 99, 100, 1000);
	event.sport = TW_SOCKET_FLOWS_MAX + 4;
	assert_int_equal(flow()->figures.sent, 1);
	assert_int_equal(follower.flows.n_others, 15);
	assert_int_equal(follower.flows.others.sent, 6);
	event.sport = 60009;
	assert_int_equal(flow()->in.n, 1);
	event.sport = 0;
	tw_socket_flows__clear(&follower.flows);
	assert_int_equal(flow()->figures.sent, 0);
	assert_int_equal(follower.flows.others.sent, 0);
}

#define FIELD(type, name, offset, size) "\tfield:" type " " name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"

/* Formats that lack a field, or have one of another type, are refused. */
static void test_binding(void **state)
{
	static const char head[] =
		"name: tcp_reset\nID: 65285\nformat:\n" FIELD("unsigned short", "common_type", 0,
							      2) "\n" FIELD("u64", "netns_cookie", 8, 8)
			FIELD("u16", "protocol", 16, 2) FIELD("u16", "sport", 18, 2) FIELD("u16", "dport", 20, 2)
				FIELD("u8", "direction", 22, 1);
	static const struct {
		const char *system, *fields;
		bool is_valid;
	} cases[] = {
		{ "sockts", FIELD("u8", "saddrv6[16]", 24, 16) FIELD("u8", "daddrv6[16]", 40, 16), true },
		{ "tcp", FIELD("u8", "saddrv6[16]", 24, 16) FIELD("u8", "daddrv6[16]", 40, 16), false },
		{ "sockts", FIELD("u8", "saddrv6[16]", 24, 16), false },
		{ "sockts", FIELD("u8", "saddrv6[16]", 24, 16) FIELD("u8", "daddrv6[4]", 40, 4), false },
		{ "sockts", FIELD("u8", "saddrv6[16]", 24, 16) FIELD("u64", "daddrv6", 40, 8), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_socket_binding binding;
		struct tw_format *format;
		struct tw_error error;
		char text[2048];
		const int len = snprintf(text, sizeof(text), "%s%s\nprint fmt: \"\"\n", head, cases[i].fields);

		assert_int_equal(tw_format__parse(text, (size_t)len, cases[i].system, &format, &error), 0);
		assert_int_equal(tw_socket_binding__make(format, &binding), cases[i].is_valid);
		tw_format__free(format);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sent),
		TEST(test_program),
		TEST(test_shared_packet),
		TEST(test_lost_steps),
		TEST(test_retransmission),
		TEST(test_stacked_devices),
		TEST(test_wrap),
		TEST(test_received),
		TEST(test_hole),
		TEST(test_datagrams),
		TEST(test_state),
		TEST(test_new_connection),
		TEST(test_resets_and_drops),
		TEST(test_held),
		TEST(test_bad_events),
		TEST(test_full_queue),
		TEST(test_full_tables),
		TEST(test_binding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
