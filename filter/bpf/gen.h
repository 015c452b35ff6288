/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/bpf. A program that is being generated, its parts, and the use of registers, stack and window.
 *
 * A program has two paths. The fast one is for frames of exactly one event, in one piece, after common headers: it reads them in the
 * packet. All other frames take the slow path: it copies header and events to the window, one by one.
 */
#ifndef TW_BPF_GEN_H
#define TW_BPF_GEN_H

#include <stddef.h>

#include <linux/bpf.h>

#include "base/bytes.h"
#include "filter/bpf/asm.h"
#include "filter/bpf/program.h"
#include "filter/bpf/test.h"
#include "filter/rules.h"
#include "filter/tree.h"
#include "wire/tracewire.h"

/* These registers keep their values across calls. */
#define TW_REG_CONTEXT BPF_REG_6 /* context of the program; in the record function: struct tw_pointers */
#define TW_REG_FRAME   BPF_REG_7 /* the frame header, followed by the current event: in the packet or in the window */
#define TW_REG_END     BPF_REG_8 /* fast path: end of the linear part of the packet */
#define TW_REG_ROWS    BPF_REG_9 /* counters of the frame's stream and channel */

/* While the fast path searches the frame: its offset in the packet. */
#define TW_REG_OFFSET BPF_REG_5

/* While the slow path searches the frame there are no rows yet. Offsets in the packet: */
#define TW_REG_AT    BPF_REG_8 /* of the next header */
#define TW_REG_LIMIT BPF_REG_9 /* of the end of the packet, or the end according to a header */

/* While an event is evaluated: length of its TLV. Calls are made only with the window. */
#define TW_REG_LENGTH BPF_REG_3

#define TW_HDR(field)   ((int)offsetof(struct tw_frame_hdr, field))
#define TW_TLV0         ((int)sizeof(struct tw_frame_hdr)) /* offset of the first TLV */
#define TW_EVENT(field) (TW_TLV0 + (int)offsetof(struct tw_event, field))

/*
 * State of a frame on the slow path. It is in the window, before the header, and not on the stack: before 6.8 the kernel's verifier
 * assumed that a loop's function writes only once.
 */
struct tw_slow_state {
	uint64_t at,
		end; /* offsets of the next TLV and of the end of the frame in the packet; end 0 = the header is invalid */
	uint64_t left, dropped; /* number of events */
	uint64_t first;         /* row of the first event that is left */
	uint64_t matched;       /* rows, one bit each */
	uint64_t found;         /* TW_FOUND_* */
	uint64_t checksum;      /* offset of the UDP header in the packet; 0 = none */
	uint64_t fixed;         /* XDP: the frame cannot be changed, because its checksum could not be corrected */
	uint64_t unused[7];
};
#define TW_FOUND_MUST   1 /* it has something other than events that must arrive */
#define TW_FOUND_PART   2
#define TW_FOUND_BROKEN 4 /* the rest is malformed */

/* Offset in the window from TW_REG_FRAME. */
#define TW_STATE(field) ((int)offsetof(struct tw_slow_state, field) - (int)sizeof(struct tw_slow_state))

/* Texts at larger offsets in the event are copied to the end of the window. Offset from TW_REG_FRAME. */
#define TW_TEXT_SIZE 256
#define TW_TEXT      (TW_BPF_WINDOW - (int)sizeof(struct tw_slow_state) - TW_TEXT_SIZE)

_Static_assert(TW_BPF_EXTENT_MAX == TW_TEXT - TW_TLV0, "what tests look at fits the window before that");

/* Arguments of the record function. */
struct tw_pointers {
	uint64_t context, frame, rows;
};

#define TW_STACK_POINTERS (-(int)sizeof(struct tw_pointers))
#define TW_STACK_KEY      (TW_STACK_POINTERS - (int)sizeof(struct tw_counter_key))
#define TW_STACK_ZERO     (TW_STACK_KEY - 8) /* key in the maps with one entry */

/*
 * A chain has the tests for an event id, the rules in order. Rules that cannot match are left out, and so are rules after one that
 * always matches. Chains with equal ends share them.
 */

