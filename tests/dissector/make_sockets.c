/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures with packets and socket events: cases that a live kernel does not produce on demand. */
#include <string.h>

#include "producer/sockets/record.h"
#include "tests/dissector/sample.h"

#define T0         5000000000000u /* ns */
#define WALL       1700000000000000000u
#define LOCAL_PORT 40000
#define PEER_PORT  80
#define SYN        0x02
#define ACK_PSH    0x18

static struct text texts[2]; /* egress_ts, ingress_ts */
static struct text echo_text;
static uint64_t now; /* ns since T0 */

/* The next packet is 10 us later. */
static void step(struct sample *s)
{
	now += 10000;
	s->packet_time = WALL + now - 1000; /* the function that writes a packet adds 1000 */
}

static void put_ip(uint8_t *p, uint16_t len, uint8_t protocol)
{
	static const uint8_t addresses[8] = { 10, 0, 0, 1, 10, 0, 0, 2 };

	p[0] = 0x45;
	tw_store_be16(p + 2, len);
	p[8] = 64;
	p[9] = protocol;
	memcpy(p + 12, addresses, 8);
	tw_store_be16(p + 20, LOCAL_PORT);
	tw_store_be16(p + 22, PEER_PORT);
}

static void put_segment(struct sample *s, uint32_t seq, uint16_t len, uint8_t flags)
{
	uint8_t packet[14 + 20 + 20 + 2000] = { [12] = 8 };

	step(s);
	put_ip(packet + 14, (uint16_t)(40 + len), 6);
	tw_store_be32(packet + 14 + 24, seq);
	packet[14 + 32] = 0x50;
	packet[14 + 33] = flags;
	sample__packet(s, packet, 54u + len);
}

static void put_datagram(struct sample *s)
{
	uint8_t packet[14 + 20 + 8 + 10] = { [12] = 8 };

	step(s);
	put_ip(packet + 14, 38, 17);
	tw_store_be16(packet + 14 + 24, 18);
	sample__packet(s, packet, sizeof(packet));
}

/* Writes the fields of a record after the common ones. */
static void put_record(struct sample *s, uint16_t id, const void *fields, size_t size)
{
	static struct sample_record r;

	record__begin(&r, id, 42, false);
	record__bytes(&r, (const uint8_t *)fields + sizeof(struct tw_sockts_common),
		      (uint32_t)(size - sizeof(struct tw_sockts_common)));
	step(s);
	sample__cpu(s, 0, T0 + now);
	sample__event(s, &r, T0 + now);
	sample__end(s);
}

static const uint8_t local[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 }, peer[16] = { [10] = 0xff, 0xff, 10, 0, 0, 2 };

static void put_egress(struct sample *s, uint8_t type, uint32_t seq, uint32_t bytes, uint16_t transmission)
{
	struct tw_sockts_egress_ts e = {
		.family = 2,
		.protocol = 6,
		.sport = LOCAL_PORT,
		.dport = PEER_PORT,
		.type = type,
		.seq = seq,
		.bytes = bytes,
		.pid = 42,
		.transmission = transmission,
		.comm = "sender",
		.software = T0 + now + 10000,
	};

	memcpy(e.saddrv6, local, 16);
	memcpy(e.daddrv6, peer, 16);
	put_record(s, TW_SOCKTS_ID_egress_ts, &e, sizeof(e));
}

/* Of the peer, which is on the same machine. */
static void put_ingress(struct sample *s, uint8_t type, uint16_t protocol, uint32_t key, uint32_t bytes)
{
	struct tw_sockts_ingress_ts e = {
		.family = 2,
		.protocol = protocol,
		.sport = PEER_PORT,
		.dport = LOCAL_PORT,
		.type = type,
		.seq = key,
		.key = key,
		.bytes = bytes,
		.pid = 43,
		.comm = "reader",
		.software = T0 + now + 10000,
	};

	memcpy(e.saddrv6, peer, 16);
	memcpy(e.daddrv6, local, 16);
	put_record(s, TW_SOCKTS_ID_ingress_ts, &e, sizeof(e));
}

static void put_sent(struct sample *s, uint32_t seq, uint16_t len, uint32_t key, uint16_t transmission)
{
	put_egress(s, TW_SOCKTS_EGRESS_SCHED, key, len, transmission);
	put_segment(s, seq, len, ACK_PSH);
	put_egress(s, TW_SOCKTS_EGRESS_SND_SW, key, len, transmission);
}

/* A message in one segment, from sendmsg() to its acknowledgement. */
static void put_message(struct sample *s, uint32_t seq, uint16_t len)
{
	const uint32_t key = seq + len - 1;

	put_egress(s, TW_SOCKTS_EGRESS_SENDMSG, key, len, 0);
	put_sent(s, seq, len, key, 0);
	put_egress(s, TW_SOCKTS_EGRESS_ACK, key, len, 0);
}

