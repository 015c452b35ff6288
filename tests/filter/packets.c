/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/packets.h"

#include <stdlib.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/in.h>

const char *const packet_links[LINKS] = {
	"Ethernet",
	"VLAN",
	"two VLANs",
	"three VLANs",
	"UDP/IPv4",
	"UDP/IPv4 with options",
	"UDP/IPv4 without checksum",
	"IPv4 fragment",
	"UDP/IPv6",
	"UDP/IPv6 without checksum",
	"UDP/IPv4 in a VLAN",
	"another port",
	"TCP",
	"ARP",
};

static bool is_ipv6(uint8_t link)
{
	return link == LINK_UDP6 || link == LINK_UDP6_PLAIN;
}

static bool is_ip(uint8_t link)
{
	return link >= LINK_UDP4 && link != LINK_ARP;
}

static void add16(struct packet *p, uint16_t value)
{
	tw_store_be16(p->bytes + p->len, value);
	p->len += 2;
}

static void add_zeros(struct packet *p, size_t n)
{
	memset(p->bytes + p->len, 0, n);
	p->len += n;
}

static void add_tags(struct packet *p)
{
	const int tags = p->link == LINK_VLAN || p->link == LINK_VLAN_UDP4 ? 1 : p->link == LINK_VLANS ? 2 : 3;

	if (p->link != LINK_VLAN_UDP4 && (p->link < LINK_VLAN || p->link > LINK_THREE))
		return;
	for (int i = 0; i < tags; i++) {
		add16(p, i || tags == 1 ? ETH_P_8021Q : ETH_P_8021AD);
		add16(p, 100);
	}
}

static void add_ipv4(struct packet *p)
{
	const size_t ip = p->len, header = p->link == LINK_UDP4_OPTIONS ? 28 : 20;

	add_zeros(p, header);
	p->bytes[ip] = (uint8_t)(0x40 | header / 4);
	p->bytes[ip + 8] = 64;
	p->bytes[ip + 9] = p->link == LINK_TCP ? IPPROTO_TCP : IPPROTO_UDP;
	tw_store_be16(p->bytes + ip + 6, p->link == LINK_UDP4_FRAGMENT ? 0x2000 : 0x4000);
	memcpy(p->bytes + ip + 12, "\x0a\x00\x00\x01\x0a\x00\x00\x02", 8);
	if (header > 20)
		memset(p->bytes + ip + 20, 1, header - 20);
}

static void add_ipv6(struct packet *p)
{
	const size_t ip = p->len;

	add_zeros(p, 40);
	p->bytes[ip] = 0x60;
	p->bytes[ip + 6] = IPPROTO_UDP;
	p->bytes[ip + 7] = 64;
	p->bytes[ip + 8] = 0xfd;
	p->bytes[ip + 24] = 0xfd;
	p->bytes[ip + 39] = 2;
}

static void add_udp(struct packet *p)
{
	add16(p, 40000);
	add16(p, p->link == LINK_OTHER_PORT ? TW_UDP_PORT + 1 : TW_UDP_PORT);
	add_zeros(p, 4);
}

void packet__begin(struct packet *p, enum packet_link link, const struct tw_frame_info *info)
{
	p->len = 0;
	p->link = (uint8_t)link;
	memcpy(p->bytes, "\x03\x54\x57\x52\x31\x00\x02\x00\x00\x00\x00\x01", 2 * ETH_ALEN);
	p->len = 2 * ETH_ALEN;
	add_tags(p);
	add16(p, is_ipv6(p->link)   ? ETH_P_IPV6
		 : is_ip(p->link)   ? ETH_P_IP
		 : link == LINK_ARP ? ETH_P_ARP
				    : TW_ETHERTYPE);
	if (is_ipv6(p->link))
		add_ipv6(p);
	else if (is_ip(p->link))
		add_ipv4(p);
	if (is_ip(p->link))
		add_udp(p);
	p->head = p->len;
	tw_frame__begin(&p->frame, p->bytes + p->len, TW_FRAME_MAX, info);
}

