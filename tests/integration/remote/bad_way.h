/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program of a bad way counts and holds, for itself and for who loads it. */
#ifndef BAD_WAY_H
#define BAD_WAY_H

#include <linux/types.h>

#define BAD_WAY_STREAMS   256
#define BAD_WAY_SLOTS     16   /* of interfaces, by their number; those of one test follow one another */
#define BAD_WAY_FRAME     2048 /* bytes, of the longest frame that can be held */
#define BAD_WAY_AHEAD_MAX 4    /* frames that pass one that is held */

struct bad_way_count {
	__u64 frames, control, events; /* control: frames of the control channel */
	__u64 first, last;             /* of these a stream's first, and those with END */
};

struct bad_way_counts {
	struct bad_way_count all, dropped, doubled, moved;
};

enum { SLOT_FREE, SLOT_BUSY, SLOT_FULL };

struct bad_way_slot {
	__u64 stream_id; /* as on the wire */
	__u32 state, len;
	__u32 ahead; /* frames that have to pass yet */
	__u16 channel, events;
	__u32 is_first, is_last;
	__u8 frame[BAD_WAY_FRAME];
};

#endif
