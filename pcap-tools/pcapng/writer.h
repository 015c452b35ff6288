/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes pcapng (draft-ietf-opsawg-pcapng): one section per file, its interfaces, packets with nanosecond times, and statistics.
 * libpcap's writer does not support names, descriptions, comments or statistics.
 *
 * Blocks are built in a buffer. Only whole blocks are passed to the output, with one write for each buffer. The first failure is final:
 * every later call returns it, and the file ends with its last whole block (output/output.h).
 */
#ifndef TW_PCAPNG_H
#define TW_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/output/output.h"

#define TW_PCAPNG_PACKET_MAX   ((size_t)256 * 1024) /* largest packet, bytes */
#define TW_PCAPNG_COPY_SLACK   64 /* number of bytes after the end of a reserved packet that may be overwritten */
#define TW_PCAPNG_COMMENTS_MAX ((size_t)128 * 1024) /* bytes of a list of comments; further comments are omitted */
#define TW_PCAPNG_TEXT_MAX     ((size_t)16 * 1024)  /* limit of any other text, bytes */
#define TW_PCAPNG_OPTIONS_MAX  ((size_t)64 * 1024)  /* limit of copied options, bytes */
#define TW_LINKTYPE_ETHERNET   1

struct tw_pcapng;

/* Texts may be NULL. Texts longer than TW_PCAPNG_TEXT_MAX are cut. */
struct tw_pcapng_section {
	const char *hardware, *os, *application, *comment;
	const char *const *comments; /* further comments, NULL-terminated */
};

struct tw_pcapng_interface {
	const char *name, *description, *os, *filter, *comment;
	uint16_t linktype;
	uint32_t snaplen; /* limit of a packet's captured bytes; 0 = no limit */
};

/* Options of a block of another file, in host byte order, each padded, without an end. Times in them are in ns since 1970. */
struct tw_pcapng_options {
	const uint8_t *bytes;
	size_t len; /* at most TW_PCAPNG_OPTIONS_MAX */
};

/* A packet of another file. */
struct tw_pcapng_copy {
	uint32_t interface;
	uint64_t time;
	const uint8_t *data;
	size_t len, original;             /* captured bytes, at most TW_PCAPNG_PACKET_MAX; length on the link */
	struct tw_pcapng_options options; /* left out if there is no room for them */
};

/* The numbers count packets, or events if the caller counts events (archive/). Times are in ns since 1970. */
struct tw_pcapng_statistics {
	uint64_t time;       /* time of the block */
	uint64_t start, end; /* beginning and end of the capture */
	uint64_t received;   /* isb_ifrecv: sum of delivered, dropped and filtered packets */
	uint64_t dropped;    /* isb_ifdrop: packets dropped at any stage; Wireshark shows it as the dropped packets */
	uint64_t os_dropped; /* isb_osdrop: those of `dropped` that the kernel dropped */
	uint64_t delivered;  /* isb_usrdeliv */
	bool filters;        /* there is a filter: `delivered` is written as isb_filteraccept, too */
	const char *comment;
};

/**
 * tw_pcapng__open() - make a writer and begin the first section
 * @output: open and empty; the caller finishes and frees it after the last flush
 * @buffer: bytes collected before a write; 0 = 960 KiB
 * Return: 0 or -ENOMEM
 */
int tw_pcapng__open(struct tw_output *output, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *error);

/** tw_pcapng__close() - free the writer, but not the output; data that was not flushed is lost; NULL is fine */
void tw_pcapng__close(struct tw_pcapng *w);

/** tw_pcapng__is_due() - whether the next file must begin; counts buffered bytes, too. @now: see tw_output__is_due() */
bool tw_pcapng__is_due(const struct tw_pcapng *w, uint64_t now);

/** tw_pcapng__next_file() - flush, and begin a section in the output's next file, to which the caller must add interfaces again */
int tw_pcapng__next_file(struct tw_pcapng *w, const struct tw_pcapng_section *section);

/** tw_pcapng__interface() - add an interface. @ret_id: its number in this section, for tw_pcapng__commit() */
int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id);

