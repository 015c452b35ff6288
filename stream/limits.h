/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of the data kept of streams. Frames are untrusted, so each limit will be reached: data beyond a limit are counted, or refused
 * with an error text. docs/safety.md lists all limits.
 */
#ifndef TW_STREAM_LIMITS_H
#define TW_STREAM_LIMITS_H

#include <stddef.h>

#define TW_STREAMS_LIVE_MAX      256 /* live streams: each has queues, clocks and channels in memory */
#define TW_STREAMS_OF_SOURCE_MAX (TW_STREAMS_LIVE_MAX / 8 * 7) /* live streams of one address, by default */
#define TW_STREAMS_MAX \
	32768 /* known streams of a table, including ended ones: their data take less than half of the memory */
#define TW_STREAMS_SILENT_FRAMES \
	65536 /* frames of other streams after which a silent stream counts as dead, in files, which have no receive time */
#define TW_STREAMS_REPORTED_MAX 4096 /* streams of a table that are reported one by one */
#define TW_STREAM_USERS_MAX     4    /* users that keep data in each stream */

/* Channels. A stream may take at most half of the free shared ones. */
#define TW_STREAM_CHANNELS_MAX           8192  /* of one stream, with queues or with counters */
#define TW_STREAM_CHANNELS_OWN           128   /* reserved for each live stream */
#define TW_STREAMS_CHANNELS_MAX          32768 /* shared by all live streams, in addition */
#define TW_STREAM_CHANNEL_WATERMARKS_MAX 8     /* watermarks that wait for their events */
#define TW_STREAM_CHANNEL_GAPS_MAX       16    /* the latest gaps are remembered, because late frames may fill them */
#define TW_STREAM_CHANNEL_REORDER_MAX    256   /* frames by which a frame may be late */
#define TW_STREAM_CHANNEL_JUMP_MAX       (1ull << 32) /* numbers; no real loss is as large */

/* Frames and events. */
#define TW_STREAMS_QUEUED_MAX ((size_t)64 << 20) /* bytes of frames queued by a merge, by default */
/* Limits of events in PARTs. A capture host keeps fewer bytes than a report of a file, because it has less time. */
#define TW_STREAMS_EVENT_PARTS_LIVE_BYTES ((size_t)4 << 20)
#define TW_STREAMS_EVENT_PARTS_FILE_BYTES ((size_t)16 << 20)
#define TW_STREAMS_EVENT_PARTS_MAX        256

/* Metadata as received, to be written again in each file. */
#define TW_STREAM_METADATA_MAX         ((size_t)64 << 20)  /* bytes of one stream, by default */
#define TW_STREAMS_METADATA_MAX        ((size_t)256 << 20) /* of all */
#define TW_STREAM_METADATA_PARTS_BYTES ((size_t)4 << 20)   /* a schema text takes a quarter of a MiB at most */
#define TW_STREAM_METADATA_PARTS_MAX   64

/* Metadata of the streams of a table: formats and their programs, names, symbols, strings. */
#define TW_STREAMS_MEMORY_MAX       ((size_t)256 << 20) /* bytes */
#define TW_STREAM_SCHEMAS_MAX       4096
#define TW_STREAM_SCHEMAS_NAMED_MAX 256 /* limit of schema ids counted for one stream, if only ids are needed */
#define TW_STREAM_PARTS_BYTES       ((size_t)16 << 20) /* memory of values in PARTs */
#define TW_STREAM_PARTS_MAX         256

#define TW_STREAM_TASKS_MAX          (1u << 20) /* named tasks of one stream; the kernel's pid_max is below 2^22 */
#define TW_STREAM_TASK_NAMES_MAX     128        /* older names of one task, if only the latest are kept */
#define TW_STREAM_ALL_TASK_NAMES_MAX 4096       /* the same if all are kept, sorted by time in an array */

#endif
