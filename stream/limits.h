/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much is kept of streams, at most. Frames come from strangers, so each of these is reached one day: what is beyond is counted or
 * refused with a sentence. docs/safety.md has the list of all limits.
 */
#ifndef TW_STREAM_LIMITS_H
#define TW_STREAM_LIMITS_H

#include <stddef.h>

#define TW_STREAMS_LIVE_MAX 256 /* that send now: queues, clocks and channels of each are held in memory */
#define TW_STREAMS_MAX \
	32768 /* in one table, those that are over too: what is known of them takes less than half of the memory */
#define TW_STREAMS_SILENT_FRAMES \
	65536 /* of others, until a live stream is taken as dead, where there is no other time: in a file */
#define TW_STREAMS_TOLD_MAX 4096 /* in one table, where each is told of at length */
#define TW_STREAM_USERS_MAX 4    /* parts of a program that keep something of each stream */

/* What explains the streams of one table: formats and their programs, names, symbols, strings. */
#define TW_STREAMS_MEMORY_MAX ((size_t)256 << 20) /* bytes */
#define TW_STREAM_SCHEMAS_MAX 4096
#define TW_STREAM_PARTS_BYTES ((size_t)16 << 20) /* of values that come in PARTs */
#define TW_STREAM_PARTS_MAX   256

#define TW_STREAM_TASKS_MAX          (1u << 20) /* with a name, of one stream; the kernel's pid_max is below 2^22 */
#define TW_STREAM_TASK_NAMES_MAX     128        /* older names of one task, where only the latest are kept */
#define TW_STREAM_ALL_TASK_NAMES_MAX 4096       /* the same where all are kept, sorted by time in an array */

#define TW_STREAM_CHANNEL_GAPS         16   /* latest gaps remembered of a channel, in case they are filled after all */
#define TW_STREAM_COUNTER_CHANNELS_MAX 8192 /* channels with counters of their own; more are ignored */

#endif
