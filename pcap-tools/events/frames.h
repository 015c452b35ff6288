/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to events. Extracts the frames from packets and passes them on in time order.
 *
 * Frames of recordings are in order and are not buffered. Captures of an interface, and packed recordings, must be merged. These files
 * contain frames with a WATERMARK, frames with several events, or frames with several records outside the control channel. From the first
 * such frame on, all streams are merged in one order. If Tracewire did not write the file, its first frames are kept until the kind of file
 * is known.
 */
#ifndef TW_EVENT_FRAMES_H
#define TW_EVENT_FRAMES_H

#include "pcap-tools/capture/interfaces.h"
#include "pcap-tools/events/reader.h"
#include "pcap-tools/merge/merge.h"
#include "stream/streams.h"
#include "wire/decode.h"

/* If this number of frames at the beginning of a file need no merge, the frames of the file count as ordered. */
#define TW_EVENT_OPENING_FRAMES 4096
#define TW_EVENT_OPENING_BYTES  (4u << 20) /* the same limit, in bytes of kept frames */

/* A frame, as read or as emitted by the merge. */
struct tw_event_frame {
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	bool merged;      /* emitted by the merge */
	bool at_base;     /* the event's time is the base time; the time in its TLV is ignored */
	uint32_t missing; /* number of bytes at the end of the frame that were not captured */
	uint64_t time;    /* packet time, ns since 1970; 0 = unknown, as for live frames */
	/* Of merged frames: base time of the frame in the packet, to which the packet time belongs; the packet */
	uint64_t packet_base;
	struct tw_merge_packet packet;
};

/* Where the frames come from. */
enum tw_event_frames_source {
	TW_EVENT_FRAMES_CAPTURE,   /* a file of another program: its first frames show whether it must be merged */
	TW_EVENT_FRAMES_RECORDING, /* a file of Tracewire: its frames are in order unless they are packed */
	TW_EVENT_FRAMES_LIVE,      /* producers that start after tw_event_frames__new(): the frames are merged */
};

/* Receives the frames in order. Return: 0, or -errno, which ends the reading. */
typedef int tw_event_frames_take(void *ctx, struct tw_event_frame *frame);

/* Called for each frame that is going to be merged. Return: the number of OFFSET records of the frame's stream so far */
typedef uint64_t tw_event_frames_offsets(void *ctx, const struct tw_event_frame *frame);

struct tw_event_frames;

/**
 * tw_event_frames__new() - make an empty queue of frames
 * @streams: the table of the file's streams; borrowed. If frames are merged, it gets HOST and CLOCK before their frames are passed on
 * @interfaces: the interfaces of the file, borrowed: the stream of each frame is added to its interface; NULL = none
 * @offsets: NULL = the numbers of OFFSET records are not needed
 * @stats: its counters of packets, frames and faults are updated
 * Return: NULL without memory.
 */
struct tw_event_frames *tw_event_frames__new(struct tw_streams *streams, struct tw_capture_interfaces *interfaces,
					     enum tw_event_frames_source source, tw_event_frames_take *take,
					     tw_event_frames_offsets *offsets, void *ctx,
					     struct tw_event_reader_stats *stats);

/** tw_event_frames__free() - NULL is fine */
void tw_event_frames__free(struct tw_event_frames *frames);

/** tw_event_frames__packet() - process one packet of the file. Return: 0, -ENOMEM, or the result of take */
int tw_event_frames__packet(struct tw_event_frames *frames, const struct tw_packet *packet);

/** tw_event_frames__frame() - process a frame of a live run, which is copied. Return: as tw_event_frames__packet() */
int tw_event_frames__frame(struct tw_event_frames *frames, const void *data, size_t len);

/** tw_event_frames__flush() - pass on all frames and complete the counters, at the end of the file */
int tw_event_frames__flush(struct tw_event_frames *frames);

/**
 * tw_event_frames__numbers() - get the counters of a stream's event numbers, after the flush
 * In frames that were not merged, all received events count as events_out, including damaged and FILTERED ones. `before` includes all
 * numbers before the first received number of each channel, even if the file has the stream from its start.
 */
void tw_event_frames__numbers(const struct tw_event_frames *frames, uint64_t stream_id, struct tw_stream_numbers *ret);

#endif
