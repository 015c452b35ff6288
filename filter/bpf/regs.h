/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/bpf. What registers, stack and window hold, and offsets of the wire format.
 *
 * There are two ways through a program. The short one is for frames of nothing but one event, in one piece, behind what headers mostly
 * look like: they are looked at where they lie. All others go the long way: header and events are copied to the window, one by one.
 */
#ifndef TW_BPF_REGS_H
#define TW_BPF_REGS_H

#include <stddef.h>

#include <linux/bpf.h>

#include "filter/bpf/program.h"
#include "wire/tracewire.h"

/* These stay over calls. */
#define TW_REG_CONTEXT BPF_REG_6 /* of the program; in the record function: struct tw_pointers */
#define TW_REG_FRAME \
	BPF_REG_7 /* the frame header, with the event to be judged behind it: in the packet or in the window */
#define TW_REG_END  BPF_REG_8 /* short way: end of the packet's linear part */
#define TW_REG_ROWS BPF_REG_9 /* counters of the frame's stream and channel */

/* While the short way looks for the frame: where it begins in the packet. */
#define TW_REG_OFFSET BPF_REG_5

/* While the long way looks for the frame there are no rows yet. Offsets in the packet: */
#define TW_REG_AT    BPF_REG_8 /* what comes next */
#define TW_REG_LIMIT BPF_REG_9 /* where the packet ends, or what a header says about that */

/* While an event is judged: length of its TLV. Calls are made in the window only. */
#define TW_REG_LENGTH BPF_REG_3

#define TW_HDR(field)   ((int)offsetof(struct tw_frame_hdr, field))
#define TW_TLV0         ((int)sizeof(struct tw_frame_hdr)) /* where the first TLV stands */
#define TW_EVENT(field) (TW_TLV0 + (int)offsetof(struct tw_event, field))

/*
 * What the long way knows of a frame. It lies in the window, before the header, and not on the stack: kernels before 6.8 believed
 * that what a loop's function writes there is written once.
 */
struct tw_state {
	uint64_t at, end; /* of the next TLV and of the frame, in the packet; end 0 = the header says what cannot be */
	uint64_t left, dropped; /* events */
	uint64_t first;         /* row of the first event that is left */
	uint64_t matched;       /* rows, a bit each */
	uint64_t found;         /* TW_FOUND_* */
	uint64_t checksum;      /* of UDP, in the packet; 0 = there is none */
	uint64_t fixed;         /* XDP: the frame cannot be changed, its checksum could not follow */
	uint64_t unused[7];
};
#define TW_FOUND_MUST   1 /* something that has to arrive besides events */
#define TW_FOUND_PART   2
#define TW_FOUND_BROKEN 4 /* the rest cannot be read */

/* Offset from TW_REG_FRAME in the window. */
#define TW_STATE(field) ((int)offsetof(struct tw_state, field) - (int)sizeof(struct tw_state))

/* Texts from further behind in the event are copied to the window's end. Offset from TW_REG_FRAME. */
#define TW_TEXT_SIZE 256
#define TW_TEXT      (TW_BPF_WINDOW - (int)sizeof(struct tw_state) - TW_TEXT_SIZE)

/* Bytes of an event's TLV that tests can look at. */
#define TW_BPF_EXTENT_MAX ((uint32_t)(TW_TEXT - TW_TLV0))
struct tw_pointers {
	uint64_t context, frame, rows;
};

#define TW_STACK_POINTERS (-(int)sizeof(struct tw_pointers))
#define TW_STACK_KEY      (TW_STACK_POINTERS - (int)sizeof(struct tw_counter_key))
#define TW_STACK_ZERO     (TW_STACK_KEY - 8) /* index of the maps of one entry */

#endif
