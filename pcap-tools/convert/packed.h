/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture whose frames are as they were received, by `capture --packed` or by other tools, into a recording: one event a packet, in
 * one order.
 */
#ifndef TW_PACKED_H
#define TW_PACKED_H

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/capture/capture_file.h"

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
