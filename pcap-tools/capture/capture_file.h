/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads captures packet by packet: pcapng (draft-ietf-opsawg-pcapng) and pcap of either byte order, from a file or a pipe, plain or
 * compressed by zstd. Memory does not grow with the file. Files are untrusted: every length is checked against the available bytes and the
 * limits below. Packets before a damaged place are returned.
 *
 * libpcap reads packets too, but gives no access to other blocks of pcapng, and refuses files whose sections differ in byte order, or whose
 * interfaces differ in link type or snaplen.
 */
#ifndef TW_CAPTURE_FILE_H
#define TW_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/pcapng/blocks.h"

#define TW_CAPTURE_BLOCK_MAX      (16u << 20) /* largest block, bytes */
#define TW_CAPTURE_INTERFACES_MAX 262144      /* limit of interfaces in a section; a recording has one per stream */

struct tw_capture_file;

/* The options of a block that tw_capture_options__next() has not returned yet. */
struct tw_capture_options {
	const uint8_t *at;
	size_t left;
	bool big_endian;
};

/* A packet; its data and options are borrowed until the next call of tw_capture_file__next(). */
struct tw_packet {
	const uint8_t *data;
	uint32_t len;       /* number of captured bytes */
	uint32_t original;  /* length on the link, bytes */
	uint32_t linktype;  /* LINKTYPE_ value, tcpdump.org registry */
	uint32_t interface; /* interface number in the section */
	uint64_t time;      /* ns since 1970; 0 if the block has no time */
	uint64_t offset; /* offset of its block or record in the file; in a compressed file, in the decompressed data */
	struct tw_capture_options options; /* of its block; none in pcap */
};

/**
 * tw_capture_file__open() - read the beginning of a capture
 * @fd: the caller closes it after tw_capture_file__close()
 * @name: name of the file for error texts; borrowed
 * Return: 0; -EINVAL if the file is not a capture (@error names its format if known), -EBADMSG if its header is damaged or truncated,
 * -errno of read(), -ENOMEM.
 */
int tw_capture_file__open(int fd, const char *name, struct tw_capture_file **ret, struct tw_error *error);

/** tw_capture_file__close() - free @file, which may be NULL */
void tw_capture_file__close(struct tw_capture_file *file);

/** tw_capture_file__is_pcapng() - whether the file is pcapng; otherwise it is pcap */
bool tw_capture_file__is_pcapng(const struct tw_capture_file *file);

/** tw_capture_file__is_compressed() - whether the file is compressed by zstd */
bool tw_capture_file__is_compressed(const struct tw_capture_file *file);

/**
 * tw_capture_file__time() - convert ticks of an interface to ns since 1970
 * @interface: its number in the current section, which must have it
 */
uint64_t tw_capture_file__time(const struct tw_capture_file *file, uint32_t interface, uint64_t ticks);

/** tw_capture_file__is_recording() - whether Tracewire wrote the first section; if so, packets are in time order, except LATE ones */
bool tw_capture_file__is_recording(const struct tw_capture_file *file);

/**
 * tw_capture_file__next() - read the next packet
 * Return: 1; 0 at the end, and in all calls after an error; -EBADMSG where the file is damaged or truncated (@error has the offset);
 * -errno of read(); -ENOMEM.
 */
int tw_capture_file__next(struct tw_capture_file *file, struct tw_packet *ret, struct tw_error *error);

/*
 * Blocks of a capture other than packets: sections, interfaces and interface statistics (draft-ietf-opsawg-pcapng, 4.1, 4.2 and 4.6),
 * with unchanged options. All values are untrusted.
 */

struct tw_capture_option {
	uint16_t code, len;
	const uint8_t *value; /* a text has no terminating NUL */
};

/** tw_capture_options__next() - get the next option. Return: false at the end, or if an option extends beyond its block */
bool tw_capture_options__next(struct tw_capture_options *options, struct tw_capture_option *ret);

enum tw_capture_block_kind {
	TW_CAPTURE_SECTION,
	TW_CAPTURE_INTERFACE,
	TW_CAPTURE_STATISTICS,
};

/* A block that is passed to a tw_capture_watch callback; borrowed until the callback returns. */
struct tw_capture_block {
	enum tw_capture_block_kind kind;
	uint64_t offset;            /* offset of the block in the file */
	uint32_t interface;         /* INTERFACE and STATISTICS only: interface number in the section */
	uint32_t linktype, snaplen; /* INTERFACE only */
	uint64_t time;              /* STATISTICS only: time of the statistics, ns since 1970 */
	struct tw_capture_options options;
};

/*
 * A callback for sections, interfaces and statistics. For pcapng, tw_capture_file__next() calls it in file order, so that an interface
 * precedes its packets.
 */
typedef void tw_capture_watch(void *ctx, const struct tw_capture_block *block);

/**
 * tw_capture_file__watch() - set the callback for blocks; call it before the first tw_capture_file__next()
 *
 * For a pcap file, this function calls @watch with a section and one interface, both without options.
 */
void tw_capture_file__watch(struct tw_capture_file *file, tw_capture_watch *watch, void *ctx);

/* A block of another type, for example with names of addresses. Its body is borrowed until the callback returns. */
struct tw_capture_other {
	uint32_t type; /* TW_PCAPNG_NRB, TW_PCAPNG_DSB, or unknown */
	const uint8_t *body;
	size_t len;
	bool big_endian;
};

typedef void tw_capture_watch_others(void *ctx, const struct tw_capture_other *block);

/** tw_capture_file__watch_others() - set the callback for blocks of all other types; as tw_capture_file__watch() */
void tw_capture_file__watch_others(struct tw_capture_file *file, tw_capture_watch_others *watch, void *ctx);

#endif
