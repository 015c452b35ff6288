/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets with a frame, also truncated at each byte, and packets without a frame. */
#include "pcap-tools/capture/packet_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "pcap-tools/pcapng/writer.h"
#include "wire/tracewire.h"

struct packet {
	uint8_t bytes[256];
	size_t len;
};

static void put(struct packet *p, const void *bytes, size_t len)
{
	memcpy(p->bytes + p->len, bytes, len);
	p->len += len;
}

static void put16(struct packet *p, uint16_t value)
{
	tw_store_be16(p->bytes + p->len, value);
	p->len += 2;
}

static struct packet ethernet(const uint16_t *types, size_t n)
{
	struct packet p = { .len = 12 };

	for (size_t i = 0; i < n; i++) {
		if (i)
			put16(&p, 5); /* the VLAN tag before this type */
		put16(&p, types[i]);
	}
	return p;
}

static void put_udp(struct packet *p, uint16_t port)
{
	put16(p, 40000);
	put16(p, port);
	put16(p, 12);
	put16(p, 0);
}

/* @words: length of the IP options, in words of 32 bits; @fragment: value of the field with flags and fragment offset */
static struct packet ipv4(unsigned int words, uint16_t fragment, uint8_t protocol, uint16_t port)
{
	const uint16_t type = 0x0800;
	struct packet p = ethernet(&type, 1);
	uint8_t *ip = p.bytes + p.len;

	ip[0] = (uint8_t)(0x45 + words);
	tw_store_be16(ip + 6, fragment);
	ip[9] = protocol;
	p.len += 20 + 4 * words;
	put_udp(&p, port);
	put(&p, "FRAME", 5);
	return p;
}

static struct packet ipv6(uint8_t next, uint16_t port)
{
	const uint16_t type = 0x86dd;
	struct packet p = ethernet(&type, 1);

	p.bytes[p.len] = 0x60;
	p.bytes[p.len + 6] = next;
	p.len += 40;
	put_udp(&p, port);
	put(&p, "FRAME", 5);
	return p;
}

static const uint8_t *find(const uint8_t *bytes, size_t len, size_t *ret_len)
{
	return tw_packet__frame(TW_LINKTYPE_ETHERNET, bytes, len, ret_len);
}

/* Check that the frame in the last five bytes of a packet is found; and in a truncated packet, those of its bytes that are left. */
static void assert_framed(const struct packet *p)
{
	for (size_t len = 0; len <= p->len; len++) {
		uint8_t *exact = malloc(len + 1); /* so that a sanitizer finds reads after the end */
		const uint8_t *frame;
		size_t frame_len = 99;

		assert_non_null(exact);
		memcpy(exact, p->bytes, len);
		frame = len ? find(exact, len, &frame_len) : NULL;
		if (len + 5 < p->len) {
			assert_null(frame);
		} else {
			assert_non_null(frame);
			assert_int_equal(frame_len, len + 5 - p->len);
			assert_memory_equal(frame, "FRAME", frame_len);
		}
		free(exact);
	}
}

static void assert_none(const struct packet *p)
{
	size_t len;

	assert_null(find(p->bytes, p->len, &len));
}

static void link_layer(void **state)
{
	static const uint16_t plain[] = { TW_ETHERTYPE }, vlan[] = { 0x8100, TW_ETHERTYPE };
	static const uint16_t qinq[] = { 0x88a8, 0x8100, TW_ETHERTYPE },
			      many[] = { 0x88a8, 0x8100, 0x8100, TW_ETHERTYPE };
	static const uint16_t arp[] = { 0x0806 }, tagged_arp[] = { 0x8100, 0x0806 };
	static const struct {
		const uint16_t *types;
		size_t n;
		bool framed;
	} rows[] = {
		{ plain, 1, true }, { vlan, 2, true }, { qinq, 3, true },
		{ many, 4, false }, { arp, 1, false }, { tagged_arp, 2, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct packet p = ethernet(rows[i].types, rows[i].n);

		put(&p, "FRAME", 5);
		if (rows[i].framed)
			assert_framed(&p);
		else
			assert_none(&p);
	}
}

static void other_link_types(void **state)
{
	const uint16_t type = TW_ETHERTYPE;
	const struct packet p = ethernet(&type, 1);
	size_t len;

	(void)state;
	assert_null(tw_packet__frame(0, p.bytes, p.len, &len));
	assert_null(tw_packet__frame(113, p.bytes, p.len, &len)); /* Linux cooked */
	assert_null(tw_packet__frame(0x10001, p.bytes, p.len, &len));
}

static void udp_over_ipv4(void **state)
{
	struct packet p;

	(void)state;
	for (unsigned int words = 0; words <= 10; words++) {
		p = ipv4(words, 0x4000, 17, TW_UDP_PORT); /* "don't fragment" means no fragment */
		assert_framed(&p);
	}
	p = ipv4(0, 0x2000, 17, TW_UDP_PORT); /* the first fragment */
	assert_none(&p);
	p = ipv4(0, 1, 17, TW_UDP_PORT); /* the last fragment */
	assert_none(&p);
	p = ipv4(0, 0, 6, TW_UDP_PORT);
	assert_none(&p);
	p = ipv4(0, 0, 17, TW_UDP_PORT + 1);
	assert_none(&p);
	p = ipv4(0, 0, 17, TW_UDP_PORT);
	p.bytes[14] = 0x44; /* a header shorter than the minimum */
	assert_none(&p);
	p.bytes[14] = 0x4f; /* a header longer than the packet */
	assert_none(&p);
	p.bytes[14] = 0x65; /* a header of another version */
	assert_none(&p);
}

static void udp_over_ipv6(void **state)
{
	struct packet p = ipv6(17, TW_UDP_PORT);

	(void)state;
	assert_framed(&p);
	p = ipv6(44, TW_UDP_PORT); /* a fragment */
	assert_none(&p);
	p = ipv6(17, TW_UDP_PORT - 1);
	assert_none(&p);
	p = ipv6(17, TW_UDP_PORT);
	p.bytes[14] = 0x45;
	assert_none(&p);
}

static void tagged_datagram(void **state)
{
	const struct packet plain = ipv4(0, 0, 17, TW_UDP_PORT);
	struct packet p = { .len = 12 };

	(void)state;
	put16(&p, 0x8100);
	put16(&p, 7);
	put(&p, plain.bytes + 12, plain.len - 12);
	assert_framed(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(link_layer),    cmocka_unit_test(other_link_types), cmocka_unit_test(udp_over_ipv4),
		cmocka_unit_test(udp_over_ipv6), cmocka_unit_test(tagged_datagram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