static uint32_t sum_up(uint32_t sum, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void packet__resum(struct packet *p)
{
	const size_t udp = p->head - 8, len = p->len - udp;
	const size_t address = is_ipv6(p->link) ? 16 : 4;
	const size_t header = is_ipv6(p->link) ? 40 : p->link == LINK_UDP4_OPTIONS ? 28 : 20;
	const size_t addresses = udp - header + (is_ipv6(p->link) ? 8 : 12);
	uint32_t sum;

	if (!is_ip(p->link))
		return;
	tw_store_be16(p->bytes + udp + 4, (uint16_t)len);
	tw_store_be16(p->bytes + udp + 6, 0);
	tw_store_be16(p->bytes + udp - header + (is_ipv6(p->link) ? 4 : 2),
		      (uint16_t)(is_ipv6(p->link) ? len : len + header));
	if (p->link == LINK_UDP4_PLAIN || p->link == LINK_UDP6_PLAIN)
		return;
	sum = sum_up(IPPROTO_UDP + (uint32_t)len, p->bytes + addresses, 2 * address);
	sum = ~sum_up(sum, p->bytes + udp, len) & 0xffff;
	tw_store_be16(p->bytes + udp + 6, (uint16_t)(sum ? sum : 0xffff));
}

void packet__end(struct packet *p)
{
	p->len = p->head + tw_frame__end(&p->frame);
	packet__resum(p);
}

void packet__add_record(struct packet *p, const void *record, size_t len, uint64_t time)
{
	uint8_t padded[4096 + TW_COPY_STEP] = { 0 };

	memcpy(padded, record, len);
	if (!tw_frame__add_event(&p->frame, padded, (uint32_t)((len + 3) & ~(size_t)3), time))
		abort();
}

void packet__add_switch(struct packet *p, const char *prev_comm, int prev_pid, int prev_prio, const char *next_comm,
			int next_pid, uint64_t time)
{
	struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		char prev_comm[16];
		int32_t prev_pid, prev_prio;
		int64_t prev_state;
		char next_comm[16];
		int32_t next_pid, next_prio;
	} record = { .type = 316,
		     .flags = 1,
		     .preempt = 2,
		     .pid = prev_pid,
		     .prev_pid = prev_pid,
		     .prev_prio = prev_prio,
		     .prev_state = prev_pid % 3,
		     .next_pid = next_pid,
		     .next_prio = 120 };

	memset(record.prev_comm, 'x', sizeof(record.prev_comm)); /* arbitrary bytes after the NUL */
	memset(record.next_comm, 'x', sizeof(record.next_comm));
	memcpy(record.prev_comm, prev_comm, strnlen(prev_comm, 15) + 1);
	memcpy(record.next_comm, next_comm, strnlen(next_comm, 15) + 1);
	packet__add_record(p, &record, sizeof(record), time);
}

void packet__add_softirq(struct packet *p, unsigned int vec, uint64_t time)
{
	const struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		uint32_t vec;
	} record = { .type = 125, .flags = 0x10, .pid = 7, .vec = vec };

	packet__add_record(p, &record, sizeof(record), time);
}

void packet__add_watermark(struct packet *p, uint64_t time)
{
	uint8_t *value = tw_frame__add(&p->frame, TW_TLV_WATERMARK, 20);

	memset(value, 0, 20);
	tw_store_be64(value, time);
	tw_store_be16(value + 8, p->frame.info.channel);
}

void packet__add_lost(struct packet *p, uint64_t count)
{
	uint8_t *value = tw_frame__add(&p->frame, TW_TLV_LOST, 16);

	memset(value, 0, 16);
	tw_store_be16(value + 4, TW_LOST_RING);
	tw_store_be64(value + 8, count);
}
