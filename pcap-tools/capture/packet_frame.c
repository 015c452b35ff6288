/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/packet_frame.h"

#include "base/bytes.h"
#include "pcap-tools/pcapng/writer.h"
#include "wire/tracewire.h"

#define ETHER_ADDRESSES 12
#define TYPE_IPV4       0x0800
#define TYPE_IPV6       0x86dd
#define TYPE_VLAN       0x8100
#define TYPE_QINQ       0x88a8
#define TAGS_MAX        2
#define PROTO_UDP       17
#define IPV4_MIN        20
#define IPV6_HEADER     40
#define UDP_HEADER      8
#define FRAGMENT_MASK   0x3fff /* more-fragments flag and fragment offset */

static const uint8_t *in_udp(const uint8_t *p, size_t len, size_t *ret_len)
{
	if (len < UDP_HEADER || tw_load_be16(p + 2) != TW_UDP_PORT)
		return NULL;
	*ret_len = len - UDP_HEADER;
	return p + UDP_HEADER;
}

static const uint8_t *in_ipv4(const uint8_t *p, size_t len, size_t *ret_len)
{
	size_t header;

	if (len < IPV4_MIN || p[0] >> 4 != 4 || p[9] != PROTO_UDP || tw_load_be16(p + 6) & FRAGMENT_MASK)
		return NULL;
	header = (size_t)(p[0] & 0xf) * 4;
	return header < IPV4_MIN || header > len ? NULL : in_udp(p + header, len - header, ret_len);
}

static const uint8_t *in_ipv6(const uint8_t *p, size_t len, size_t *ret_len)
{
	if (len < IPV6_HEADER || p[0] >> 4 != 6 || p[6] != PROTO_UDP)
		return NULL;
	return in_udp(p + IPV6_HEADER, len - IPV6_HEADER, ret_len);
}

const uint8_t *tw_packet__frame(uint32_t linktype, const uint8_t *packet, size_t len, size_t *ret_len)
{
	size_t at = ETHER_ADDRESSES + 2;
	uint16_t type;

	if (linktype != TW_LINKTYPE_ETHERNET || len < at)
		return NULL;
	type = tw_load_be16(packet + ETHER_ADDRESSES);
	for (int tags = 0; (type == TYPE_VLAN || type == TYPE_QINQ) && tags < TAGS_MAX && len - at >= 4; tags++) {
		type = tw_load_be16(packet + at + 2);
		at += 4;
	}
	if (type == TW_ETHERTYPE) {
		*ret_len = len - at;
		return packet + at;
	}
	if (type == TYPE_IPV4)
		return in_ipv4(packet + at, len - at, ret_len);
	return type == TYPE_IPV6 ? in_ipv6(packet + at, len - at, ret_len) : NULL;
}

bool tw_packet__is_snapped(const struct tw_packet *packet, enum tw_frame_status status, size_t frame_len)
{
	const bool is_short = status == TW_FRAME_TRUNCATED ||
			      (status == TW_FRAME_MALFORMED && frame_len < sizeof(struct tw_frame_hdr));

	return is_short && packet->len < packet->original;
}