/* The target of a branch: a link, or the deciding row: rule i, or n for the default. */
#define TW_TO_ROW 0x80000000u

struct tw_chain_link {
	const struct tw_node *root; /* the rule's tree for some event; a TEST, AND or OR */
	uint64_t hash;
	uint32_t matched, next; /* row if it matches, and link or row if it does not */
	uint32_t extent;        /* largest number of bytes of the TLV that this and the later links read */
};

/* Ids from the first on, up to the next range. */
struct tw_chain_range {
	uint32_t first;
	uint32_t to;
};

struct tw_chains {
	struct tw_chain_link *links; /* each refers only to earlier ones */
	struct tw_chain_range *ranges;
	uint32_t n_links, n_ranges;
	uint32_t *table; /* links by hash */
	uint32_t table_size;
	uint32_t extent; /* largest of all */
};

/* A program that is being generated. */
struct tw_gen {
	struct tw_asm a;
	const struct tw_rules *rules;
	const struct tw_bpf_options *options;
	struct tw_chains chains;
	tw_label rows[TW_RULES_MAX + 1]; /* of the current function: where events go after the verdict of a row */
	tw_label slow_path;
	tw_label small;  /* packets in which no frame with an event fits */
	tw_label pass;   /* not counted, or counted already */
	tw_label record; /* the record function */
	/* TW_REG_ROWS is set: frames that no rule applies to */
	tw_label control, other_schema, unreadable;
};

static inline bool tw_gen__is_xdp(const struct tw_gen *g)
{
	return g->options->hook == TW_HOOK_XDP;
}

/* A constant in the byte order of a load from the frame. */
static inline int32_t tw_wire16(uint16_t value)
{
	return TW_HOST_BE ? value : __builtin_bswap16(value);
}

static inline int32_t tw_wire32(uint32_t value)
{
	return (int32_t)(TW_HOST_BE ? value : __builtin_bswap32(value));
}

/* program.c: used by all parts */
void tw_gen__return(struct tw_gen *g, uint8_t action);
void tw_gen__act(struct tw_gen *g, uint8_t action, uint32_t arg);
void tw_gen__make_key(struct tw_gen *g); /* copies the key from the header at TW_REG_FRAME to the stack */
void tw_gen__look_up(struct tw_gen *g, enum tw_bpf_map map, int key); /* r0 = entry or 0 */
/* Adds to a row: 1 frame, and 1 or 0 events, or the value of a register. Changes r1. */
enum { TW_BY_NOTHING = -1, TW_BY_ONE = -2 };
void tw_gen__count(struct tw_gen *g, unsigned int row, int events);
void tw_gen__count_what(struct tw_gen *g, enum tw_count what, int events);
void tw_gen__grow(struct tw_gen *g, uint8_t base, int offset, int by);

/** tw_chains__make() - chains.c: makes the chains of all ids. @ret: tw_chains__fini(). Return: 0, -ENOMEM, -E2BIG */
int tw_chains__make(const struct tw_rules *rules, struct tw_chains *ret);
void tw_chains__fini(struct tw_chains *chains);

/* chains.c: evaluates the links of the chain of the event's id, and jumps to a row's label */
void tw_gen__judge(struct tw_gen *g, tw_label too_short);

/* fast_path.c: evaluates frames of one event in the packet; all others go to the slow path */
void tw_gen__fast_path(struct tw_gen *g);

/* fast_path.c: a whole program for a NIC */
void tw_gen__offload(struct tw_gen *g);

/*
 * slow_path.c: finds the frame, its header and its rows, and handles frames that no rule applies to. After it TW_REG_FRAME is the window
 * with the header, TW_REG_AT and TW_REG_LIMIT are set
 */
void tw_gen__slow_path(struct tw_gen *g);

/* slow_path.c: evaluates one TLV after the other in a separate function, and then applies the verdict to the frame */
void tw_gen__packed(struct tw_gen *g);
void tw_gen__record_function(struct tw_gen *g);

/* program.c: continues with frames of the rules' schema */
void tw_gen__sort_out(struct tw_gen *g);

/* program.c: control, other_schema, unreadable, pass */
void tw_gen__frames_without_rule(struct tw_gen *g);

#endif
