/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to report. From packets to frames in time order.
 *
 * Recordings are in order and are not buffered: files that tracewire wrote, and captures with neither a WATERMARK nor several records in
 * a frame of a ring. Captures of an interface have these, and are merged, all streams in one order. The kind of the file is found early;
 * until then its first frames are kept.
 */
#ifndef TW_REPORT_FRAMES_H
#define TW_REPORT_FRAMES_H

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/report/report.h"
#include "stream/streams.h"
#include "wire/decode.h"

#define TW_REPORT_OPENING_FRAMES \
	4096 /* limit of kept frames; after it a file without any of the above counts as in order */
#define TW_REPORT_OPENING_BYTES (4u << 20) /* the same limit in bytes */

/* A frame, as read or as emitted by the merge. */
struct tw_report_frame {
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	bool at_base;     /* the event's time is the base time, whatever the event says */
	uint32_t missing; /* bytes at its end that the capturing program left out */
};

/* Return: 0, or a failure that ends the report. */
typedef int tw_report_take(void *ctx, struct tw_report_frame *frame);

struct tw_report_frames;

/**
 * tw_report_frames__new() - @streams: those of the file; borrowed. HOST and CLOCK are added to it before the frames are passed on
 * @in_order: the file is a recording of Tracewire
 * @stats: counts packets, frames and their faults
 * Return: NULL without memory.
 */
struct tw_report_frames *tw_report_frames__new(struct tw_streams *streams, bool in_order, tw_report_take *take,
					       void *ctx, struct tw_report_stats *stats);

/** tw_report_frames__free() - NULL is fine */
void tw_report_frames__free(struct tw_report_frames *frames);

/** tw_report_frames__packet() - Return: 0, -ENOMEM, or the result of take */
int tw_report_frames__packet(struct tw_report_frames *frames, const struct tw_packet *packet);

/** tw_report_frames__flush() - pass on all frames and complete the counters: the end of the file */
int tw_report_frames__flush(struct tw_report_frames *frames);

#endif