static void open_sample(struct sample *s, const char *out, const char *name, const struct text *formats, uint32_t n)
{
	now = 0;
	sample__open(s, out, name);
	s->info.schema_id = texts__hash(formats, n, false, 8);
	sample__schema(s, formats, n);
}

static void open_sockets(struct sample *s, const char *out, const char *name)
{
	open_sample(s, out, name, texts, 2);
}

/* Sequence numbers that wrap, between two messages and within one; then a new connection with the same ports and numbers. */
static void make_wrap(const char *out)
{
	static struct sample s;

	open_sockets(&s, out, "sockets-wrap.pcap");
	put_segment(&s, 0xfffffeff, 0, SYN);
	put_message(&s, 0xffffff00, 0x100);
	put_message(&s, 0, 0x100);
	put_segment(&s, 0xfffffeff, 0, SYN);
	put_message(&s, 0xffffff00, 0x180);
	put_message(&s, 0x80, 0x80);
	sample__close(&s);
}

/* Two messages in one segment, that is lost twice; then a packet that is divided into three segments, of which the second is lost. */
static void make_lost(const char *out)
{
	static struct sample s;

	open_sockets(&s, out, "sockets-lost.pcap");
	put_egress(&s, TW_SOCKTS_EGRESS_SENDMSG, 1099, 100, 0);
	put_egress(&s, TW_SOCKTS_EGRESS_SENDMSG, 1199, 100, 0);
	for (uint16_t transmission = 0; transmission < 3; transmission++)
		put_sent(&s, 1000, 200, 1199, transmission);
	put_ingress(&s, TW_SOCKTS_INGRESS_RX, 6, 1199, 200);
	put_ingress(&s, TW_SOCKTS_INGRESS_SOCKET, 6, 1199, 200);
	put_egress(&s, TW_SOCKTS_EGRESS_ACK, 1199, 200, 2);
	put_egress(&s, TW_SOCKTS_EGRESS_SENDMSG, 1499, 300, 0);
	put_egress(&s, TW_SOCKTS_EGRESS_SCHED, 1499, 300, 0);
	for (uint32_t i = 0; i < 3; i++)
		put_segment(&s, 1200 + i * 100, 100, ACK_PSH);
	put_egress(&s, TW_SOCKTS_EGRESS_SND_SW, 1499, 100, 0);
	put_ingress(&s, TW_SOCKTS_INGRESS_RX, 6, 1299, 100);
	put_ingress(&s, TW_SOCKTS_INGRESS_SOCKET, 6, 1299, 100);
	put_ingress(&s, TW_SOCKTS_INGRESS_RX, 6, 1499, 100);
	put_segment(&s, 1300, 100, ACK_PSH);
	put_ingress(&s, TW_SOCKTS_INGRESS_RX, 6, 1399, 100);
	put_ingress(&s, TW_SOCKTS_INGRESS_SOCKET, 6, 1499, 200);
	put_ingress(&s, TW_SOCKTS_INGRESS_READ, 6, 1499, 300);
	sample__close(&s);
}

/* Datagrams; the first event is about the third one. The kernel has put the next two together. */
static void make_datagrams(const char *out)
{
	static struct sample s;

	open_sockets(&s, out, "sockets-udp.pcap");
	put_datagram(&s);
	now += 10000000;
	put_datagram(&s);
	now += 10000000;
	put_datagram(&s);
	put_ingress(&s, TW_SOCKTS_INGRESS_RX, 17, 0, 10);
	put_ingress(&s, TW_SOCKTS_INGRESS_SOCKET, 17, 0, 10);
	put_datagram(&s);
	put_datagram(&s);
	put_ingress(&s, TW_SOCKTS_INGRESS_RX, 17, 2, 10);
	for (uint32_t key = 0; key < 3; key++)
		put_ingress(&s, TW_SOCKTS_INGRESS_READ, 17, key, 10);
	sample__close(&s);
}

/* A request of this host to the peer, or the peer's reply. */
static void put_echo(struct sample *s, bool reply, uint16_t id, uint16_t seq)
{
	uint8_t packet[14 + 20 + 8 + 10] = { [12] = 8 }, *ip = packet + 14, *icmp = ip + 20;

	step(s);
	put_ip(ip, 38, 1);
	if (reply) {
		memcpy(ip + 12, peer + 12, 4);
		memcpy(ip + 16, local + 12, 4);
	}
	memset(icmp, 0, 8);
	icmp[0] = reply ? 0 : 8;
	tw_store_be16(icmp + 4, id);
	tw_store_be16(icmp + 6, seq);
	sample__packet(s, packet, sizeof(packet));
}

