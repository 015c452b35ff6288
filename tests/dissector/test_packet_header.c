/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of packets: link types, IPv4 and IPv6, TCP, UDP and ICMP, and packets that are cut or no such packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dissector/packet_header.h"

#define IPV4(total, protocol) 0x45, 0, 0, total, 0, 1, 0, 0, 64, protocol, 0, 0, 10, 3, 0, 1, 10, 3, 0, 2
#define TCP(flags)            0x1e, 0x61, 0, 80, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0, 0x60, flags, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1
#define MACS                  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
#define IPV6(len, next)       0x60, 0, 0, 0, 0, len, next, 64, ADDRESS(1), ADDRESS(2)
#define ADDRESS(last)         0xfd, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last
#define UDP                   0x1e, 0x61, 0, 53, 0, 11, 0, 0

#define PARSE(link, missing, ret, ...)                                                          \
	tw_packet_header__parse((struct tw_cursor){ (const uint8_t[]){ __VA_ARGS__ },           \
						    sizeof((const uint8_t[]){ __VA_ARGS__ }) }, \
				missing, link, ret)

static void check_flow(const struct tw_packet_header *header, uint16_t protocol, uint16_t destination_port)
{
	assert_int_equal(header->flow.protocol, protocol);
	assert_int_equal(header->flow.source_port, 7777);
	assert_int_equal(header->flow.destination_port, destination_port);
}

static void test_tcp(void **state)
{
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 10, 3, 0, 1 };
	struct tw_packet_header header;

	(void)state;
	assert_true(PARSE(TW_LINK_ETHERNET, 0, &header, MACS, 8, 0, IPV4(47, 6), TCP(0x18), 'a', 'b', 'c'));
	check_flow(&header, TW_IP_TCP, 80);
	assert_memory_equal(header.flow.source, mapped, 16);
	assert_int_equal(header.seq, 0xfffffffe);
	assert_int_equal(header.len, 3);
	assert_false(header.syn);
	/* The padding of a short frame is no payload. The data of a SYN begin after its own number. */
	assert_true(PARSE(TW_LINK_ETHERNET, 0, &header, MACS, 8, 0, IPV4(44, 6), TCP(2), 0, 0, 0, 0));
	assert_int_equal(header.len, 0);
	assert_true(header.syn);
	assert_int_equal(header.seq, 0xffffffff);
	/* Bytes that were not captured count. The kernel sends large packets with the length 0. */
	assert_true(PARSE(TW_LINK_ETHERNET, 1000, &header, MACS, 8, 0, IPV4(0, 6), TCP(0x18), 'a'));
	assert_int_equal(header.len, 1001);
}

static void test_links(void **state)
{
	struct tw_packet_header header;

	(void)state;
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV4(31, 17), UDP, 1, 2, 3));
	assert_int_equal(header.len, 3);
	check_flow(&header, TW_IP_UDP, 53);
	assert_true(PARSE(TW_LINK_NULL, 0, &header, 2, 0, 0, 0, IPV4(31, 17), UDP, 1, 2, 3));
	assert_true(PARSE(TW_LINK_SLL, 0, &header, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, IPV4(31, 17), UDP, 1,
			  2, 3));
	assert_true(PARSE(TW_LINK_SLL2, 0, &header, 8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0,
			  IPV4(31, 17), UDP, 1, 2, 3));
	check_flow(&header, TW_IP_UDP, 53);
	assert_true(PARSE(TW_LINK_ETHERNET, 0, &header, MACS, 0x81, 0, 0, 7, 8, 0, IPV4(31, 17), UDP, 1, 2, 3));
	/* A tag in a tag; and tunnels, of which only the outer headers are read: IP in IP, and a UDP tunnel. */
	assert_true(PARSE(TW_LINK_ETHERNET, 0, &header, MACS, 0x88, 0xa8, 0, 7, 0x81, 0, 0, 8, 8, 0, IPV4(31, 17), UDP,
			  1, 2, 3));
	assert_false(PARSE(TW_LINK_RAW, 0, &header, IPV4(67, 4), IPV4(47, 6), TCP(0x18), 'a', 'b', 'c'));
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV4(75, 17), UDP, IPV4(47, 6), TCP(0x18), 'a', 'b', 'c'));
	check_flow(&header, TW_IP_UDP, 53);
	assert_false(PARSE(TW_LINK_ETHERNET, 0, &header, MACS, 8, 6, IPV4(31, 17), UDP, 1, 2, 3));
	assert_false(PARSE(TW_LINK_OTHER, 0, &header, IPV4(31, 17), UDP, 1, 2, 3));
}

