/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of the data kept for streams. Frames are untrusted, so each limit can be reached. Data beyond a limit are counted, refused with
 * an error text, or replace older data. docs/safety.md lists the important limits.
 */
#ifndef TW_STREAM_LIMITS_H
#define TW_STREAM_LIMITS_H

#include <stddef.h>

#define TW_STREAMS_LIVE_MAX      256 /* live streams of a table: each has queues, clocks and channels in memory */
#define TW_STREAMS_OF_SOURCE_MAX (TW_STREAMS_LIVE_MAX / 8 * 7) /* live streams of one address, by default */
#define TW_STREAMS_MAX           32768 /* known streams of a table: their structs take less than half of its memory */
/* Readers of files have no receive times. To them, a stream counts as dead after this number of frames of other streams. */
#define TW_STREAMS_SILENT_FRAMES 65536
#define TW_STREAMS_REPORTED_MAX  4096 /* streams of a table that are reported individually */
#define TW_STREAM_USERS_MAX      4    /* users of a table, which keep data in each stream */

/* Channels. One stream may take at most half of the shared channels that are free. */
#define TW_STREAM_CHANNELS_MAX           8192         /* channels of one stream, with queues or with counters */
#define TW_STREAM_CHANNELS_OWN           128          /* channels reserved for each live stream */
#define TW_STREAMS_CHANNELS_MAX          32768        /* additional channels, shared by all live streams */
#define TW_STREAM_CHANNEL_WATERMARKS_MAX 8            /* watermarks of one channel that wait for earlier events */
#define TW_STREAM_CHANNEL_GAPS_MAX       16           /* remembered gaps of one channel, which late frames may fill */
#define TW_STREAM_CHANNEL_REORDER_MAX    256          /* queued frames of a channel that a late frame may precede */
#define TW_STREAM_CHANNEL_JUMP_MAX       (1ull << 32) /* largest gap that is accepted; no real loss is as large */

/* Frames and events. */
#define TW_STREAMS_QUEUED_MAX ((size_t)64 << 20) /* bytes of frames that a merge queues, by default */
/* Limits of the reassembly of events from PARTs. A capture host keeps fewer bytes than a report of a file, because it has less time. */
#define TW_STREAMS_EVENT_PARTS_LIVE_BYTES ((size_t)4 << 20)
#define TW_STREAMS_EVENT_PARTS_FILE_BYTES ((size_t)16 << 20)
#define TW_STREAMS_EVENT_PARTS_MAX        256

/* Metadata records that a capture keeps as received, because it writes them again in each file. */
#define TW_STREAM_METADATA_MAX  ((size_t)64 << 20)  /* bytes of one stream, by default */
#define TW_STREAMS_METADATA_MAX ((size_t)256 << 20) /* bytes of all streams */
#define TW_STREAM_METADATA_PARTS_BYTES \
	((size_t)4 << 20) /* bytes of incomplete values; a schema text has at most 0.25 MiB */
#define TW_STREAM_METADATA_PARTS_MAX 64

/* Decoded metadata of all streams of a table: formats and their programs, names, symbols, strings. */
#define TW_STREAMS_MEMORY_MAX       ((size_t)256 << 20) /* bytes */
#define TW_STREAM_SCHEMAS_MAX       4096                /* schemas of a table */
#define TW_STREAM_SCHEMAS_NAMED_MAX 256                 /* schema ids kept for one stream, if only ids are needed */
#define TW_STREAM_PARTS_BYTES       ((size_t)16 << 20)  /* bytes of incomplete values */
#define TW_STREAM_PARTS_MAX         256

#define TW_STREAM_TASKS_MAX (1u << 20) /* named tasks of one stream; the kernel's pid_max is at most 2^22 */
/* Limit of the older names of one task, in a table for one pass over a capture: TW_HISTORY_LATEST. */
#define TW_STREAM_TASK_NAMES_MAX 128
/* Limit of the older names of one task, in a table for random access to events: TW_HISTORY_ALL. */
#define TW_STREAM_ALL_TASK_NAMES_MAX 4096

#endif
