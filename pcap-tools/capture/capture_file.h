/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading captures packet by packet: pcapng (draft-ietf-opsawg-pcapng) of either byte order and pcap, from a file or a
 * pipe, as they are or compressed by zstd, with memory that does not grow with the file. Files come from strangers: every length is checked against what is
 * there and against the limits below. What was read before the damage has been handed out.
 *
 * libpcap reads packets too, but has no way to what pcapng says besides, and ends at a second section.
 */
#ifndef TW_CAPTURE_FILE_H
#define TW_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/pcapng/blocks.h"

#define TW_CAPTURE_BLOCK_MAX      (16u << 20) /* bytes of one block */
#define TW_CAPTURE_INTERFACES_MAX 262144      /* of one section; each stream that ever was has one */

struct tw_capture_file;

/* A packet, borrowed until the next call. */
struct tw_packet {
	const uint8_t *data;
	uint32_t len;       /* bytes captured */
	uint32_t original;  /* bytes that were on the link */
	uint32_t linktype;  /* LINKTYPE_ of the registry of tcpdump.org */
	uint32_t interface; /* its number in the section */
	uint64_t time;      /* ns since 1970; 0 where the block has none */
	uint64_t offset;    /* in the file, of its block or record; where that is compressed, in what it expands to */
};

/**
 * tw_capture_file__open() - read the beginning of a capture
 * @fd: stays the caller's
 * @name: for error texts; borrowed
 *
 * Return: 0; -EINVAL if this is no capture (@error says what it is instead, if that can be told), -EBADMSG if it is cut
 * within its header, -errno of read(), -ENOMEM.
 */
int tw_capture_file__open(int fd, const char *name, struct tw_capture_file **ret, struct tw_error *error);

/** tw_capture_file__close() - NULL is fine */
void tw_capture_file__close(struct tw_capture_file *file);

/** tw_capture_file__is_pcapng() - else pcap */
bool tw_capture_file__is_pcapng(const struct tw_capture_file *file);

/** tw_capture_file__is_compressed() - by zstd */
bool tw_capture_file__is_compressed(const struct tw_capture_file *file);

/** tw_capture_file__is_recording() - whether its first section says that tracewire wrote it: in the order of time then */
bool tw_capture_file__is_recording(const struct tw_capture_file *file);

/**
 * tw_capture_file__next() - the next packet
 * Return: 1; 0 at the end; -EBADMSG where the file is damaged or cut (@error says at which offset), -errno of read(),
 * -ENOMEM. Nothing follows an error.
 */
int tw_capture_file__next(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error);

/*
 * What a capture says besides its packets: sections, interfaces and their statistics (draft-ietf-opsawg-pcapng, 4.1, 4.2
 * and 4.6), with their options as they lie in the file. All of it is a stranger's.
 */

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