static void test_ipv6(void **state)
{
	struct tw_packet_header header;

	(void)state;
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV6(11, 17), UDP, 1, 2, 3));
	assert_int_equal(header.len, 3);
	check_flow(&header, TW_IP_UDP, 53);
	assert_int_equal(header.flow.destination[15], 2);
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV6(19, 0), 17, 0, 1, 4, 0, 0, 0, 0, UDP, 1, 2, 3));
	assert_int_equal(header.len, 3);
	/* The first fragment has the headers, the others do not. */
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV6(19, 44), 17, 0, 0, 1, 0, 0, 0, 9, UDP, 1, 2, 3));
	assert_false(PARSE(TW_LINK_RAW, 0, &header, IPV6(19, 44), 17, 0, 0, 8, 0, 0, 0, 9, UDP, 1, 2, 3));
}

static void test_icmp(void **state)
{
	static const uint8_t requester[16] = { [10] = 0xff, 0xff, 10, 3, 0, 1 },
			     asked[16] = { [10] = 0xff, 0xff, 10, 3, 0, 2 };
	struct tw_packet_header header;

	(void)state;
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV4(31, 1), 8, 0, 1, 2, 0x12, 0x34, 0, 5, 1, 2, 3));
	assert_int_equal(header.flow.protocol, TW_IP_ICMP);
	assert_int_equal(header.flow.source_port, 0x1234);
	assert_int_equal(header.flow.destination_port, 0);
	assert_memory_equal(header.flow.source, requester, 16);
	assert_int_equal(header.seq, 5);
	assert_int_equal(header.len, 3);
	assert_false(header.reply);
	/* A reply has the flow of its request. */
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV4(31, 1), 0, 0, 1, 2, 0x12, 0x34, 0, 5, 1, 2, 3));
	assert_true(header.reply);
	assert_memory_equal(header.flow.source, asked, 16);
	assert_memory_equal(header.flow.destination, requester, 16);
	assert_true(PARSE(TW_LINK_RAW, 0, &header, IPV6(8, 58), 129, 0, 1, 2, 0x12, 0x34, 0, 5));
	assert_int_equal(header.flow.protocol, TW_IP_ICMPV6);
	assert_true(header.reply);
	/* Other messages of ICMP, and a message that is cut. */
	assert_false(PARSE(TW_LINK_RAW, 0, &header, IPV4(31, 1), 3, 0, 1, 2, 0x12, 0x34, 0, 5, 1, 2, 3));
	assert_false(PARSE(TW_LINK_RAW, 0, &header, IPV6(8, 58), 8, 0, 1, 2, 0x12, 0x34, 0, 5));
	assert_false(PARSE(TW_LINK_RAW, 4, &header, IPV4(31, 1), 8, 0, 1, 2, 0x12, 0x34, 0));
}

static void test_cut(void **state)
{
	static const uint8_t packet[] = { MACS, 8, 0, IPV4(44, 6), TCP(0x18) };
	struct tw_packet_header header;

	(void)state;
	for (size_t len = 0; len < 14 + 20 + 20; len++)
		assert_false(tw_packet_header__parse((struct tw_cursor){ packet, len },
						     (uint32_t)(sizeof(packet) - len), TW_LINK_ETHERNET, &header));
	assert_true(tw_packet_header__parse((struct tw_cursor){ packet, 14 + 20 + 20 }, 4, TW_LINK_ETHERNET, &header));
	assert_int_equal(header.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),  cmocka_unit_test(test_links), cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_icmp), cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
