/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace.dat file of trace-cmd into a recording in pcapng: docs/wire-format.md, "Recordings". Each buffer of the file is a
 * stream. Nothing is lost on the way: formats, names, symbols and texts go into control frames, what has no place in them into
 * comments.
 */
#ifndef TW_CONVERT_H
#define TW_CONVERT_H

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/tracedat/tracedat.h"

#define TW_CONVERT_COMMENTS_MAX ((size_t)128 * 1024) /* bytes of options kept as comments */

struct tw_convert_options {
	int fd;           /* the pcapng file, empty; stays the caller's */
	const char *name; /* of that file, for error texts */
	/* Called now and then: how many of info.data_bytes have been read. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
};

struct tw_convert_stats {
	uint64_t events, bytes; /* in the pcapng file */
	uint64_t lost;          /* lost in the rings, as the file says */
	uint64_t lost_unknown;  /* losses whose size it does not tell */
	uint64_t late;          /* older than an event before them */
	uint64_t unknown;       /* events that the file has no format for */
	uint64_t symbols;
	uint64_t refused_formats; /* texts that are no formats; they are in the pcapng file all the same */
	size_t streams;
	size_t comments_cut; /* bytes of options that did not fit the limit */
};

/**
 * tw_convert__run() - convert all
 * @dat: at its first event
 * @ret: also after a failure
 *
 * Damage of the input is no failure: tw_tracedat__damage() tells it. Return: 0, or -errno with @error filled.
 */
int tw_convert__run(struct tw_tracedat *dat, const struct tw_convert_options *options, struct tw_convert_stats *ret,
		    struct tw_error *error);

struct tw_packed_stats {
	struct tw_archive_stats archive;
	struct tw_archive_report *streams; /* to be freed with free() */
	size_t n_streams;
	uint64_t others; /* packets that are no frames; left out */
};

/**
 * tw_packed__convert() - unpack all
 * @in: at its first packet
 * @output: begun; stays the caller's
 * @progress: called now and then with the offset that was read up to; may be NULL
 * @ret: also after a failure
 *
 * Return: 0; -EBADMSG if @in is damaged, with @error saying where: all before that is in the output; another -errno with @error filled.
 */
int tw_packed__convert(struct tw_capture_file *in, struct tw_output *output,
		       void (*progress)(void *ctx, uint64_t offset), void *ctx, struct tw_packed_stats *ret,
		       struct tw_error *error);

#endif
