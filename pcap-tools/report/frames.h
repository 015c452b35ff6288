/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to report. From packets to frames in the order of time.
 *
 * Recordings are in order and stream through: those that tracewire wrote, and whatever has neither a WATERMARK nor several
 * records in a frame of a ring. Captures of the wire have these, and go through a merge, all streams in one order. Which of the two a file is shows
 * early; until then its first frames are kept.
 */
#ifndef TW_REPORT_FRAMES_H
#define TW_REPORT_FRAMES_H

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/report/report.h"
#include "stream/streams.h"
#include "wire/decode.h"

#define TW_REPORT_OPENING_FRAMES 4096 /* kept at most before a file without any of the above is taken as in order */
#define TW_REPORT_OPENING_BYTES  (4u << 20) /* the same */

/* A frame, as it came or out of the merge. */
struct tw_report_frame {
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	bool at_base;     /* the event's time is the base time, whatever it says */
	uint32_t missing; /* bytes at its end, which whoever captured left out */
};

/* Return: 0, or a failure that ends the report. */
typedef int tw_report_take(void *ctx, struct tw_report_frame *frame);

struct tw_report_frames;

/**
 * tw_report_frames__new() - @streams: those of the file; borrowed. What HOST and CLOCK say goes in before the frames come out
 * @in_order: the file is a recording of ours
 * @stats: packets, frames and what is wrong with them are counted there
 * Return: NULL without memory.
 */
struct tw_report_frames *tw_report_frames__new(struct tw_streams *streams, bool in_order, tw_report_take *take,
					       void *ctx, struct tw_report_stats *stats);

/** tw_report_frames__free() - NULL is fine */
void tw_report_frames__free(struct tw_report_frames *frames);

/** tw_report_frames__packet() - Return: 0, -ENOMEM, or what take returned */
int tw_report_frames__packet(struct tw_report_frames *frames, const struct tw_packet *packet);

/** tw_report_frames__flush() - let all out, and settle the counts: the end */
int tw_report_frames__flush(struct tw_report_frames *frames);

#endif
