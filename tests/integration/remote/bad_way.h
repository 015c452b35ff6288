/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters and slots that the program of a bad path (bad_way.bpf.c) shares with its loader. */
#ifndef BAD_WAY_H
#define BAD_WAY_H

#include <linux/types.h>

#define BAD_WAY_STREAMS   256
#define BAD_WAY_SLOTS     16   /* index: ifindex % BAD_WAY_SLOTS */
#define BAD_WAY_FRAME     2048 /* length of the longest frame that can be held, bytes */
#define BAD_WAY_AHEAD_MAX 4    /* largest number of frames that pass a held frame */

struct bad_way_count {
	__u64 frames, control, events; /* control: frames of the control channel */
	__u64 first, last; /* of @frames: those that are the first of a stream, and those that have an END */
};

struct bad_way_counts {
	struct bad_way_count all, dropped, doubled, moved;
};

enum { SLOT_FREE, SLOT_BUSY, SLOT_FULL };

struct bad_way_slot {
	__u64 stream_id; /* in network byte order, as in the frame */
	__u32 state, len;
	__u32 ahead; /* number of frames that still have to pass */
	__u16 channel, events;
	__u32 is_first, is_last;
	__u8 frame[BAD_WAY_FRAME];
};

#endif
