/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capture says besides its packets: sections, interfaces and their statistics (draft-ietf-opsawg-pcapng, 4.1, 4.2
 * and 4.6), with their options as they lie in the file. All of it is a stranger's.
 */
#ifndef TW_CAPTURE_BLOCKS_H
#define TW_CAPTURE_BLOCKS_H

#include "pcap-tools/capture/capture_file.h"

/* Codes of options. */
enum {
	TW_OPT_END = 0,
	TW_OPT_COMMENT = 1, /* in any block, several times */
	TW_OPT_SHB_HARDWARE = 2,
	TW_OPT_SHB_OS = 3,
	TW_OPT_SHB_APPLICATION = 4,
	TW_OPT_IF_NAME = 2,
	TW_OPT_IF_DESCRIPTION = 3,
	TW_OPT_IF_TSRESOL = 9,
	TW_OPT_IF_FILTER = 11, /* a byte that says what language, then the text */
	TW_OPT_IF_OS = 12,
	TW_OPT_IF_TSOFFSET = 14,
	TW_OPT_ISB_RECEIVED = 4,
	TW_OPT_ISB_DROPPED = 5,
};

/* The options of a block that are left. */
struct tw_capture_options {
	const uint8_t *at;
	size_t left;
	bool big_endian;
};

struct tw_capture_option {
	uint16_t code, len;
	const uint8_t *value; /* a text has no NUL at its end */
};

/** tw_capture_options__next() - Return: false at the end, or where an option reaches beyond its block */
bool tw_capture_options__next(struct tw_capture_options *options, struct tw_capture_option *ret);

enum tw_capture_block_kind {
	TW_CAPTURE_SECTION,
	TW_CAPTURE_INTERFACE,
	TW_CAPTURE_STATISTICS,
};

/* Borrowed during the call. */
struct tw_capture_block {
	enum tw_capture_block_kind kind;
	uint64_t offset;            /* in the file */
	uint32_t interface;         /* of INTERFACE and STATISTICS: its number in the section */
	uint32_t linktype, snaplen; /* of INTERFACE */
	uint64_t time;              /* of STATISTICS: ns since 1970 */
	struct tw_capture_options options;
};

/* Called from tw_capture_file__next(), in the order of the file: a packet's interface comes before it. */
typedef void tw_capture_watch(void *ctx, const struct tw_capture_block *block);

/**
 * tw_capture_file__watch() - have such blocks shown, before anything was read
 *
 * A pcap file is shown as a section with one interface, both without options.
 */
void tw_capture_file__watch(struct tw_capture_file *file, tw_capture_watch *watch, void *ctx);

#endif
