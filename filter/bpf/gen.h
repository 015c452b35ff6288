/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/bpf. A program being written, and its pieces. */
#ifndef TW_BPF_GEN_H
#define TW_BPF_GEN_H

#include "base/bytes.h"
#include "filter/bpf/asm.h"
#include "filter/bpf/chain.h"
#include "filter/bpf/regs.h"

struct tw_gen {
	struct tw_asm a;
	const struct tw_rules *rules;
	const struct tw_bpf_options *options;
	struct tw_chains chains;
	tw_label rows[TW_RULES_MAX + 1]; /* of the function being written: where events go that a row decides about */
	tw_label long_way;
	tw_label small;  /* packets that no frame with an event fits in */
	tw_label pass;   /* uncounted, or counted already */
	tw_label record; /* the record function */
	/* TW_REG_ROWS is known: frames that no rule is asked about */
	tw_label control, other_schema, unreadable;
};

static inline bool tw_gen__is_xdp(const struct tw_gen *g)
{
	return g->options->hook == TW_HOOK_XDP;
}

/* A constant as a load of what lies in the frame sees it. */
static inline int32_t tw_wire16(uint16_t value)
{
	return TW_HOST_BE ? value : __builtin_bswap16(value);
}

static inline int32_t tw_wire32(uint32_t value)
{
	return (int32_t)(TW_HOST_BE ? value : __builtin_bswap32(value));
}

/* short.c: the short way, up to the rows' labels; what it is not for goes the long way */
void tw_gen__short_way(struct tw_gen *g);

/* link.c: its first part, up to the frame, in the packet; and packets too small for a frame with an event */
void tw_gen__find_in_packet(struct tw_gen *g);
void tw_gen__small_packets(struct tw_gen *g);

/* offload.c: a whole program for a NIC */
void tw_gen__offload(struct tw_gen *g);

/* frame.c: the long way up to the frame; then TW_REG_FRAME is the window with the header, TW_REG_AT and TW_REG_LIMIT are set */
void tw_gen__find_frame(struct tw_gen *g);

/* header.c: checks it, finds the rows, decides about frames that no rule is asked about */
void tw_gen__header(struct tw_gen *g);

/* record.c: the function for each TLV, and the loop that calls it */
void tw_gen__loop(struct tw_gen *g);
void tw_gen__record_function(struct tw_gen *g);

/* conclude.c: what becomes of a frame whose TLVs have been seen */
void tw_gen__conclude(struct tw_gen *g);

/* verdict.c */
void tw_gen__judge(struct tw_gen *g, tw_label too_short); /* jumps to a row's label */
void tw_gen__one_event_rows(struct tw_gen *g);            /* the rows' labels for frames of one event */
void tw_gen__act(struct tw_gen *g, uint8_t action, uint32_t arg);
void tw_gen__return(struct tw_gen *g, uint8_t action);
void tw_gen__frames_without_rule(struct tw_gen *g); /* control, other_schema, unreadable, pass */

/* counters.c */
void tw_gen__make_key(struct tw_gen *g);                              /* from the header at TW_REG_FRAME to the stack */
void tw_gen__look_up(struct tw_gen *g, enum tw_bpf_map map, int key); /* r0 = entry or 0 */
void tw_gen__find_rows(struct tw_gen *g);                             /* the long way: also makes new ones */
/* A row grows: frames by 1, events by 1, nothing or what a register holds. r1 changes. */
enum { TW_BY_NOTHING = -1, TW_BY_ONE = -2 };
void tw_gen__count(struct tw_gen *g, unsigned int row, int events);
void tw_gen__count_what(struct tw_gen *g, enum tw_count what, int events);
void tw_gen__grow(struct tw_gen *g, uint8_t base, int offset, int by);

/* packet.c: copies between the packet, at the offset in r2, and memory from r3 on, @size bytes or what r4 says (TW_SIZE_IN_R4) */
enum { TW_SIZE_IN_R4 = 0 };
void tw_gen__load_bytes(struct tw_gen *g, int size, tw_label fails);
void tw_gen__store_bytes(struct tw_gen *g, int size, tw_label fails);

#endif
