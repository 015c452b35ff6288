/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a trace.dat file of trace-cmd, or a packed capture, to a recording in pcapng: docs/wire-format.md, "Recordings". Each buffer of
 * a trace.dat file becomes a stream. The control frames of each stream get the formats, task names and printk texts of the file, and the
 * symbols that events of the stream need. The options of the file are written to comments.
 */
#ifndef TW_CONVERT_H
#define TW_CONVERT_H

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/tracedat/tracedat.h"

#define TW_CONVERT_COMMENTS_MAX ((size_t)128 * 1024) /* limit of the comments made of options, bytes */

struct tw_convert_options {
	int fd;           /* descriptor of the empty pcapng file; the caller closes it */
	const char *name; /* name of that file, for error texts */
	/* Called from time to time: @done of @all bytes of events were read. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
};

struct tw_convert_stats {
	uint64_t events, bytes;   /* events written to the pcapng file, and the size of that file */
	uint64_t lost;            /* events lost in the rings, according to the file */
	uint64_t lost_unknown;    /* losses of an unknown number of events */
	uint64_t late;            /* events older than an event that precedes them in the stream */
	uint64_t unknown;         /* events without a format in the file */
	uint64_t symbols;         /* SYMBOL records written */
	uint64_t refused_formats; /* format texts that cannot be parsed; they are written nevertheless */
	size_t streams;
	uint64_t comments_cut; /* bytes of comments omitted because of TW_CONVERT_COMMENTS_MAX */
};

/**
 * tw_convert__run() - convert the whole file
 * @dat: an open file, of which no event was read
 * @ret: also filled after a failure
 *
 * Damaged input is not an error here: tw_tracedat_info.damage describes it. Return: 0, or -errno with @error filled.
 */
int tw_convert__run(struct tw_tracedat *dat, const struct tw_convert_options *options, struct tw_convert_stats *ret,
		    struct tw_error *error);

struct tw_packed_stats {
	struct tw_archive_stats archive;
	struct tw_archive_report *streams; /* to be freed with free() */
	size_t n_streams;
	uint64_t others; /* packets that contain no frame of Tracewire; omitted */
};

/**
 * tw_packed__convert() - convert a capture file with packed frames to a recording with one event per packet
 * @in: an open file, of which no packet was read
 * @output: an open output; the caller frees it
 * @progress: called from time to time with the offset of the last packet in the (decompressed) file; may be NULL
 * @ret: also filled after a failure
 * Return: 0; -EBADMSG if @in is damaged, with the position in @error (everything before that position is in the output); another -errno,
 * with @error filled.
 */
int tw_packed__convert(struct tw_capture_file *in, struct tw_output *output,
		       void (*progress)(void *ctx, uint64_t offset), void *ctx, struct tw_packed_stats *ret,
		       struct tw_error *error);

#endif
