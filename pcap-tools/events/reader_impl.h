/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of events/: reader.c reads the frames, accounting.c makes the ledgers. */
#ifndef TW_EVENT_READER_IMPL_H
#define TW_EVENT_READER_IMPL_H

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/interfaces.h"
#include "pcap-tools/events/frames.h"
#include "pcap-tools/events/reader.h"
#include "wire/parts.h"

struct tw_event_reader {
	const char *name; /* of the file, for messages */
	const struct tw_event_reader_ops *ops;
	void *ctx;
	struct tw_event_reader_stats *stats;
	struct tw_capture_file *file;
	struct tw_capture_interfaces interfaces;
	struct tw_streams *streams;
	struct tw_event_frames *frames;
	struct tw_parts *parts; /* of events */
	int block_err;          /* -ENOMEM while a block of the file was processed; 0 = none */
	unsigned int
		user; /* tw_stream.user[user] is the struct tw_event_counts of a stream; NULL = no frame of the stream was read */
	uint32_t n_streams; /* number of streams of which a frame was read */
};

#endif
