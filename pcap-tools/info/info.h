/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summary of a capture: the file, its interfaces, its streams, and the ledger of each stream. It is made in one pass. The ledgers stored in
 * the statistics blocks are kept apart from the ledgers counted from the frames. Captures are untrusted: texts are made printable, and
 * memory is bounded.
 */
#ifndef TW_INFO_H
#define TW_INFO_H

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/interfaces.h"
#include "pcap-tools/counts.h"
#include "stream/ledger.h"
#include "stream/streams.h"

#define TW_INFO_SCHEMAS_MAX 16 /* schemas listed per stream; up to TW_STREAM_SCHEMAS_NAMED_MAX are counted */
#define TW_INFO_HOOKS_MAX   64 /* HOOKs kept per stream; further ones are ignored */

struct tw_info_times {
	uint64_t first, last; /* earliest and latest packet time, in any order of packets; ns since 1970 */
	bool known;
};

struct tw_info_stream {
	struct tw_stream *stream; /* its entry in the table */
	bool hashed, big_endian;
	uint64_t schemas[TW_STREAM_SCHEMAS_NAMED_MAX]; /* in order of appearance */
	uint32_t n_schemas;
	uint64_t packets, bytes;
	/*
	 * Events in the file: EVENT records, and events in PARTs, which are counted at the last PART. If the capture has only the
	 * beginning of a frame, the number of events in the frame's header is added.
	 */
	uint64_t events;
	struct tw_info_times times;
	char phcs[256];                 /* PHCS of the last HOST, printable; "" = none */
	char *hooks[TW_INFO_HOOKS_MAX]; /* HOOKs of the last HOST that has any, printable; @n_hooks, owned */
	uint32_t n_hooks;
	uint64_t n_offsets;                  /* number of OFFSET records */
	struct tw_offset_view offset;        /* the last OFFSET; valid if n_offsets */
	uint64_t changes[TW_OFFSET_KINDS];   /* number of OFFSET records of each enum tw_offset_kind */
	uint64_t lost[TW_LOST_RECEIVER + 1]; /* sums of the LOST records in the file, by enum tw_lost_where */
	bool has_stored;
	struct tw_ledger stored;          /* the ledger that the writer of the file stored */
	struct tw_ledger counted;         /* the ledger counted from the frames in the file */
	uint64_t received;                /* events in the file, duplicates counted once */
	bool retired;                     /* the merge has retired the stream */
	struct tw_stream_numbers numbers; /* the counters of the merge */
};

struct tw_info {
	bool is_pcapng, is_compressed, is_recording;
	char application[128], hardware[128], os[128], comment[512]; /* texts of the first section */
	uint64_t sections, packets, frames, bytes;                   /* `bytes`: captured bytes of all packets */
	struct tw_info_times times;
	struct tw_capture_interfaces interfaces;
	uint64_t events_ns; /* time from the first counted event to the last; 0 = unknown, or no events were counted */
	struct tw_streams *table;
	struct tw_info_stream **streams; /* one for each stream in the table, in order of appearance */
	uint32_t n_streams;
	uint64_t refused;       /* frames of streams beyond TW_STREAMS_REPORTED_MAX, or beyond the table's memory */
	uint64_t unreadable;    /* frames that cannot be read, in whole or in part */
	uint64_t snapped;       /* frames of which the capturing program kept only the beginning */
	uint64_t versions;      /* frames of an unknown version of the wire format */
	struct tw_error damage; /* where the file is damaged or truncated; "" = the file is intact */
};

/**
 * tw_info__read() - read a capture to its end
 * @fd: the caller closes it
 * @name: name of the file for error texts
 * @events: gets the number of events of each name, of all streams together, with duplicates counted once; all zero before the call; NULL =
 * not counted
 * Return: 0; -ENOMEM; errors of tw_capture_file__open() and read(). For a file that is damaged after its beginning, it returns 0 and
 * describes the damage in @ret->damage.
 */
int tw_info__read(int fd, const char *name, struct tw_counts *events, struct tw_info *ret, struct tw_error *error);

/** tw_info__fini() - free the members that tw_info__read() allocated */
void tw_info__fini(struct tw_info *info);

/** tw_info_stream__ledger() - the stored ledger; if there is none, the counted one */
const struct tw_ledger *tw_info_stream__ledger(const struct tw_info_stream *stream);

/**
 * tw_info_stream__missing() - events in the file according to the stored ledger, minus the events found in the file
 * Return: above 0 if the file was truncated; below 0 if it has more events than its ledger; 0 without a stored ledger
 */
int64_t tw_info_stream__missing(const struct tw_info_stream *stream);

#endif