/**
 * tw_pcapng__reserve() - reserve memory for the data of one packet
 * @len: bytes, at most TW_PCAPNG_PACKET_MAX; TW_PCAPNG_COPY_SLACK bytes after the data may be overwritten
 *
 * Return: address of the packet data; NULL after a failure. The packet is not added to the file before tw_pcapng__commit().
 */
uint8_t *tw_pcapng__reserve(struct tw_pcapng *w, size_t len);

/**
 * tw_pcapng__commit() - add the reserved packet to the file
 * @time: ns since 1970
 * @len: length of the data, bytes; at most the reserved length
 * @original: length before the packet was cut, bytes; at least @len
 * @weight: any number that the caller chooses; tw_pcapng__next_unwritten() returns it with the packet
 */
void tw_pcapng__commit(struct tw_pcapng *w, uint32_t interface, uint64_t time, size_t len, size_t original,
		       uint16_t weight);

/** tw_pcapng__statistics() - add a statistics block. Return: 0; the first failure; -ENOSPC after tw_pcapng__begin_last(), without room */
int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics);

/**
 * tw_pcapng__copy_interface() - add an interface of another file
 * @interface: only linktype and snaplen are used; the other members are among the options
 * @options: without if_tsresol and if_tsoffset
 */
int tw_pcapng__copy_interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface,
			      const struct tw_pcapng_options *options, uint32_t *ret_id);

/** tw_pcapng__copy_statistics() - add a statistics block of another file */
int tw_pcapng__copy_statistics(struct tw_pcapng *w, uint32_t interface, uint64_t time,
			       const struct tw_pcapng_options *options);

/** tw_pcapng__copy_block() - add a block of another file, whose body has the byte order of this machine. @len: a multiple of 4 */
int tw_pcapng__copy_block(struct tw_pcapng *w, uint32_t type, const void *body, size_t len);

/** tw_pcapng__copy_packet() - add a packet of another file, with its options */
int tw_pcapng__copy_packet(struct tw_pcapng *w, const struct tw_pcapng_copy *packet);

/** tw_pcapng__flush() - write the buffer to the output; waits as tw_output__write() does */
int tw_pcapng__flush(struct tw_pcapng *w);

/**
 * tw_pcapng__begin_last() - after a failure, begin the last blocks: interfaces and statistics that are added from now on will be written
 * after the last whole block, if they fit the output's reserve
 *
 * A section header and interfaces in the buffer that were not written stay in it, with their numbers. Packets cannot follow. Call it
 * after the last use of tw_pcapng__next_unwritten().
 */
void tw_pcapng__begin_last(struct tw_pcapng *w);

/** tw_pcapng__end_last() - write the last blocks. Return: 0 or -errno; tw_pcapng__error() still returns the first failure */
int tw_pcapng__end_last(struct tw_pcapng *w);

/** tw_pcapng__give_up() - set the failure of a writer that is blocked in a write: the bytes of that write count as not written */
void tw_pcapng__give_up(struct tw_pcapng *w, int err, const struct tw_error *why);

/** tw_pcapng__error() - Return: the first failure, with its text in @error, which may be NULL; 0 if there was no failure */
int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *error);

/** tw_pcapng__bytes() - number of bytes written to all files, without buffered bytes */
uint64_t tw_pcapng__bytes(const struct tw_pcapng *w);

/** tw_pcapng__removed_early() - number of files of a ring that were removed because the disk was full */
uint64_t tw_pcapng__removed_early(const struct tw_pcapng *w);

/* A packet that could not be written; all zero before the first call of tw_pcapng__next_unwritten(). */
struct tw_pcapng_unwritten {
	uint32_t interface;
	uint16_t weight;
	size_t at, packet; /* internal: the next block and packet of the buffer */
};

/** tw_pcapng__next_unwritten() - get the next packet that was committed and not written. Return: false if there is none */
bool tw_pcapng__next_unwritten(const struct tw_pcapng *w, struct tw_pcapng_unwritten *packet);

/** tw_pcapng__dropped() - number of packets that could not be written */
uint64_t tw_pcapng__dropped(const struct tw_pcapng *w);

#endif