static void put_echo_event(struct sample *s, uint8_t type, uint16_t id, uint16_t seq)
{
	struct tw_sockts_icmp_echo e = {
		.family = 2,
		.protocol = 1,
		.rtt = type == TW_SOCKTS_ECHO_REPLY ? 25000 : 0,
		.bytes = 18,
		.id = id,
		.seq = seq,
		.type = type,
	};

	memcpy(e.saddrv6, local, 16);
	memcpy(e.daddrv6, peer, 16);
	put_record(s, TW_SOCKTS_ID_icmp_echo, &e, sizeof(e));
}

static void put_exchange(struct sample *s, uint16_t id, uint16_t seq)
{
	put_echo_event(s, TW_SOCKTS_ECHO_REQUEST, id, seq);
	put_echo(s, false, id, seq);
	put_echo(s, true, id, seq);
	put_echo_event(s, TW_SOCKTS_ECHO_REPLY, id, seq);
}

/* Echoes: one without a reply, two with the same id and number one after the other, numbers that wrap, and one without events. */
static void make_echoes(const char *out)
{
	static struct sample s;

	open_sample(&s, out, "sockets-echo.pcap", &echo_text, 1);
	put_exchange(&s, 7, 1);
	put_echo_event(&s, TW_SOCKTS_ECHO_REQUEST, 7, 2);
	put_echo(&s, false, 7, 2);
	put_exchange(&s, 7, 1);
	put_exchange(&s, 8, 65535);
	put_exchange(&s, 8, 0);
	put_echo(&s, false, 9, 1);
	put_echo(&s, true, 9, 1);
	sample__close(&s);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Events and packets that contradict each other, of few bytes, so that each has many of the others. */
static void make_hostile(const char *out)
{
	static struct sample s;
	uint32_t random = 1;

	open_sockets(&s, out, "sockets-hostile.pcap");
	for (int i = 0; i < 4000; i++) {
		const uint32_t n = next_random(&random), huge = n % 7 ? 0 : n << 8;

		if (n % 4 == 0)
			put_segment(&s, n / 16 % 64 + huge, (uint16_t)(next_random(&random) % 1500),
				    n % 64 ? ACK_PSH : SYN);
		else if (n % 4 == 1)
			put_egress(&s, (uint8_t)(n / 4 % 8), n / 32 % 64 + huge, next_random(&random) << (n % 16),
				   (uint16_t)(n / 2048 % 4));
		else if (n % 4 == 2)
			put_ingress(&s, (uint8_t)(n / 4 % 9), n % 8 ? 6 : 17, n / 64 % 64 + huge,
				    next_random(&random) << (n % 16));
		else
			put_datagram(&s);
		now = n % 5 ? now : now - (now < n % 3000000 ? now : n % 3000000);
	}
	sample__close(&s);
}

/* Each event of one frame can belong to many packets, and each packet has many events. */
static void make_crowd(const char *out)
{
	static struct sample_record r;
	static struct sample s;
	struct tw_sockts_egress_ts e = {
		.family = 2,
		.protocol = 6,
		.sport = LOCAL_PORT,
		.dport = PEER_PORT,
		.type = TW_SOCKTS_EGRESS_SND_SW,
		.seq = 1199,
		.bytes = 200,
	};

	memcpy(e.saddrv6, local, 16);
	memcpy(e.daddrv6, peer, 16);
	open_sockets(&s, out, "sockets-crowd.pcap");
	for (uint16_t i = 0; i < 300; i++)
		put_sent(&s, 1000, 200, 1199, i);
	step(&s);
	sample__cpu(&s, 0, T0 + now);
	for (uint16_t i = 0; i < 250; i++) {
		e.transmission = i;
		e.software = T0 + now;
		record__begin(&r, TW_SOCKTS_ID_egress_ts, 42, false);
		record__bytes(&r, (const uint8_t *)&e + sizeof(struct tw_sockts_common),
			      (uint32_t)(sizeof(e) - sizeof(struct tw_sockts_common)));
		sample__event(&s, &r, T0 + now);
	}
	sample__end(&s);
	sample__close(&s);
}

void make_sockets(const char *formats, const char *out)
{
	text__read(&texts[0], formats, TW_SOCKTS_SYSTEM, "egress_ts");
	text__read(&texts[1], formats, TW_SOCKTS_SYSTEM, "ingress_ts");
	text__read(&echo_text, formats, TW_SOCKTS_SYSTEM, "icmp_echo");
	make_wrap(out);
	make_lost(out);
	make_datagrams(out);
	make_echoes(out);
	make_hostile(out);
	make_crowd(out);
}
