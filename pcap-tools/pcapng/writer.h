/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing pcapng (draft-ietf-opsawg-pcapng): one section a file, its interfaces, packets with nanosecond times, statistics.
 * libpcap's own writer has no place for names, descriptions, comments and statistics.
 *
 * Blocks are built in a buffer and go to the output whole, one write a buffer. The first failure is final: it is returned by every
 * later call, and the file ends with its last whole block (output/output.h).
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
#define TW_PCAPNG_COMMENTS_MAX ((size_t)128 * 1024) /* bytes of a list of comments; those after it are left out */
#define TW_PCAPNG_TEXT_MAX     ((size_t)16 * 1024)  /* bytes of any other text */
#define TW_LINKTYPE_ETHERNET   1

struct tw_pcapng;

/* Texts may be NULL; longer ones are cut to what an option holds. */
struct tw_pcapng_section {
	const char *hardware, *os, *application, *comment;
	const char *const *comments; /* more of them, NULL-terminated */
};

struct tw_pcapng_interface {
	const char *name, *description, *os, *filter, *comment;
	uint16_t linktype;
	uint32_t snaplen; /* bytes; 0 = no limit */
};

/* Counted in packets; times in ns since 1970. */
struct tw_pcapng_statistics {
	uint64_t time;       /* of this block */
	uint64_t start, end; /* of the capture */
	uint64_t received;   /* isb_ifrecv: delivered, dropped and filtered ones */
	uint64_t dropped;    /* isb_ifdrop: wherever; what Wireshark shows, and what dumpcap counts there */
	uint64_t os_dropped; /* isb_osdrop: of these by the kernel */
	uint64_t delivered;  /* isb_usrdeliv */
	bool filters;        /* there is a filter: what was delivered is isb_filteraccept too */
	const char *comment;
};

/**
 * tw_pcapng__open() - start a section
 * @output: begun and with nothing in it yet; stays the caller's, for whom it is to be finished after the last flush
 * @buffer: bytes collected before a write; 0 = 960 KiB
 */
int tw_pcapng__open(struct tw_output *output, size_t buffer, const struct tw_pcapng_section *section,
		    struct tw_pcapng **ret, struct tw_error *error);

/** tw_pcapng__close() - frees the writer, not the file; what was not flushed is lost; NULL is fine */
void tw_pcapng__close(struct tw_pcapng *w);

/** tw_pcapng__is_due() - whether the next file is to begin, with what is buffered; see tw_output__is_due() for @now */
bool tw_pcapng__is_due(const struct tw_pcapng *w, uint64_t now);

/** tw_pcapng__next_file() - flush, and start a section in the output's next file: interfaces are described and numbered anew */
int tw_pcapng__next_file(struct tw_pcapng *w, const struct tw_pcapng_section *section);

/**
 * tw_pcapng__interface() - describe one more interface
 * @ret_id: its number in this section, for the packets
 */
int tw_pcapng__interface(struct tw_pcapng *w, const struct tw_pcapng_interface *interface, uint32_t *ret_id);

/**
 * tw_pcapng__reserve() - room for one packet, to be written in place
 * @len: bytes, at most TW_PCAPNG_PACKET_MAX; TW_PCAPNG_COPY_SLACK bytes after it may be overwritten
 *
 * Return: where the packet goes; NULL after a failure. Nothing is there until tw_pcapng__commit().
 */
uint8_t *tw_pcapng__reserve(struct tw_pcapng *w, size_t len);

/**
 * tw_pcapng__commit() - the reserved packet is written
 * @time: ns since 1970
 * @len: bytes; at most what was reserved
 * @original: bytes that it had before it was cut to them; at least as many
 * @weight: what the caller counts it as, for tw_pcapng__next_unwritten()
 */
void tw_pcapng__commit(struct tw_pcapng *w, uint32_t interface, uint64_t time, size_t len, size_t original,
		       uint16_t weight);

int tw_pcapng__statistics(struct tw_pcapng *w, uint32_t interface, const struct tw_pcapng_statistics *statistics);

/** tw_pcapng__flush() - write what is buffered; waits as tw_output__write() does */
int tw_pcapng__flush(struct tw_pcapng *w);

/**
 * tw_pcapng__begin_last() - after a failure: what is described and counted from here on goes after what was written, as far as the output
 * has kept room for it
 *
 * Interfaces that were described and not written are described again, under their numbers. Packets cannot follow; what was to be said
 * of those that were not written has been asked for.
 */
void tw_pcapng__begin_last(struct tw_pcapng *w);

/** tw_pcapng__end_last() - write it. Return: 0 or -errno; the first failure stays what it is */
int tw_pcapng__end_last(struct tw_pcapng *w);

/** tw_pcapng__give_up() - of a writer whose thread does not come back from the output: what it is writing counts as not written */
void tw_pcapng__give_up(struct tw_pcapng *w, int err, const struct tw_error *why);

/** tw_pcapng__error() - the first failure, 0 if none; its text goes to @error, which may be NULL */
int tw_pcapng__error(const struct tw_pcapng *w, struct tw_error *error);

/** tw_pcapng__bytes() - bytes in all files; what is buffered is not counted */
uint64_t tw_pcapng__bytes(const struct tw_pcapng *w);

/** tw_pcapng__removed_early() - files of a ring that had to go for want of space on the disk */
uint64_t tw_pcapng__removed_early(const struct tw_pcapng *w);

/* Where a walk over packets is; zeroed at first. */
struct tw_pcapng_place {
	size_t at, packet;
};

/* What is known of a packet that could not be written. */
struct tw_pcapng_packet {
	uint32_t interface;
	uint16_t weight;
};

/**
 * tw_pcapng__next_unwritten() - the packets that were committed and could not be written; none without a failure
 * @place: where to go on
 */
bool tw_pcapng__next_unwritten(const struct tw_pcapng *w, struct tw_pcapng_place *place, struct tw_pcapng_packet *ret);

/** tw_pcapng__dropped() - how many those are */
uint64_t tw_pcapng__dropped(const struct tw_pcapng *w);

#endif
