/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much is kept of streams, at most. Frames come from strangers, so each of these is reached one day: what is beyond is counted or
 * refused with a sentence. docs/safety.md has the list of all limits.
 */
#ifndef TW_STREAM_LIMITS_H
#define TW_STREAM_LIMITS_H

#include <stddef.h>

#define TW_STREAMS_LIVE_MAX      256 /* that send now: queues, clocks and channels of each are held in memory */
#define TW_STREAMS_OF_SOURCE_MAX (TW_STREAMS_LIVE_MAX / 8 * 7) /* of them, from one address, if nothing else is said */
#define TW_STREAMS_MAX \
	32768 /* in one table, those that are over too: what is known of them takes less than half of the memory */
#define TW_STREAMS_SILENT_FRAMES \
	65536 /* of others, until a live stream is taken as dead, where there is no other time: in a file */
#define TW_STREAMS_REPORTED_MAX 4096 /* in one table, where each is reported at length */
#define TW_STREAM_USERS_MAX     4    /* parts of a program that keep something of each stream */

/* Channels. A stream of strangers takes no more of those that all share than it leaves. */
#define TW_STREAM_CHANNELS_MAX           8192         /* of one stream, with queues or with counters */
#define TW_STREAM_CHANNELS_OWN           128          /* of each live stream, whatever others take */
#define TW_STREAMS_CHANNELS_MAX          32768        /* of all live streams, beyond those */
#define TW_STREAM_CHANNEL_WATERMARKS_MAX 8            /* that wait for their events */
#define TW_STREAM_CHANNEL_GAPS_MAX       16           /* the latest are remembered, in case they are filled after all */
#define TW_STREAM_CHANNEL_REORDER_MAX    256          /* frames that one may come after its place */
#define TW_STREAM_CHANNEL_JUMP_MAX       (1ull << 32) /* numbers; no loss is as large, a frame that says so lies */

/* Frames and events. */
#define TW_STREAMS_QUEUED_MAX ((size_t)64 << 20) /* bytes of frames that a merge holds, if nothing else is said */
/* Of events in PARTs: a capture host has less time than a report of a file. */
#define TW_STREAMS_EVENT_PARTS_LIVE_BYTES ((size_t)4 << 20)
#define TW_STREAMS_EVENT_PARTS_FILE_BYTES ((size_t)16 << 20)
#define TW_STREAMS_EVENT_PARTS_MAX        256

/* Metadata as they came, to be written again in each file. */
#define TW_STREAM_METADATA_MAX         ((size_t)64 << 20)  /* bytes of one stream, if nothing else is said */
#define TW_STREAMS_METADATA_MAX        ((size_t)256 << 20) /* of all */
#define TW_STREAM_METADATA_PARTS_BYTES ((size_t)4 << 20)   /* a schema text takes a quarter of a MiB at most */
#define TW_STREAM_METADATA_PARTS_MAX   64

/* What explains the streams of one table: formats and their programs, names, symbols, strings. */
#define TW_STREAMS_MEMORY_MAX       ((size_t)256 << 20) /* bytes */
#define TW_STREAM_SCHEMAS_MAX       4096
#define TW_STREAM_SCHEMAS_NAMED_MAX 256 /* of one stream, that are told apart where only their ids are asked for */
#define TW_STREAM_PARTS_BYTES       ((size_t)16 << 20) /* of values that come in PARTs */
#define TW_STREAM_PARTS_MAX         256

#define TW_STREAM_TASKS_MAX          (1u << 20) /* with a name, of one stream; the kernel's pid_max is below 2^22 */
#define TW_STREAM_TASK_NAMES_MAX     128        /* older names of one task, where only the latest are kept */
#define TW_STREAM_ALL_TASK_NAMES_MAX 4096       /* the same where all are kept, sorted by time in an array */

#endif
