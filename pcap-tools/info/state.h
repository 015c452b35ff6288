/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the room: reading a capture. info.c reads it, blocks.c learns what is said besides packets, streams.c what is in frames. */
#ifndef TW_INFO_STATE_H
#define TW_INFO_STATE_H

#include "pcap-tools/info/info.h"

struct tw_info_reader {
	struct tw_info *info;
	struct tw_merge *merge;  /* tells what is missing by its numbers */
	unsigned int user;       /* where the streams have struct tw_info_stream */
	uint32_t section_begins; /* the first of the section's interfaces */
	int code;                /* a failure within a callback */
};

/** tw_info_times__see() - a packet's time; 0 is none */
void tw_info_times__see(struct tw_info_times *times, uint64_t time);

/** tw_info_reader__block() - a tw_capture_watch */
void tw_info_reader__block(void *ctx, const struct tw_capture_block *block);

/** tw_info_reader__interface() - of the section that is being read; NULL beyond the limit */
struct tw_info_interface *tw_info_reader__interface(const struct tw_info_reader *r, uint32_t number);

/** tw_info_reader__frame() - a frame in a packet. Return: 0, -ENOMEM */
int tw_info_reader__frame(struct tw_info_reader *r, const struct tw_packet *packet, const uint8_t *frame, size_t len);

/** tw_info_reader__settle() - all was read: the ledgers. Return: 0, -ENOMEM */
int tw_info_reader__settle(struct tw_info_reader *r);

#endif
