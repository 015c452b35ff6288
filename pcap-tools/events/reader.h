/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the events of a capture in time order. The reader parses the frames, keeps metadata in a table of streams, and passes on events and
 * losses. At the end, it makes the ledgers. Captures of an interface, and packed recordings, are merged first (events/frames.h).
 */
#ifndef TW_EVENT_READER_H
#define TW_EVENT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "schema/field.h"
#include "stream/ledger.h"
#include "stream/streams.h"
#include "wire/decode.h"

/* Counters of what was read. */
struct tw_event_reader_stats {
	bool is_recording;                 /* Tracewire wrote the capture: its other packets are beside the events */
	uint64_t packets, frames;          /* packets read; packets with a Tracewire frame */
	uint64_t events;                   /* events in these frames */
	uint64_t snapped;                  /* frames of which the capturing program kept only the beginning */
	uint64_t malformed;                /* frames that cannot be read, in whole or in part */
	uint64_t versions;                 /* frames of an unknown version */
	struct tw_ledger ledger;           /* of all streams: the stored ledgers, or those counted from the frames */
	uint64_t changes[TW_OFFSET_KINDS]; /* number of OFFSET records of each enum tw_offset_kind */
	uint64_t trace_cmd; /* events at the place `ring` of the ledger, of streams from trace.dat files */
	char program_filter
		[256]; /* the filter of the capture program, if events are missing that it may have rejected; "" = unknown */
	uint64_t cut; /* events that the stored ledgers count as delivered, but that are not in the file */
	struct tw_streams_stats streams; /* metadata that was not kept; @malformed above includes streams.malformed */
};

/* An event of the capture. */
struct tw_read_event {
	struct tw_stream *stream;
	struct tw_stream_event *known;     /* its event type; NULL if the format is unknown */
	const struct tw_frame_info *frame; /* header of its frame */
	struct tw_event_view view;
	struct tw_record record;
	uint64_t losses; /* number of LOST records of the stream before the event */
	/*
	 * Packet time of the event, ns since 1970, and largest error of this time by the reference of the capture. The time is 0 if it is
	 * unknown, as for live frames. The error is that of the newest OFFSET record of the stream that precedes the packet in the file;
	 * TW_ERROR_UNKNOWN if there is none.
	 */
	uint64_t time, error_ns;
	bool cut; /* the capture contains only the beginning of the event */
};

/* Receives the events. Each function returns 0, or -errno, which ends the reading; @loss and @record may be NULL. */
struct tw_event_reader_ops {
	int (*event)(void *ctx, const struct tw_read_event *event);
	int (*loss)(void *ctx, struct tw_stream *stream, uint16_t cpu, const struct tw_lost_view *lost);
	/* A record that is neither EVENT, LOST nor PART. The state of @stream does not have it yet. */
	int (*record)(void *ctx, struct tw_stream *stream, const struct tw_frame_info *frame,
		      const struct tw_tlv_view *tlv);
};

struct tw_event_reader;

/**
 * tw_event_reader__new() - begin to read a capture
 * @in: file descriptor, borrowed; @name is its name in error texts
 * @ctx: for @ops
 * @stats: filled while the capture is read, and by tw_event_reader__finish(); zeroed first
 * Return: 0; -EINVAL if the file is not a capture; -ENOMEM; another -errno of reading.
 */
int tw_event_reader__new(int in, const char *name, const struct tw_event_reader_ops *ops, void *ctx,
			 struct tw_event_reader_stats *stats, struct tw_event_reader **ret, struct tw_error *error);

/**
 * tw_event_reader__new_live() - the same for the frames of producers that start after this call
 * The caller passes each frame to tw_event_reader__frame(), and calls tw_event_reader__flush() at the end. Events are passed on when a
 * WATERMARK says that no older event follows. Both functions return 0, the -errno of an operation of the caller, or -ENOMEM.
 */
int tw_event_reader__new_live(const struct tw_event_reader_ops *ops, void *ctx, struct tw_event_reader_stats *stats,
			      struct tw_event_reader **ret, struct tw_error *error);

/** tw_event_reader__frame() - read a frame, which is copied */
int tw_event_reader__frame(struct tw_event_reader *reader, const void *data, size_t len);

/** tw_event_reader__flush() - pass on all events that wait */
int tw_event_reader__flush(struct tw_event_reader *reader);

/** tw_event_reader__streams() - the table of the capture's streams, borrowed; a stream without frames in the capture may be in it */
struct tw_streams *tw_event_reader__streams(const struct tw_event_reader *reader);

/** tw_event_reader__has_frames() - whether a frame of the stream was read; tw_event_reader__n_streams() - number of such streams */
bool tw_event_reader__has_frames(const struct tw_event_reader *reader, const struct tw_stream *stream);
uint32_t tw_event_reader__n_streams(const struct tw_event_reader *reader);

/** tw_event_reader__records() - whether the run of a stream selected an event, as tw_identity__selects(): YES if that of any stream did */
enum tw_selected tw_event_reader__records(const struct tw_event_reader *reader, const char *system, const char *event);

/**
 * tw_event_reader__run() - read to the end
 * @ret_err: the -errno of an operation of the caller, or -ENOMEM; 0 = none
 * Return: 0; -EBADMSG if the capture is damaged: everything before the damage was passed on; another -errno of reading, with @error
 * filled. If *@ret_err is set, the result is 1.
 */
int tw_event_reader__run(struct tw_event_reader *reader, int *ret_err, struct tw_error *error);

/**
 * tw_event_reader__check() - whether the capture had frames of a known version. Return: 0; -ENODATA without frames; -EPROTONOSUPPORT if all
 * frames are of an unknown version
 */
int tw_event_reader__check(const struct tw_event_reader *reader, struct tw_error *error);

/** tw_event_reader__finish() - make the ledgers, and complete the stats; also after a failure */
void tw_event_reader__finish(struct tw_event_reader *reader);

/** tw_event_reader__free() - free @reader, which may be NULL, and its streams */
void tw_event_reader__free(struct tw_event_reader *reader);

#endif
