/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capture is: its file, its interfaces, the streams in it and where their events went. All of it is found by reading the file
 * once; what the file says of itself (the ledger in its statistics blocks) is kept apart from what was counted. Captures come
 * from strangers: texts are made printable, and everything is bounded.
 */
#ifndef TW_INFO_H
#define TW_INFO_H

#include "pcap-tools/capture/capture_file.h"
#include "stream/ledger.h"
#include "stream/streams.h"

#define TW_INFO_INTERFACES_MAX 4096
#define TW_INFO_SCHEMAS_MAX    16 /* of a stream, that are told; all are counted up to a limit */
#define TW_INFO_NONE           UINT32_MAX

/* An interface of one of the file's sections. */
struct tw_info_interface {
	uint32_t section, number; /* number: in its section */
	uint32_t linktype, snaplen;
	char name[128], description[512], filter[1024], os[128];
	uint64_t packets;
	uint32_t stream;   /* the only one whose frames came on it; TW_INFO_NONE if there are none or several */
	bool has_frames;   /* of some stream */
	bool has_counters; /* a statistics block came; the last one counts */
	uint64_t received, dropped; /* in packets, by whoever captured; UINT64_MAX = not said */
	bool has_ledger;
	struct tw_ledger ledger; /* of the last statistics block that had one */
};

struct tw_info_times {
	uint64_t first, last; /* ns since 1970; the earliest and the latest, wherever they stand */
	bool known;
};

struct tw_info_stream {
	const struct tw_stream *stream; /* who it is, and when: what its records say */
	bool hashed, big_endian;
	uint64_t schemas[TW_STREAM_SCHEMAS_NAMED_MAX]; /* in the order in which they came */
	uint32_t n_schemas;
	uint64_t packets, bytes;
	/* In the file: EVENTs, and those in PARTs by their last; of a frame that was cut as many as its header says. */
	uint64_t events;
	struct tw_info_times times;
	uint64_t n_offsets;
	struct tw_offset_view offset;        /* the last OFFSET, if there are any */
	uint64_t lost[TW_LOST_RECEIVER + 1]; /* as LOST records in the file tell, by enum tw_lost_where */
	bool has_stored;
	struct tw_ledger stored;  /* what whoever wrote the file said */
	struct tw_ledger counted; /* what the file shows */
	uint64_t received;        /* events in it, each once */
	bool retired;             /* the merge has let go of it, and had counted: */
	struct tw_stream_numbers numbers;
};

struct tw_info {
	bool is_pcapng, is_compressed, is_recording;
	char application[128], hardware[128], os[128], comment[512]; /* of the first section */
	uint64_t sections, packets, frames, bytes;                   /* bytes: of packets */
	struct tw_info_times times;
	struct tw_info_interface *interfaces;
	uint32_t n_interfaces;
	struct tw_streams *table;
	struct tw_info_stream **streams; /* in order of appearance, of the table's */
	uint32_t n_streams;
	uint64_t refused;       /* frames of more streams than that */
	uint64_t unreadable;    /* frames that cannot be read, or in part */
	uint64_t snapped;       /* frames that whoever captured cut on purpose */
	uint64_t versions;      /* frames of a wire format not known here */
	struct tw_error damage; /* where the file is damaged or cut; "" = it is not */
};

/**
 * tw_info__read() - read a capture to its end
 * @fd: stays the caller's
 * @name: for error texts
 *
 * Return: 0, also for a file that is damaged behind its beginning: @ret->damage says so; as tw_capture_file__open(); -ENOMEM.
 */
int tw_info__read(int fd, const char *name, struct tw_info *ret, struct tw_error *error);

/** tw_info__fini() - for what tw_info__read() filled */
void tw_info__fini(struct tw_info *info);

/** tw_info_stream__ledger() - what was stored, or else what was counted */
const struct tw_ledger *tw_info_stream__ledger(const struct tw_info_stream *stream);

/**
 * tw_info_stream__missing() - events that the stored ledger says are in the file, less those that are
 * Above 0: the file was cut. Below 0: it has more. 0 also without a stored ledger.
 */
int64_t tw_info_stream__missing(const struct tw_info_stream *stream);

#endif
