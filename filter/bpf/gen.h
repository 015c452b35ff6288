/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/bpf. A program being written, its pieces, and what registers, stack and window hold.
 *
 * There are two paths through a program. The fast one is for frames of nothing but one event, in one piece, behind what headers mostly
 * look like: they are read where they lie. All others take the slow path: header and events are copied to the window, one by one.
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

/* These stay over calls. */
#define TW_REG_CONTEXT BPF_REG_6 /* of the program; in the record function: struct tw_pointers */
#define TW_REG_FRAME \
	BPF_REG_7 /* the frame header, with the event to be judged behind it: in the packet or in the window */
#define TW_REG_END  BPF_REG_8 /* fast path: end of the packet's linear part */
#define TW_REG_ROWS BPF_REG_9 /* counters of the frame's stream and channel */

/* While the fast path looks for the frame: where it begins in the packet. */
#define TW_REG_OFFSET BPF_REG_5

/* While the slow path looks for the frame there are no rows yet. Offsets in the packet: */
#define TW_REG_AT    BPF_REG_8 /* what comes next */
#define TW_REG_LIMIT BPF_REG_9 /* where the packet ends, or what a header says about that */

/* While an event is judged: length of its TLV. Calls are made in the window only. */
#define TW_REG_LENGTH BPF_REG_3

#define TW_HDR(field)   ((int)offsetof(struct tw_frame_hdr, field))
#define TW_TLV0         ((int)sizeof(struct tw_frame_hdr)) /* where the first TLV stands */
#define TW_EVENT(field) (TW_TLV0 + (int)offsetof(struct tw_event, field))

/*
 * What the slow path knows of a frame. It lies in the window, before the header, and not on the stack: kernels before 6.8 believed
 * that what a loop's function writes there is written once.
 */
struct tw_slow_state {
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
#define TW_STATE(field) ((int)offsetof(struct tw_slow_state, field) - (int)sizeof(struct tw_slow_state))

/* Texts from further behind in the event are copied to the window's end. Offset from TW_REG_FRAME. */
#define TW_TEXT_SIZE 256
#define TW_TEXT      (TW_BPF_WINDOW - (int)sizeof(struct tw_slow_state) - TW_TEXT_SIZE)

_Static_assert(TW_BPF_EXTENT_MAX == TW_TEXT - TW_TLV0, "what tests look at fits the window before that");

/* What the record function is given. */
struct tw_pointers {
	uint64_t context, frame, rows;
};

#define TW_STACK_POINTERS (-(int)sizeof(struct tw_pointers))
#define TW_STACK_KEY      (TW_STACK_POINTERS - (int)sizeof(struct tw_counter_key))
#define TW_STACK_ZERO     (TW_STACK_KEY - 8) /* index of the maps of one entry */

/*
 * A chain is what is asked of events with an id: the rules one after the other. Rules that cannot match are left out, and so are
 * those after a rule that always matches. Chains that end alike share their ends.
 */

/* Where one goes: a link, or the row that decides: rule i, or n for the default. */
#define TW_TO_ROW 0x80000000u

struct tw_chain_link {
	const struct tw_node *root; /* of the rule's tree for some event; a TEST, AND or OR */
	uint64_t hash;
	uint32_t matched, next; /* row and link or row, where it matches and where it doesn't */
	uint32_t extent;        /* bytes of the TLV that this and those behind it look at, at most */
};

/* Ids from the first on, up to the next range. */
struct tw_chain_range {
	uint32_t first;
	uint32_t to;
};

struct tw_chains {
	struct tw_chain_link *links; /* each only goes on to those before it */
	struct tw_chain_range *ranges;
	uint32_t n_links, n_ranges;
	uint32_t *table; /* of links, by hash */
	uint32_t table_size;
	uint32_t extent; /* largest of all */
};

/* A program being written. */
struct tw_gen {
	struct tw_asm a;
	const struct tw_rules *rules;
	const struct tw_bpf_options *options;
	struct tw_chains chains;
	tw_label rows[TW_RULES_MAX + 1]; /* of the function being written: where events go that a row decides about */
	tw_label slow_path;
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

/* program.c: what all parts use */
void tw_gen__return(struct tw_gen *g, uint8_t action);
void tw_gen__act(struct tw_gen *g, uint8_t action, uint32_t arg);
void tw_gen__make_key(struct tw_gen *g);                              /* from the header at TW_REG_FRAME to the stack */
void tw_gen__look_up(struct tw_gen *g, enum tw_bpf_map map, int key); /* r0 = entry or 0 */
/* A row grows: frames by 1, events by 1, nothing or what a register holds. r1 changes. */
enum { TW_BY_NOTHING = -1, TW_BY_ONE = -2 };
void tw_gen__count(struct tw_gen *g, unsigned int row, int events);
void tw_gen__count_what(struct tw_gen *g, enum tw_count what, int events);
void tw_gen__grow(struct tw_gen *g, uint8_t base, int offset, int by);

/** tw_chains__make() - chains.c: the chains of all ids. @ret: tw_chains__fini(). Return: 0, -ENOMEM, -E2BIG */
int tw_chains__make(const struct tw_rules *rules, struct tw_chains *ret);
void tw_chains__fini(struct tw_chains *chains);

/* chains.c: asks the links of the chain that the event's id has, and jumps to a row's label */
void tw_gen__judge(struct tw_gen *g, tw_label too_short);

/* fast_path.c: frames of one event where they lie; what it is not for goes on the slow path */
void tw_gen__fast_path(struct tw_gen *g);

/* fast_path.c: a whole program for a NIC */
void tw_gen__offload(struct tw_gen *g);

/*
 * slow_path.c: finds the frame, its header and its rows, and decides about frames that no rule is asked about. Then TW_REG_FRAME is the
 * window with the header, TW_REG_AT and TW_REG_LIMIT are set
 */
void tw_gen__slow_path(struct tw_gen *g);

/* slow_path.c: judges one TLV after the other, by a function of its own, and what becomes of the frame then */
void tw_gen__packed(struct tw_gen *g);
void tw_gen__record_function(struct tw_gen *g);

/* program.c: goes on with frames of the schema that the rules are for */
void tw_gen__sort_out(struct tw_gen *g);

/* program.c: control, other_schema, unreadable, pass */
void tw_gen__frames_without_rule(struct tw_gen *g);

#endif
