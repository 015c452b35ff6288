/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/bpf. A program that is being generated, its parts, and its use of registers, stack and window (TW_MAP_WINDOW).
 *
 * A program has two paths. The fast path is for frames with exactly one event, in the linear part of a packet with common headers. It
 * reads the frame in the packet. All other frames take the slow path, which copies the frame header and then one TLV after the other to
 * the window.
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

/*
 * In the fast path, until the counters are looked up: offset of the frame in the packet. In XDP, it is set only for frames after a VLAN
 * tag or in UDP, because only the code that finds these frames uses it.
 */
#define TW_REG_OFFSET BPF_REG_5

/* Used by the slow path until the frame header is read. The record function also uses TW_REG_AT. */
#define TW_REG_AT    BPF_REG_8 /* offset of the next header, or of the TLV, in the packet */
#define TW_REG_LIMIT BPF_REG_9 /* offset of the end of the data in the packet; in UDP, of the datagram */

/*
 * While an event is evaluated: length of its TLV. A call destroys r3. Only tests on the slow path make calls; they load the length again
 * after a call.
 */
#define TW_REG_LENGTH BPF_REG_3

#define TW_HDR(field)   ((int)offsetof(struct tw_frame_hdr, field))
#define TW_TLV0         ((int)sizeof(struct tw_frame_hdr)) /* offset of the first TLV */
#define TW_EVENT(field) (TW_TLV0 + (int)offsetof(struct tw_event, field))

/*
 * State of a frame on the slow path. It is in the window, before the frame header, and not on the stack: before Linux 6.8, the verifier
 * assumed that bpf_loop() calls its callback only once, and derived wrong values of the stack from this.
 */
struct tw_slow_state {
	uint64_t at,
		end; /* offsets of the next TLV and of the end of the frame in the packet; end 0 = the header is invalid */
	uint64_t left, dropped; /* number of remaining events, and of events whose row has the action `drop` */
	uint64_t first;         /* row of the first remaining event */
	uint64_t matched;       /* one bit for each row that an event matched */
	uint64_t found;         /* TW_FOUND_* */
	uint64_t checksum;      /* offset of the UDP checksum in the packet; 0 = there is no checksum */
	uint64_t fixed; /* XDP: not 0 if the frame must not be changed, because its checksum could not be corrected */
	uint64_t unused[7];
};
#define TW_FOUND_MUST   1 /* the frame has a TLV, other than an event, that must arrive */
#define TW_FOUND_PART   2 /* the frame has a PART */
#define TW_FOUND_BROKEN 4 /* the frame is malformed after the TLVs that were evaluated */

/* Offset of a member of the state from TW_REG_FRAME, bytes. */
#define TW_STATE(field) ((int)offsetof(struct tw_slow_state, field) - (int)sizeof(struct tw_slow_state))

/* The text of a dynamic field is copied to the end of the window. TW_TEXT: its offset from TW_REG_FRAME, bytes. */
#define TW_TEXT_SIZE 256
#define TW_TEXT      (TW_BPF_WINDOW - (int)sizeof(struct tw_slow_state) - TW_TEXT_SIZE)

_Static_assert(TW_BPF_EXTENT_MAX == TW_TEXT - TW_TLV0, "the bytes that tests read fit the window before the text");

/* Argument of the record function, on the stack of the program. */
struct tw_pointers {
	uint64_t context, frame, rows;
};

#define TW_STACK_POINTERS (-(int)sizeof(struct tw_pointers))
#define TW_STACK_KEY      (TW_STACK_POINTERS - (int)sizeof(struct tw_counter_key))
#define TW_STACK_ZERO     (TW_STACK_KEY - 8) /* key in the maps with one entry */

/*
 * A chain finds the row for which an event of one id is counted. Each link tests a rule, in the order of the rules. Rules that cannot match
 * the id are left out, and so are rules after one that always matches. Chains with equal ends share the links of these ends.
 */

/* The target of a branch is the index of a link, or TW_TO_ROW | row. Row i belongs to rule i, row n to the default action. */
#define TW_TO_ROW 0x80000000u

struct tw_chain_link {
	const struct tw_node *root; /* the rule's tree for an event; a TEST, AND or OR */
	uint64_t hash;              /* hash of the tree */
	uint32_t matched, next;     /* targets if the tree is true, and if it is false */
	uint32_t extent; /* bytes of the TLV that the tests of this link and of the links after it read, at most */
};

/* Event ids from `first` to the id before the next range. */
struct tw_chain_range {
	uint32_t first;
	uint32_t to; /* beginning of the chain: a link, or TW_TO_ROW | row */
};

#define TW_CHAINS_TABLE 65536 /* a power of two */
_Static_assert(TW_CHAINS_TABLE >= 2 * TW_BPF_INSNS_MAX, "at least half of the slots are free");

