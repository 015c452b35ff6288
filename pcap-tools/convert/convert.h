/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a trace.dat file of trace-cmd to a recording in pcapng: docs/wire-format.md, "Recordings". Each buffer of the file is a
 * stream. Nothing is lost: formats, names, symbols and texts are written to control frames, everything else to comments.
 */
#ifndef TW_CONVERT_H
#define TW_CONVERT_H

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/tracedat/tracedat.h"

#define TW_CONVERT_COMMENTS_MAX ((size_t)128 * 1024) /* bytes of options kept as comments */

struct tw_convert_options {
	int fd;           /* the pcapng file, empty; the caller's */
	const char *name; /* name of that file, for error texts */
	/* Called from time to time with the number of bytes read, of info.data_bytes. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
};

struct tw_convert_stats {
	uint64_t events, bytes; /* events in the pcapng file */
	uint64_t lost;          /* events lost in the rings, according to the file */
	uint64_t lost_unknown;  /* losses without a number */
	uint64_t late;          /* events older than the event before them */
	uint64_t unknown;       /* events without a format in the file */
	uint64_t symbols;
	uint64_t refused_formats; /* texts that are not valid formats; they are in the pcapng file nevertheless */
	size_t streams;
	size_t comments_cut; /* bytes of options beyond the limit */
};

/**
 * tw_convert__run() - convert the whole file
 * @dat: at its first event
 * @ret: also filled after a failure
 *
 * Damaged input is no failure: tw_tracedat__damage() describes it. Return: 0, or -errno with @error filled.
 */
int tw_convert__run(struct tw_tracedat *dat, const struct tw_convert_options *options, struct tw_convert_stats *ret,
		    struct tw_error *error);

struct tw_packed_stats {
	struct tw_archive_stats archive;
	struct tw_archive_report *streams; /* to be freed with free() */
	size_t n_streams;
	uint64_t others; /* packets without a frame; left out */
};

/**
 * tw_packed__convert() - unpack the whole file
 * @in: at its first packet
 * @output: begun; stays the caller's
 * @progress: called from time to time with the number of bytes read; may be NULL
 * @ret: also filled after a failure
 *
 * Return: 0; -EBADMSG if @in is damaged, with the place in @error: everything before it is in the output; another -errno with @error
 * filled.
 */
int tw_packed__convert(struct tw_capture_file *in, struct tw_output *output,
		       void (*progress)(void *ctx, uint64_t offset), void *ctx, struct tw_packed_stats *ret,
		       struct tw_error *error);

#endif
