/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of draft-ietf-opsawg-pcapng but for packets, built at the end of a buffer whose owner keeps room for the longest of
 * them. All numbers are in this host's byte order, which the section header tells.
 */
#ifndef TW_PCAPNG_BLOCK_H
#define TW_PCAPNG_BLOCK_H

#include "pcap-tools/pcapng/writer.h"

#define TW_PCAPNG_TEXT_MAX ((size_t)16 * 1024) /* bytes of one option's text */
/* Bytes of one of these blocks: five texts, a list of comments, and what is around them. */
#define TW_PCAPNG_BLOCK_MAX (6 * TW_PCAPNG_TEXT_MAX + TW_PCAPNG_COMMENTS_MAX)
/* block types */
#define TW_PCAPNG_SHB         0x0A0D0D0Au
#define TW_PCAPNG_IDB         1
#define TW_PCAPNG_EPB         6 /* a packet */
#define TW_PCAPNG_PADDING_MIN 12

struct tw_pcapng_buffer {
	uint8_t *bytes;
	size_t len;
};

void tw_pcapng_buffer__section(struct tw_pcapng_buffer *b, const struct tw_pcapng_section *section);
void tw_pcapng_buffer__interface(struct tw_pcapng_buffer *b, const struct tw_pcapng_interface *interface);
void tw_pcapng_buffer__statistics(struct tw_pcapng_buffer *b, uint32_t interface,
				  const struct tw_pcapng_statistics *statistics);

/** tw_pcapng_buffer__padding() - @len bytes that readers skip: a multiple of 4, TW_PCAPNG_PADDING_MIN at least */
void tw_pcapng_buffer__padding(struct tw_pcapng_buffer *b, size_t len);

#endif
