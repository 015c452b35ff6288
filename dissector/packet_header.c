/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/packet_header.h"

#include <string.h>

#include "base/bytes.h"

#define VLAN_TAGS_MAX         4
#define EXTENSION_HEADERS_MAX 8

/* Numbers of the headers of IPv6 that can precede TCP, UDP and ICMP. */
enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, DESTINATION_OPTIONS = 60 };

static bool skip(struct tw_cursor *c, size_t len)
{
	return tw_cursor__take(c, len);
}

static bool skip_ethernet(struct tw_cursor *c)
{
	const uint8_t *p = NULL;

	if (!skip(c, 12))
		return false;
	for (int tags = 0; tags <= VLAN_TAGS_MAX; tags++) {
		p = tw_cursor__take(c, 2);
		if (!p)
			return false;
		switch (tw_load_be16(p)) {
		case 0x0800:
		case 0x86dd:
			return true;
		case 0x8100:
		case 0x88a8:
			if (!skip(c, 2))
				return false;
			break;
		default:
			return false;
		}
	}
	return false;
}

static bool skip_link(struct tw_cursor *c, enum tw_link_type link)
{
	switch (link) {
	case TW_LINK_ETHERNET:
		return skip_ethernet(c);
	case TW_LINK_NULL:
		return skip(c, 4);
	case TW_LINK_RAW:
		return true;
	case TW_LINK_SLL:
		return skip(c, 16);
	case TW_LINK_SLL2:
		return skip(c, 20);
	default:
		return false;
	}
}

/* Sets the length of the payload of IP. The kernel captures packets before it divides them; their length can be 0. */
static void set_len(struct tw_packet_header *h, uint32_t total, uint32_t headers, uint32_t reported)
{
	h->len = total ? total : reported;
	h->len = h->len < reported ? h->len : reported;
	h->len = h->len > headers ? h->len - headers : 0;
}

static void set_mapped(uint8_t *ret, const uint8_t *address)
{
	memset(ret, 0, 10);
	memset(ret + 10, 0xff, 2);
	memcpy(ret + 12, address, 4);
}

static bool parse_ipv4(struct tw_cursor *c, uint32_t reported, struct tw_packet_header *h)
{
	const uint8_t *p = tw_cursor__take(c, 20);
	uint32_t size;

	if (!p)
		return false;
	size = (p[0] & 15u) * 4u;
	if (size < 20 || tw_load_be16(p + 6) & 0x1fff || !skip(c, size - 20))
		return false;
	h->flow.protocol = p[9];
	set_mapped(h->flow.source, p + 12);
	set_mapped(h->flow.destination, p + 16);
	set_len(h, tw_load_be16(p + 2), size, reported);
	return true;
}

/* Return: false if the next header cannot be skipped. */
static bool skip_extension(struct tw_cursor *c, uint8_t *next, uint32_t *size)
{
	const bool is_fragment = *next == FRAGMENT;
	const uint8_t *p = tw_cursor__take(c, 8);

	if (!p || (is_fragment && tw_load_be16(p + 2) & 0xfff8))
		return false;
	*next = p[0];
	*size += 8u + (is_fragment ? 0 : p[1] * 8u);
	return is_fragment || skip(c, p[1] * 8u);
}

static bool parse_ipv6(struct tw_cursor *c, uint32_t reported, struct tw_packet_header *h)
{
	const uint8_t *p = tw_cursor__take(c, 40);
	uint32_t size = 40, total;
	uint8_t next;

	if (!p)
		return false;
	next = p[6];
	total = tw_load_be16(p + 4);
	memcpy(h->flow.source, p + 8, 16);
	memcpy(h->flow.destination, p + 24, 16);
	for (int i = 0; i < EXTENSION_HEADERS_MAX; i++) {
		if (next != HOP_BY_HOP && next != ROUTING && next != FRAGMENT && next != DESTINATION_OPTIONS)
			break;
		if (!skip_extension(c, &next, &size))
			return false;
	}
	h->flow.protocol = next;
	set_len(h, total ? total + 40 : 0, size, reported);
	return true;
}

static bool parse_tcp(struct tw_cursor *c, struct tw_packet_header *h)
{
	const uint8_t *p = tw_cursor__take(c, 20);
	uint32_t size;

	if (!p)
		return false;
	size = (p[12] >> 4) * 4u;
	if (size < 20)
		return false;
	h->flow.source_port = tw_load_be16(p);
	h->flow.destination_port = tw_load_be16(p + 2);
	h->syn = p[13] & 2;
	h->seq = tw_load_be32(p + 4) + h->syn;
	h->len = h->len > size ? h->len - size : 0;
	return true;
}

static bool parse_udp(struct tw_cursor *c, struct tw_packet_header *h)
{
	const uint8_t *p = tw_cursor__take(c, 8);

	if (!p)
		return false;
	h->flow.source_port = tw_load_be16(p);
	h->flow.destination_port = tw_load_be16(p + 2);
	h->len = h->len > 8 ? h->len - 8 : 0;
	return true;
}

static void swap_addresses(struct tw_packet_flow *flow)
{
	uint8_t address[sizeof(flow->source)];

	memcpy(address, flow->source, sizeof(address));
	memcpy(flow->source, flow->destination, sizeof(address));
	memcpy(flow->destination, address, sizeof(address));
}

/* The types of an echo, and a code that is 0; then the checksum, id and number. */
static bool parse_icmp(struct tw_cursor *c, struct tw_packet_header *h)
{
	const bool v6 = h->flow.protocol == TW_IP_ICMPV6;
	const uint8_t *p = tw_cursor__take(c, 8);

	if (!p || p[1])
		return false;
	h->reply = p[0] == (v6 ? 129 : 0);
	if (!h->reply && p[0] != (v6 ? 128 : 8))
		return false;
	h->flow.source_port = tw_load_be16(p + 4);
	h->seq = tw_load_be16(p + 6);
	h->len = h->len > 8 ? h->len - 8 : 0;
	if (h->reply)
		swap_addresses(&h->flow);
	return true;
}

static bool parse_protocol(struct tw_cursor *c, struct tw_packet_header *h)
{
	switch (h->flow.protocol) {
	case TW_IP_TCP:
		return parse_tcp(c, h);
	case TW_IP_UDP:
		return parse_udp(c, h);
	case TW_IP_ICMP:
	case TW_IP_ICMPV6:
		return parse_icmp(c, h);
	default:
		return false;
	}
}

bool tw_packet_header__parse(struct tw_cursor bytes, uint32_t missing, enum tw_link_type link,
			     struct tw_packet_header *ret)
{
	struct tw_packet_header h = { 0 };
	uint32_t reported;
	bool is_ip;

	if (!skip_link(&bytes, link) || !bytes.left)
		return false;
	reported = (uint32_t)bytes.left + missing;
	switch (bytes.at[0] >> 4) {
	case 4:
		is_ip = parse_ipv4(&bytes, reported, &h);
		break;
	case 6:
		is_ip = parse_ipv6(&bytes, reported, &h);
		break;
	default:
		is_ip = false;
	}
	if (!is_ip || !parse_protocol(&bytes, &h))
		return false;
	*ret = h;
	return true;
}
