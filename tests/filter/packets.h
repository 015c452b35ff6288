/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets with a frame, as classifiers receive them. Events are those of formats.h. */
#ifndef TESTS_FILTER_PACKETS_H
#define TESTS_FILTER_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/encode.h"

enum packet_link {
	LINK_ETHERNET,
	LINK_VLAN,
	LINK_VLANS, /* two tags, the outer one of 802.1ad */
	LINK_THREE, /* three tags, one more than classifiers parse */
	LINK_UDP4,
	LINK_UDP4_OPTIONS,
	LINK_UDP4_PLAIN, /* without a checksum */
	LINK_UDP4_FRAGMENT,
	LINK_UDP6,
	LINK_UDP6_PLAIN,
	LINK_VLAN_UDP4,
	LINK_OTHER_PORT,
	LINK_TCP,
	LINK_ARP,
	LINKS
};

extern const char *const packet_links[LINKS];

struct packet {
	size_t head; /* bytes before the frame */
	size_t len;
	uint8_t link;
	struct tw_frame frame;
	uint8_t bytes[80000];
};

/** packet__begin() - write the headers and begin a frame; tw_frame__add_*() and packet__add_*() fill it */
void packet__begin(struct packet *p, enum packet_link link, const struct tw_frame_info *info);

/** packet__end() - set lengths and checksums */
void packet__end(struct packet *p);

/** packet__resum() - compute checksums again after a change */
void packet__resum(struct packet *p);

void packet__add_switch(struct packet *p, const char *prev_comm, int prev_pid, int prev_prio, const char *next_comm,
			int next_pid, uint64_t time);
void packet__add_softirq(struct packet *p, unsigned int vec, uint64_t time);
/** packet__add_record() - add any record: @len bytes from common_type on, in this host's byte order */
void packet__add_record(struct packet *p, const void *record, size_t len, uint64_t time);
void packet__add_watermark(struct packet *p, uint64_t time);
void packet__add_lost(struct packet *p, uint64_t count);

#endif
