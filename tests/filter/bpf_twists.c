/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tests/filter/bpf_frames.h"

#define NAMED(name)         \
	{                   \
#name, name \
	}

/* Faults of the frame or the packet around it. */

static void nothing(struct packet *p)
{
	(void)p;
}

static void control(struct packet *p)
{
	tw_store_be16(p->bytes + p->head + offsetof(struct tw_frame_hdr, channel), TW_CHANNEL_CONTROL);
}

static void other_schema(struct packet *p)
{
	tw_store_be64(p->bytes + p->head + offsetof(struct tw_frame_hdr, schema_id), BPF_FRAMES_SCHEMA + 1);
}

static void other_byte_order(struct packet *p)
{
	p->bytes[p->head + offsetof(struct tw_frame_hdr, flags)] |= TW_FLAG_BODY_BE;
}

static void late(struct packet *p)
{
	p->bytes[p->head + offsetof(struct tw_frame_hdr, flags)] |= TW_FLAG_LATE | TW_FLAG_PTR_HASHED;
}

static void other_version(struct packet *p)
{
	p->bytes[p->head + offsetof(struct tw_frame_hdr, version)] = 2;
}

static void no_magic(struct packet *p)
{
	p->bytes[p->head]++;
}

static void link_padding(struct packet *p)
{
	memset(p->bytes + p->len, 0xee, 30);
	p->len += 30;
}

static void cut(struct packet *p)
{
	p->len -= 4;
}

static void cut_header(struct packet *p)
{
	p->len = p->head + 40;
}

static void cut_magic(struct packet *p)
{
	p->len = p->head + 3;
}

static void cut_before(struct packet *p)
{
	p->len = p->head - (p->head > 16 ? 2 : 0);
}

static void length_unaligned(struct packet *p)
{
	uint8_t *length = p->bytes + p->head + offsetof(struct tw_frame_hdr, length);

	tw_store_be16(length, (uint16_t)(tw_load_be16(length) - 2));
}

static void length_too_small(struct packet *p)
{
	tw_store_be16(p->bytes + p->head + offsetof(struct tw_frame_hdr, length), 44);
}

static void udp_shorter(struct packet *p)
{
	uint8_t *length = p->bytes + p->head - 4;

	if (p->link >= LINK_UDP4)
		tw_store_be16(length, (uint16_t)(tw_load_be16(length) - 4));
}

/* If one event becomes FILTERED, this checksum becomes 0, which UDP writes as 0xffff. It is wrong; a classifier does not check it. */
static void checksum_runs_out(struct packet *p)
{
	if (p->link >= LINK_UDP4)
		tw_store_be16(p->bytes + p->head - 2, 1);
}

static void udp_too_short(struct packet *p)
{
	if (p->link >= LINK_UDP4)
		tw_store_be16(p->bytes + p->head - 4, 7);
}

static size_t ip_of(const struct packet *p)
{
	return p->link == LINK_UDP6 || p->link == LINK_UDP6_PLAIN ? p->head - 48
	       : p->link == LINK_UDP4_OPTIONS                     ? p->head - 36
								  : p->head - 28;
}

static void other_ip_version(struct packet *p)
{
	if (p->link >= LINK_UDP4 && p->link != LINK_ARP)
		p->bytes[ip_of(p)] ^= 0x50;
}

const struct bpf_frame_part bpf_twists[] = {
	NAMED(nothing),
	NAMED(control),
	NAMED(other_schema),
	NAMED(other_byte_order),
	NAMED(late),
	NAMED(other_version),
	NAMED(no_magic),
	NAMED(link_padding),
	NAMED(cut),
	NAMED(cut_header),
	NAMED(cut_magic),
	NAMED(cut_before),
	NAMED(length_unaligned),
	NAMED(length_too_small),
	NAMED(udp_shorter),
	NAMED(checksum_runs_out),
	NAMED(udp_too_short),
	NAMED(other_ip_version),
};

const size_t bpf_n_twists = sizeof(bpf_twists) / sizeof(bpf_twists[0]);
