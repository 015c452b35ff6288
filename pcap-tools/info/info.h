/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summary of a capture: the file, its interfaces, its streams and where their events went. It is gathered in one pass. The ledger stored
 * in the statistics blocks is kept apart from what was counted. Captures are untrusted: texts are made printable, and everything is
 * bounded.
 */
#ifndef TW_INFO_H
#define TW_INFO_H

#include "pcap-tools/capture/capture_file.h"
#include "stream/ledger.h"
#include "stream/streams.h"

#define TW_INFO_INTERFACES_MAX 4096
#define TW_INFO_SCHEMAS_MAX    16 /* schemas of a stream that are listed; all are counted up to a limit */
#define TW_INFO_NONE           UINT32_MAX

/* One interface of a section of the file. */
struct tw_info_interface {
	uint32_t section, number; /* number: in its section */
	uint32_t linktype, snaplen;
	char name[128], description[512], filter[1024], os[128];
	uint64_t packets;
	uint32_t stream;            /* the only stream with frames on it; TW_INFO_NONE if there are none or several */
	bool has_frames;            /* of any stream */
	bool has_counters;          /* it has a statistics block; the last one counts */
	uint64_t received, dropped; /* packets, counted by the capturing program; UINT64_MAX = unknown */
	bool has_ledger;
	struct tw_ledger ledger; /* of the last statistics block with a ledger */
};

struct tw_info_times {
	uint64_t first, last; /* ns since 1970; the earliest and the latest, in any order */
	bool known;
};

struct tw_info_stream {
	const struct tw_stream *stream; /* identity and times, from its records */
	bool hashed, big_endian;
	uint64_t schemas[TW_STREAM_SCHEMAS_NAMED_MAX]; /* in order of arrival */
	uint32_t n_schemas;
	uint64_t packets, bytes;
	/*
	 * In the file: EVENTs, and events in PARTs counted at their last piece; of a frame that was cut, the number in its header.
	 */
	uint64_t events;
	struct tw_info_times times;
	uint64_t n_offsets;
	struct tw_offset_view offset;        /* the last OFFSET, if there is one */
	uint64_t lost[TW_LOST_RECEIVER + 1]; /* from the LOST records in the file, by enum tw_lost_where */
	bool has_stored;
	struct tw_ledger stored;  /* as stored by the writer of the file */
	struct tw_ledger counted; /* as counted in the file */
	uint64_t received;        /* events in it, duplicates counted once */
	bool retired;             /* the merge has retired the stream, with these numbers: */
	struct tw_stream_numbers numbers;
};

struct tw_info {
	bool is_pcapng, is_compressed, is_recording;
	char application[128], hardware[128], os[128], comment[512]; /* of the first section */
	uint64_t sections, packets, frames, bytes;                   /* bytes of packets */
	struct tw_info_times times;
	struct tw_info_interface *interfaces;
	uint32_t n_interfaces;
	struct tw_streams *table;
	struct tw_info_stream **streams; /* in order of appearance; streams of the table */
	uint32_t n_streams;
	uint64_t refused;       /* frames of further streams */
	uint64_t unreadable;    /* frames that cannot be read, in whole or in part */
	uint64_t snapped;       /* frames that the capturing program cut on purpose */
	uint64_t versions;      /* frames of an unknown version of the wire format */
	struct tw_error damage; /* where the file is damaged or truncated; "" = it is not */
};

/**
 * tw_info__read() - read a capture to its end
 * @fd: stays the caller's
 * @name: for error texts
 *
 * Return: 0, also for a file that is damaged after its beginning, which @ret->damage describes; as tw_capture_file__open(); -ENOMEM.
 */
int tw_info__read(int fd, const char *name, struct tw_info *ret, struct tw_error *error);

/** tw_info__fini() - free the result of tw_info__read() */
void tw_info__fini(struct tw_info *info);

/** tw_info_stream__ledger() - the stored ledger; if there is none, the counted one */
const struct tw_ledger *tw_info_stream__ledger(const struct tw_info_stream *stream);

/**
 * tw_info_stream__missing() - events in the file according to the stored ledger, less the events counted. Above 0: the file was
 * truncated. Below 0: it has more. 0 also without a stored ledger.
 */
int64_t tw_info_stream__missing(const struct tw_info_stream *stream);

#endif
