/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers from draft-ietf-opsawg-pcapng: types of blocks (section 4) and codes of their options (sections 3.5 and 4). */
#ifndef TW_PCAPNG_BLOCKS_H
#define TW_PCAPNG_BLOCKS_H

enum {
	TW_PCAPNG_IDB = 1,          /* an interface */
	TW_PCAPNG_PB = 2,           /* a packet; obsolete */
	TW_PCAPNG_SPB = 3,          /* a packet without a time stamp */
	TW_PCAPNG_NRB = 4,          /* names of addresses */
	TW_PCAPNG_ISB = 5,          /* statistics of an interface */
	TW_PCAPNG_EPB = 6,          /* a packet */
	TW_PCAPNG_DSB = 10,         /* secrets of encrypted packets */
	TW_PCAPNG_SHB = 0x0A0D0D0A, /* begins a section; the same number in either byte order */
};
#define TW_PCAPNG_BLOCK_MIN        12          /* bytes of a block with an empty body: type, length, length again */
#define TW_PCAPNG_PADDING          0x80005457u /* for local use (section 3.1); "TW" in ASCII; readers skip unknown types */
#define TW_PCAPNG_BYTE_ORDER_MAGIC 0x1A2B3C4Du

enum {
	TW_OPT_END = 0,
	TW_OPT_COMMENT = 1, /* in any block, repeatable */
	TW_OPT_SHB_HARDWARE = 2,
	TW_OPT_SHB_OS = 3,
	TW_OPT_SHB_APPLICATION = 4,
	TW_OPT_IF_NAME = 2,
	TW_OPT_IF_DESCRIPTION = 3,
	TW_OPT_IF_SPEED = 8,
	TW_OPT_IF_TSRESOL = 9,
	TW_OPT_IF_TZONE = 10,
	TW_OPT_IF_FILTER = 11, /* a byte for the language, then the text */
	TW_OPT_IF_OS = 12,
	TW_OPT_IF_TSOFFSET = 14,
	TW_OPT_IF_TXSPEED = 16,
	TW_OPT_IF_RXSPEED = 17,
	TW_OPT_EPB_FLAGS = 2,
	TW_OPT_EPB_DROPPED = 4,
	TW_OPT_EPB_ID = 5,
	TW_OPT_EPB_QUEUE = 6,
	TW_OPT_ISB_START = 2,
	TW_OPT_ISB_END = 3,
	TW_OPT_ISB_RECEIVED = 4,
	TW_OPT_ISB_DROPPED = 5,
	TW_OPT_ISB_FILTER_ACCEPTED = 6,
	TW_OPT_ISB_OS_DROPPED = 7,
	TW_OPT_ISB_DELIVERED = 8,
	TW_OPT_CUSTOM = 2988, /* this and higher codes: custom options, which begin with a number of their maker */
};

#endif
