/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes pcapng (draft-ietf-opsawg-pcapng): one section a file, its interfaces, packets with nanosecond times, statistics. libpcap's
 * writer supports no names, descriptions, comments or statistics.
 *
 * Blocks are built in a buffer and passed to the output whole, one write for each buffer. The first failure is final: every later call
 * returns it, and the file ends with its last whole block (output/output.h).
 */
#ifndef TW_PCAPNG_H
#define TW_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/output/output.h"

#define TW_PCAPNG_PACKET_MAX   ((size_t)256 * 1024) /* bytes of one packet */
#define TW_PCAPNG_COPY_SLACK   64 /* bytes after the end of a reserved packet that may be overwritten */
#define TW_PCAPNG_COMMENTS_MAX ((size_t)128 * 1024) /* bytes of a list of comments; further ones are left out */
#define TW_PCAPNG_TEXT_MAX     ((size_t)16 * 1024)  /* bytes of any other text */
#define TW_LINKTYPE_ETHERNET   1

struct tw_pcapng;

/* Texts may be NULL; longer ones are cut to the size of an option. */
struct tw_pcapng_section {
	const char *hardware, *os, *application, *comment;
	const char *const *comments; /* further comments, NULL-terminated */
};

struct tw_pcapng_interface {
	const char *name, *description, *os, *filter, *comment;
	uint16_t linktype;
	uint32_t snaplen; /* bytes; 0 = no limit */
};

/* Counted in packets; times in ns since 1970. */
struct tw_pcapng_statistics {
	uint64_t time;       /* of this block */
	uint64_t start, end; /* beginning and end of the capture */
	uint64_t received;   /* isb_ifrecv: delivered, dropped and filtered ones */
	uint64_t dropped;    /* isb_ifdrop: dropped anywhere; Wireshark shows it, and dumpcap uses it like this */
	uint64_t os_dropped; /* isb_osdrop: of these, by the kernel */
	uint64_t delivered;  /* isb_usrdeliv */
	bool filters;        /* there is a filter: the delivered packets are isb_filteraccept too */
	const char *comment;
};

/**
 * tw_pcapng__open() - begin a section
 * @output: open and empty; stays the caller's, who finishes it after the last flush
 * @buffer: bytes collected before a write; 0 = 960 KiB
 */
int tw_pcapng__open(struct tw_output *output, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *error);

/** tw_pcapng__close() - free the writer, not the file; data that was not flushed is lost; NULL is fine */
void tw_pcapng__close(struct tw_pcapng *w);

/** tw_pcapng__is_due() - whether the next file must begin, counting what is buffered; see tw_output__is_due() for @now */
bool tw_pcapng__is_due(const struct tw_pcapng *w, uint64_t now);

/** tw_pcapng__next_file() - flush, and begin a section in the output's next file: interfaces are described and numbered again */
int tw_pcapng__next_file(struct tw_pcapng *w, const struct tw_pcapng_section *section);

/**
 * tw_pcapng__interface() - add an interface
 * @ret_id: its number in this section, for the packets
 */
int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id);

/**
 * tw_pcapng__reserve() - a buffer for one packet, to be written in place
 * @len: bytes, at most TW_PCAPNG_PACKET_MAX; TW_PCAPNG_COPY_SLACK bytes after it may be overwritten
 *
 * Return: address of the packet data; NULL after a failure. The file has nothing of it until tw_pcapng__commit().
 */
uint8_t *tw_pcapng__reserve(struct tw_pcapng *w, size_t len);

/**
 * tw_pcapng__commit() - add the reserved packet to the file
 * @time: ns since 1970
 * @len: bytes; at most what was reserved
 * @original: bytes before the packet was cut; at least @len
 * @weight: the caller's count of it, for tw_pcapng__next_unwritten()
 */
void tw_pcapng__commit(struct tw_pcapng *w, uint32_t interface, uint64_t time, size_t len, size_t original,
		       uint16_t weight);

int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics);

/** tw_pcapng__flush() - write the buffer; waits as tw_output__write() does */
int tw_pcapng__flush(struct tw_pcapng *w);

/**
 * tw_pcapng__begin_last() - after a failure: interfaces and statistics from here on are written after the last whole block, as far as
 * they fit the output's reserve
 *
 * Interfaces that were described but not written are described again, with their numbers. Packets cannot follow. Call it after
 * tw_pcapng__next_unwritten() was used.
 */
void tw_pcapng__begin_last(struct tw_pcapng *w);

/** tw_pcapng__end_last() - write them. Return: 0 or -errno; the first failure stays */
int tw_pcapng__end_last(struct tw_pcapng *w);

/**
 * tw_pcapng__give_up() - for a writer whose thread is blocked in a write to the output: the bytes of that write count as not written
 */
void tw_pcapng__give_up(struct tw_pcapng *w, int err, const struct tw_error *why);

/** tw_pcapng__error() - the first failure, 0 if none; its text is written to @error, which may be NULL */
int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *error);

/** tw_pcapng__bytes() - bytes in all files, without the buffer */
uint64_t tw_pcapng__bytes(const struct tw_pcapng *w);

/** tw_pcapng__removed_early() - number of files of a ring that were removed because the disk was full */
uint64_t tw_pcapng__removed_early(const struct tw_pcapng *w);

/* Position of a walk over packets; zeroed at the start. */
struct tw_pcapng_place {
	size_t at, packet;
};

/* A packet that could not be written. */
struct tw_pcapng_packet {
	uint32_t interface;
	uint16_t weight;
};

/**
 * tw_pcapng__next_unwritten() - the packets that were committed and could not be written; none without a failure
 * @place: position of the walk
 */
bool tw_pcapng__next_unwritten(const struct tw_pcapng *w, struct tw_pcapng_place *place, struct tw_pcapng_packet *ret);

/** tw_pcapng__dropped() - number of those packets */
uint64_t tw_pcapng__dropped(const struct tw_pcapng *w);

#endif