struct tw_chains {
	struct tw_chain_link *links; /* a link branches only to links with a smaller index */
	struct tw_chain_range *ranges;
	uint32_t n_links, n_ranges;
	uint32_t *table; /* hash table of TW_CHAINS_TABLE slots: index of a link + 1; 0 = free */
	uint32_t extent; /* largest extent of all links */
};

/* A program that is being generated. */
struct tw_gen {
	struct tw_asm a;
	const struct tw_rules *rules;
	const struct tw_bpf_options *options;
	struct tw_chains chains;
	tw_label rows[TW_RULES_MAX + 1]; /* in the current function: targets for an event that counts for a row */
	tw_label slow_path;
	tw_label small;  /* target for packets that are too short for a frame with an event */
	tw_label pass;   /* passes the packet without counting it */
	tw_label record; /* beginning of the record function */
	/* Targets for frames to which no rule applies; TW_REG_ROWS must be set. */
	tw_label control, other_schema, unreadable;
};

static inline bool tw_gen__is_xdp(const struct tw_gen *g)
{
	return g->options->hook == TW_HOOK_XDP;
}

/* Return: the number that a load gives if the frame contains @value in big-endian byte order, before that number is converted. */
static inline int32_t tw_wire16(uint16_t value)
{
	return TW_HOST_BE ? value : __builtin_bswap16(value);
}

static inline int32_t tw_wire32(uint32_t value)
{
	return (int32_t)(TW_HOST_BE ? value : __builtin_bswap32(value));
}

/* Jump to @too_short if the packet has fewer than @size bytes at the address in @base. r1 changes. */
static inline void tw_gen__expect_bytes(struct tw_asm *a, uint8_t base, int size, tw_label too_short)
{
	tw_asm__mov(a, BPF_REG_1, base);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, size);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, too_short);
}

/* The functions tw_gen__*() below generate code. Their comments describe what the generated code does. */

/* program.c: code that all parts of a program use. */

/* End the program; DROP drops the packet, all other actions pass it. */
void tw_gen__return(struct tw_gen *g, uint8_t action);
/* Apply an action, which may also be mark or redirect, to the packet, and end the program. */
void tw_gen__act(struct tw_gen *g, uint8_t action, uint32_t arg);
/* Make the counters' key on the stack, from the header at TW_REG_FRAME. */
void tw_gen__make_key(struct tw_gen *g);
/* Set r0 to the address of a map's entry, or to 0. @key: offset of the key on the stack. */
void tw_gen__look_up(struct tw_gen *g, enum tw_bpf_map map, int key);
/* Add 1 frame and a number of events to a row. @events: TW_BY_NOTHING, TW_BY_ONE, or a register with the number. r1 changes. */
enum { TW_BY_NOTHING = -1, TW_BY_ONE = -2 };
void tw_gen__count(struct tw_gen *g, unsigned int row, int events);
void tw_gen__count_what(struct tw_gen *g, enum tw_count what, int events);
/* Add @by (as @events above) to the 8 bytes at @base + @offset. r1 changes. */
void tw_gen__grow(struct tw_gen *g, uint8_t base, int offset, int by);

/** tw_chains__make() - chains.c: make the chains for all event ids. @ret: free with tw_chains__fini(). Return: 0, -ENOMEM, -E2BIG */
int tw_chains__make(const struct tw_rules *rules, struct tw_chains *ret);
void tw_chains__fini(struct tw_chains *chains);

/* chains.c: evaluates the chain of the event's id, and jumps to a label in g->rows. @too_short: as in struct tw_bpf_access */
void tw_gen__judge(struct tw_gen *g, tw_label too_short);

/* fast_path.c: evaluates a frame that has exactly one event, without copying it; for all other frames, jumps to the slow path */
void tw_gen__fast_path(struct tw_gen *g);

/* fast_path.c: generates a whole program for a NIC */
void tw_gen__offload(struct tw_gen *g);

/*
 * slow_path.c: finds the frame, and copies its header to the window. If rules apply to the frame, the program continues after this code.
 * TW_REG_FRAME then points to the header, TW_REG_ROWS to the rows, and `at` and `end` of the state are set.
 */
void tw_gen__slow_path(struct tw_gen *g);

/* slow_path.c: calls the record function for each TLV of the frame, and then applies the verdict to the frame */
void tw_gen__packed(struct tw_gen *g);

/* slow_path.c: generates the record function, which evaluates one TLV */
void tw_gen__record_function(struct tw_gen *g);

/*
 * program.c: generates code that jumps to g->control for control frames, and to g->other_schema for frames of another schema or byte order.
 * For all other frames, the program continues after this code.
 */
void tw_gen__sort_out(struct tw_gen *g);

/* program.c: generates the code at the labels control, other_schema, unreadable and pass */
void tw_gen__frames_without_rule(struct tw_gen *g);

#endif
