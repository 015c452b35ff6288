/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow path: for packed frames, frames with an event and a WATERMARK, packets whose data is in several buffers, and packets with
 * headers that the fast path does not read. bpf_loop() calls the record function for each TLV. The record function copies the TLV to the
 * window and evaluates it. It returns 0 to be called again, 1 to end the loop.
 */
#include <linux/if_ether.h>
#include <linux/in.h>

#include "base/bytes.h"
#include "filter/bpf/gen.h"

/* For call(), which copies bytes between the packet, at the offset in r2, and the memory at r3: the number of bytes is in r4. */
enum { TW_SIZE_IN_R4 = 0 };

static void call(struct tw_gen *g, int helper, int size, tw_label fails)
{
	struct tw_asm *a = &g->a;

	if (size != TW_SIZE_IN_R4)
		tw_asm__imm(a, BPF_REG_4, (uint64_t)size);
	tw_asm__call(a, helper);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, fails);
}

static void gen__load_bytes(struct tw_gen *g, int size, tw_label fails)
{
	call(g, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_load_bytes : BPF_FUNC_skb_load_bytes, size, fails);
}

static void gen__store_bytes(struct tw_gen *g, int size, tw_label fails)
{
	call(g, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_store_bytes : BPF_FUNC_skb_store_bytes, size, fails);
}

#define IPV4_MIN    20
#define IPV6_HEADER 40
#define UDP_HEADER  8

/*
 * The headers before the frame header are copied one after the other to the same SCRATCH_SIZE bytes, at the offset SCRATCH from
 * TW_REG_FRAME.
 */
#define SCRATCH      0
#define SCRATCH_SIZE ((int)sizeof(struct tw_frame_hdr))
_Static_assert(SCRATCH_SIZE >= IPV6_HEADER, "headers fit the window");

/* Copy @size bytes at the offset TW_REG_AT + @offset to the window. A packet that is too short is not a frame, and passes. */
static void peek(struct tw_gen *g, int offset, int size)
{
	struct tw_asm *a = &g->a;

	tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	if (offset)
		tw_asm__alu(a, BPF_ADD, BPF_REG_2, offset);
	tw_asm__mov(a, BPF_REG_3, TW_REG_FRAME);
	gen__load_bytes(g, size, g->pass);
}

static void open_window(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__store_imm(a, 8, BPF_REG_10, TW_STACK_ZERO, 0);
	tw_gen__look_up(g, TW_MAP_WINDOW, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->pass);
	tw_asm__mov(a, TW_REG_FRAME, BPF_REG_0);
	tw_asm__alu(a, BPF_ADD, TW_REG_FRAME, sizeof(struct tw_slow_state));
	tw_asm__imm(a, BPF_REG_1, 0);
	for (int at = -(int)sizeof(struct tw_slow_state); at < TW_STATE(unused); at += 8)
		tw_asm__store(a, 8, TW_REG_FRAME, at, BPF_REG_1);
}

static void measure_packet(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	if (tw_gen__is_xdp(g)) {
		tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
		tw_asm__call(a, BPF_FUNC_xdp_get_buff_len);
		tw_asm__mov(a, TW_REG_LIMIT, BPF_REG_0);
	} else {
		tw_asm__load(a, 4, TW_REG_LIMIT, TW_REG_CONTEXT, offsetof(struct __sk_buff, len));
	}
}

static void load_type(struct tw_gen *g)
{
	peek(g, -2, 2);
	tw_asm__load_be(&g->a, 2, BPF_REG_1, TW_REG_FRAME, SCRATCH);
}

/*
 * Skip up to two VLAN tags, and load the EtherType after them to r1. In tc, the kernel may have moved the outer tag to the skb; it counts
 * as one of the two tags.
 */
static void skip_tags(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a);
	tw_label tag;

	tw_asm__imm(a, TW_REG_AT, ETH_HLEN);
	load_type(g);
	for (int i = 0; i < 2; i++) {
		tag = tw_asm__label(a);
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, ETH_P_8021Q, tag);
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, ETH_P_8021AD, done);
		tw_asm__place(a, tag);
		if (i && !tw_gen__is_xdp(g)) {
			tw_asm__load(a, 4, BPF_REG_2, TW_REG_CONTEXT, offsetof(struct __sk_buff, vlan_present));
			tw_asm__jump_if(a, BPF_JNE, BPF_REG_2, 0, g->pass);
		}
		tw_asm__alu(a, BPF_ADD, TW_REG_AT, 4);
		load_type(g);
	}
	tw_asm__place(a, done);
}

/* Skip an IPv4 header of a packet that is no fragment, or an IPv6 header, with UDP directly after it. Other packets pass. */
static void skip_ip(struct tw_gen *g, tw_label is_ipv6, tw_label udp)
{
	struct tw_asm *a = &g->a;

	peek(g, 0, IPV4_MIN);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, SCRATCH + 9);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, SCRATCH + 6);
	tw_asm__alu(a, BPF_AND, BPF_REG_1, 0x3fff);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, g->pass);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, SCRATCH);
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, 0x45, g->pass);
	tw_asm__jump_if(a, BPF_JGT, BPF_REG_1, 0x4f, g->pass);
	tw_asm__alu(a, BPF_AND, BPF_REG_1, 0xf);
	tw_asm__alu(a, BPF_LSH, BPF_REG_1, 2);
	tw_asm__alu_reg(a, BPF_ADD, TW_REG_AT, BPF_REG_1);
	tw_asm__jump(a, udp);

	tw_asm__place(a, is_ipv6);
	peek(g, 0, IPV6_HEADER);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, SCRATCH + 6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, SCRATCH);
	tw_asm__alu(a, BPF_RSH, BPF_REG_1, 4);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 6, g->pass);
	if (tw_gen__is_xdp(g))
		tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(fixed), BPF_REG_1);
	tw_asm__alu(a, BPF_ADD, TW_REG_AT, IPV6_HEADER);
	tw_asm__place(a, udp);
}

/* Reduce TW_REG_LIMIT to at most TW_REG_AT + @offset; with @more, to at most TW_REG_AT + @offset + r1. */
static void limit(struct tw_gen *g, int offset, bool more)
{
	struct tw_asm *a = &g->a;
	const tw_label fits = tw_asm__label(a);

	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, offset);
	if (more)
		tw_asm__alu_reg(a, BPF_ADD, BPF_REG_2, BPF_REG_1);
	tw_asm__jump_if_reg(a, BPF_JGE, BPF_REG_2, TW_REG_LIMIT, fits);
	tw_asm__mov(a, TW_REG_LIMIT, BPF_REG_2);
	tw_asm__place(a, fits);
}

/*
 * A packet with several datagrams (GSO), which the kernel segments later, counts as an unreadable frame: TW_REG_LIMIT is reduced to the end
 * of its first frame header.
 */
static void refuse_segments(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label one = tw_asm__label(a);

	if (tw_gen__is_xdp(g))
		return;
	tw_asm__load(a, 4, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct __sk_buff, gso_size));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, one);
	limit(g, UDP_HEADER + (int)sizeof(struct tw_frame_hdr), false);
	tw_asm__place(a, one);
}

/* Store the offset of the UDP checksum in the state, unless the checksum is 0, which means that the datagram has none. */
static void note_checksum(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label none = tw_asm__label(a), done = tw_asm__label(a);

	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, SCRATCH + 6);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, none);
	tw_asm__mov(a, BPF_REG_1, TW_REG_AT);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, 6);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(checksum), BPF_REG_1);
	tw_asm__jump(a, done);
	tw_asm__place(a, none);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(fixed), BPF_REG_1);
	tw_asm__place(a, done);
}

static void skip_udp(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	peek(g, 0, UDP_HEADER);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, SCRATCH + 2);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, g->options->udp_port, g->pass);
	note_checksum(g);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, SCRATCH + 4);
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, UDP_HEADER, g->pass);
	limit(g, 0, true);
	refuse_segments(g);
	tw_asm__alu(a, BPF_ADD, TW_REG_AT, UDP_HEADER);
}

static void find_frame(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label found = tw_asm__label(a), ipv6 = tw_asm__label(a), ip = tw_asm__label(a), udp = tw_asm__label(a);

	tw_asm__place(a, g->slow_path);
	open_window(g);
	measure_packet(g);
	skip_tags(g);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_ETHERTYPE, found);
	if (g->options->udp_port) {
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, ETH_P_IPV6, ipv6);
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, ETH_P_IP, ip);
	}
	tw_asm__jump(a, g->pass);
	if (g->options->udp_port) {
		tw_asm__place(a, ip);
		skip_ip(g, ipv6, udp);
		skip_udp(g);
	}
	tw_asm__place(a, found);
}

static void expect_magic(struct tw_gen *g)
{
	tw_asm__load_be(&g->a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(&g->a, BPF_JNE, BPF_REG_1, (int32_t)TW_MAGIC, g->pass);
}

/* If the length in the frame header is valid, set the offsets `at` and `end` of the state; otherwise `end` stays 0. */
static void check_length(struct tw_gen *g, tw_label invalid)
{
	struct tw_asm *a = &g->a;

	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(length));
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, TW_TLV0, invalid);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
	tw_asm__alu(a, BPF_AND, BPF_REG_2, 3);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_2, 0, invalid);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_1, TW_REG_AT);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_LIMIT, invalid);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(end), BPF_REG_1);
	tw_asm__alu(a, BPF_ADD, TW_REG_AT, TW_TLV0);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(at), TW_REG_AT);
	tw_asm__place(a, invalid);
}

/* Copy the frame header to the window, and make the key of the counters. The key is 0 if the header is truncated or of another version. */
static void read_header(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label cut = tw_asm__label(a), strange = tw_asm__label(a), done = tw_asm__label(a);

	tw_asm__mov(a, BPF_REG_1, TW_REG_LIMIT);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_AT);
	tw_asm__jump_if(a, BPF_JSLT, BPF_REG_1, TW_TLV0, cut);
	peek(g, 0, TW_TLV0);
	expect_magic(g);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_VERSION, strange);
	tw_gen__make_key(g);
	check_length(g, done);
	tw_asm__jump(a, done);

	tw_asm__place(a, cut);
	tw_asm__jump_if(a, BPF_JSLT, BPF_REG_1, sizeof(uint32_t), g->pass);
	peek(g, 0, sizeof(uint32_t));
	expect_magic(g);
	tw_asm__place(a, strange);
	tw_asm__imm(a, BPF_REG_1, 0);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY, BPF_REG_1);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY + 8, BPF_REG_1);
	tw_asm__place(a, done);
}

/* Make rows of zeros for a new stream or channel; if the map is full, use the rows of TW_MAP_OVERFLOW. */
static void make_rows(struct tw_gen *g, tw_label found)
{
	struct tw_asm *a = &g->a;
	const tw_label overflow = tw_asm__label(a);

	tw_gen__look_up(g, TW_MAP_BLANK, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, overflow);
	tw_asm__mov(a, BPF_REG_3, BPF_REG_0);
	tw_asm__map(a, BPF_REG_1, TW_MAP_COUNTERS);
	tw_asm__mov(a, BPF_REG_2, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, TW_STACK_KEY);
	tw_asm__imm(a, BPF_REG_4, BPF_NOEXIST);
	tw_asm__call(a, BPF_FUNC_map_update_elem);
	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_KEY);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, found);
	tw_asm__place(a, overflow);
	tw_gen__look_up(g, TW_MAP_OVERFLOW, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->pass);
}

static void find_rows(struct tw_gen *g)
{
	const tw_label found = tw_asm__label(&g->a);

	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_KEY);
	tw_asm__jump_if(&g->a, BPF_JNE, BPF_REG_0, 0, found);
	make_rows(g, found);
	tw_asm__place(&g->a, found);
	tw_asm__mov(&g->a, TW_REG_ROWS, BPF_REG_0);
}

void tw_gen__slow_path(struct tw_gen *g)
{
	find_frame(g);
	read_header(g);
	find_rows(g);
	tw_asm__load(&g->a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(end));
	tw_asm__jump_if(&g->a, BPF_JEQ, BPF_REG_1, 0, g->unreadable);
	tw_gen__sort_out(g);
}

#define LOOPS         (TW_FRAME_MAX / sizeof(struct tw_tlv)) /* largest number of TLVs of a frame */
#define STACK_SCRATCH (-8)
#define FILTERED_BYTE 1 /* offset in the TLV of the byte in which the types EVENT and FILTERED differ */
_Static_assert((TW_TLV_EVENT ^ TW_TLV_FILTERED) < 0x100, "EVENT and FILTERED differ only in the low byte");

/* Labels of the record function. The code at broken, must and part stores a TW_FOUND_*, and then returns. */
struct ends {
	tw_label again, stop, broken, must, part;
};

static void loop(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_POINTERS + (int)offsetof(struct tw_pointers, context), TW_REG_CONTEXT);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_POINTERS + (int)offsetof(struct tw_pointers, frame), TW_REG_FRAME);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_POINTERS + (int)offsetof(struct tw_pointers, rows), TW_REG_ROWS);
	tw_asm__imm(a, BPF_REG_1, LOOPS);
	tw_asm__function_address(a, BPF_REG_2, g->record);
	tw_asm__mov(a, BPF_REG_3, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, BPF_REG_3, TW_STACK_POINTERS);
	tw_asm__imm(a, BPF_REG_4, 0);
	tw_asm__call(a, BPF_FUNC_loop);
}

/* Copy to the window the bytes that tests may read: the TLV or its beginning, perhaps with bytes of the TLVs after it. */
static void copy_tlv(struct tw_gen *g, const struct ends *to)
{
	struct tw_asm *a = &g->a;
	const tw_label fits = tw_asm__label(a);
	const uint32_t most = g->chains.extent > sizeof(struct tw_event) ? g->chains.extent : sizeof(struct tw_event);

	tw_asm__load(a, 8, TW_REG_AT, TW_REG_FRAME, TW_STATE(at));
	tw_asm__load(a, 8, BPF_REG_4, TW_REG_FRAME, TW_STATE(end));
	tw_asm__jump_if_reg(a, BPF_JGE, TW_REG_AT, BPF_REG_4, to->stop);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_4, TW_REG_AT);
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_4, sizeof(struct tw_tlv), to->broken);
	tw_asm__jump_if(a, BPF_JLE, BPF_REG_4, (int32_t)most, fits);
	tw_asm__imm(a, BPF_REG_4, most);
	tw_asm__place(a, fits);
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct tw_pointers, context));
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	tw_asm__mov(a, BPF_REG_3, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_3, TW_TLV0);
	gen__load_bytes(g, TW_SIZE_IN_R4, to->broken);
}

/*
 * Return: the minimum lengths of the TLV types 0 to 15 in one word, four bits for each: length / 4 - 1. The lengths are multiples of 4,
 * from 4 to 64. All other types have the minimum length 4.
 */
static uint64_t least_lengths(void)
{
	uint64_t word = 0;

#define X(num, name, least, what)                                                                             \
	_Static_assert((num) < 16 ? (least) % 4 == 0 && (least) >= 4 && (least) <= 64 : (least) == 4, #name); \
	word |= (uint64_t)((least) / 4 - 1) << (4 * ((num)&15));
	TW_TLV_LIST(X)
#undef X
	return word;
}

/* Set r4 to the minimum length of the TLV type in r1; for types above 15 it is 4, the length of an empty TLV. */
static void load_least(struct tw_asm *a)
{
	const tw_label known = tw_asm__label(a);

	tw_asm__imm(a, BPF_REG_4, 0);
	tw_asm__jump_if(a, BPF_JGT, BPF_REG_1, 15, known);
	tw_asm__imm(a, BPF_REG_4, least_lengths());
	tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
	tw_asm__alu(a, BPF_LSH, BPF_REG_2, 2);
	tw_asm__alu_reg(a, BPF_RSH, BPF_REG_4, BPF_REG_2);
	tw_asm__alu(a, BPF_AND, BPF_REG_4, 15);
	tw_asm__alu(a, BPF_LSH, BPF_REG_4, 2);
	tw_asm__place(a, known);
	tw_asm__alu(a, BPF_ADD, BPF_REG_4, 4);
}

/* Check the TLV's length. Set r1 to the TLV's type, TW_REG_LENGTH to its length, r5 to the bytes after it; set state.at to the next TLV. */
static void check_tlv(struct tw_gen *g, const struct ends *to)
{
	struct tw_asm *a = &g->a;

	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_TLV0);
	tw_asm__load_be(a, 2, TW_REG_LENGTH, TW_REG_FRAME, TW_TLV0 + (int)offsetof(struct tw_tlv, length));
	load_least(a);
	tw_asm__jump_if_reg(a, BPF_JLT, TW_REG_LENGTH, BPF_REG_4, to->broken);
	tw_asm__mov(a, BPF_REG_4, TW_REG_LENGTH);
	tw_asm__alu(a, BPF_ADD, BPF_REG_4, 3);
	tw_asm__alu(a, BPF_AND, BPF_REG_4, ~3);
	tw_asm__alu_reg(a, BPF_ADD, BPF_REG_4, TW_REG_AT);
	tw_asm__load(a, 8, BPF_REG_5, TW_REG_FRAME, TW_STATE(end));
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_4, BPF_REG_5, to->broken);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(at), BPF_REG_4);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_5, BPF_REG_4);
}

/* Continue with an EVENT; jump to another label for other TLV types. AUTH must be the last TLV of a frame. */
static void sort_out(struct tw_gen *g, const struct ends *to)
{
	struct tw_asm *a = &g->a;
	const tw_label event = tw_asm__label(a);

	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_TLV_EVENT, event);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_TLV_FILTERED, to->again);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_TLV_PAD, to->again);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_TLV_PART, to->part);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_TLV_AUTH, to->must);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_5, 0, to->broken);
	tw_asm__jump(a, to->again);
	tw_asm__place(a, event);
}

/* Count an event for a row; also the frame, if it is the frame's first event for this row. */
static void count_row(struct tw_gen *g, unsigned int row)
{
	struct tw_asm *a = &g->a;
	const int counter = (int)(row * sizeof(struct tw_counter));
	const tw_label seen = tw_asm__label(a);

	tw_gen__grow(g, TW_REG_ROWS, counter + (int)offsetof(struct tw_counter, events), TW_BY_ONE);
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(matched));
	tw_asm__imm(a, BPF_REG_2, UINT64_C(1) << row);
	tw_asm__jump_if_reg(a, BPF_JSET, BPF_REG_1, BPF_REG_2, seen);
	tw_asm__alu_reg(a, BPF_OR, BPF_REG_1, BPF_REG_2);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(matched), BPF_REG_1);
	tw_gen__grow(g, TW_REG_ROWS, counter + (int)offsetof(struct tw_counter, frames), TW_BY_ONE);
	tw_asm__place(a, seen);
}

static void rows(struct tw_gen *g, tw_label keep, tw_label drop)
{
	struct tw_asm *a = &g->a;

	for (unsigned int i = 0; i <= g->rules->n; i++) {
		tw_asm__place(a, g->rows[i]);
		count_row(g, i);
		tw_asm__imm(a, BPF_REG_2, i);
		tw_asm__jump(a, tw_rules__row(g->rules, i).action == TW_ACTION_DROP ? drop : keep);
	}
}

/* Count a remaining event; store its row (r2) if it is the first one. */
static void keep_event(struct tw_gen *g, const struct ends *to)
{
	struct tw_asm *a = &g->a;
	const tw_label not_first = tw_asm__label(a);

	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(left));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, not_first);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(first), BPF_REG_2);
	tw_asm__place(a, not_first);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, 1);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(left), BPF_REG_1);
	tw_asm__jump(a, to->again);
}

/*
 * In tc, set r5 to the flags of bpf_skb_store_bytes(). If the NIC computed skb->csum, this sum covers the whole packet. The sum stays valid
 * if the UDP checksum is corrected, too. If the packet has no UDP checksum, the sum must be recomputed.
 */
static void load_store_flags(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label none = tw_asm__label(a);

	if (tw_gen__is_xdp(g))
		return;
	tw_asm__imm(a, BPF_REG_5, 0);
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(checksum));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, none);
	tw_asm__imm(a, BPF_REG_5, BPF_F_RECOMPUTE_CSUM);
	tw_asm__place(a, none);
}

/* Change the event to FILTERED in place. If the frame is dropped later, the change has no effect. */
static void drop_event(struct tw_gen *g, const struct ends *to)
{
	struct tw_asm *a = &g->a;
	const tw_label stored = tw_asm__label(a);

	if (tw_gen__is_xdp(g)) {
		tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(fixed));
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, stored);
	}
	load_store_flags(g);
	tw_asm__store_imm(a, 8, BPF_REG_10, STACK_SCRATCH, 0);
	tw_asm__store_imm(a, 1, BPF_REG_10, STACK_SCRATCH, TW_TLV_FILTERED);
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct tw_pointers, context));
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	tw_asm__alu(a, BPF_ADD, BPF_REG_2, FILTERED_BYTE);
	tw_asm__mov(a, BPF_REG_3, BPF_REG_10);
	tw_asm__alu(a, BPF_ADD, BPF_REG_3, STACK_SCRATCH);
	gen__store_bytes(g, 1, to->broken);
	tw_asm__place(a, stored);
	tw_gen__grow(g, TW_REG_FRAME, TW_STATE(dropped), TW_BY_ONE);
	tw_asm__jump(a, to->again);
}

static void note(struct tw_gen *g, tw_label label, int found, tw_label then)
{
	struct tw_asm *a = &g->a;

	tw_asm__place(a, label);
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_STATE(found));
	tw_asm__alu(a, BPF_OR, BPF_REG_1, found);
	tw_asm__store(a, 8, TW_REG_FRAME, TW_STATE(found), BPF_REG_1);
	tw_asm__jump(a, then);
}

static void returns(struct tw_asm *a, tw_label label, uint64_t value)
{
	tw_asm__place(a, label);
	tw_asm__imm(a, BPF_REG_0, value);
	tw_asm__exit(a);
}

void tw_gen__record_function(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const struct ends to = { tw_asm__label(a), tw_asm__label(a), tw_asm__label(a), tw_asm__label(a),
				 tw_asm__label(a) };
	const tw_label keep = tw_asm__label(a), drop = tw_asm__label(a);

	tw_asm__function(a, g->record);
	tw_asm__mov(a, TW_REG_CONTEXT, BPF_REG_2);
	tw_asm__load(a, 8, TW_REG_FRAME, TW_REG_CONTEXT, offsetof(struct tw_pointers, frame));
	tw_asm__load(a, 8, TW_REG_ROWS, TW_REG_CONTEXT, offsetof(struct tw_pointers, rows));
	copy_tlv(g, &to);
	check_tlv(g, &to);
	sort_out(g, &to);
	tw_gen__judge(g, TW_NO_LABEL);
	rows(g, keep, drop);
	tw_asm__place(a, keep);
	keep_event(g, &to);
	tw_asm__place(a, drop);
	drop_event(g, &to);
	note(g, to.part, TW_FOUND_PART | TW_FOUND_MUST, to.again);
	note(g, to.must, TW_FOUND_MUST, to.again);
	note(g, to.broken, TW_FOUND_BROKEN, to.stop);
	returns(a, to.again, 0);
	returns(a, to.stop, 1);
}

/* Registers after the loop: number of dropped events, and TW_FOUND_* of the frame. */
#define DROPPED BPF_REG_2
#define FOUND   TW_REG_AT

static void load_state(struct tw_asm *a, uint8_t reg, int offset)
{
	tw_asm__load(a, 8, reg, TW_REG_FRAME, offset);
}

/* Drop the frame if it has no remaining event and no other TLV that must arrive; otherwise jump to @otherwise. */
static void drop_frame(struct tw_gen *g, tw_label otherwise)
{
	struct tw_asm *a = &g->a;

	load_state(a, BPF_REG_1, TW_STATE(left));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, otherwise);
	tw_asm__jump_if(a, BPF_JSET, FOUND, TW_FOUND_MUST | TW_FOUND_BROKEN, otherwise);
	tw_gen__count_what(g, TW_COUNT_DROPPED, DROPPED);
	tw_gen__return(g, TW_ACTION_DROP);
}

/* Correct the UDP checksum. XDP sets it to 0, as IPv4 allows. tc adds the number of dropped events: the type of each of them grew by 1. */
static void mend_checksum(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label done = tw_asm__label(a);

	load_state(a, BPF_REG_1, TW_STATE(checksum));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, done);
	if (tw_gen__is_xdp(g)) {
		tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
		tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
		tw_asm__mov(a, BPF_REG_3, BPF_REG_10);
		tw_asm__alu(a, BPF_ADD, BPF_REG_3, TW_STACK_ZERO);
		gen__store_bytes(g, 2, g->unreadable);
	} else {
		tw_asm__mov(a, BPF_REG_4, DROPPED);
		tw_asm__to_host(a, BPF_REG_4, 2, true);
		tw_asm__mov(a, BPF_REG_2, BPF_REG_1);
		tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
		tw_asm__imm(a, BPF_REG_3, 0);
		tw_asm__imm(a, BPF_REG_5, BPF_F_MARK_MANGLED_0 | 2);
		tw_asm__call(a, BPF_FUNC_l4_csum_replace);
	}
	tw_asm__place(a, done);
}

/* Count a passed frame with dropped events as FILTERED; if it was not changed because of its checksum, count it as unreadable. */
static void count_filtered(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label changed = tw_asm__label(a);

	if (tw_gen__is_xdp(g)) {
		load_state(a, BPF_REG_1, TW_STATE(fixed));
		tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, changed);
		tw_gen__count_what(g, TW_COUNT_UNREADABLE, DROPPED);
		tw_asm__jump(a, g->pass);
		tw_asm__place(a, changed);
	}
	tw_gen__count_what(g, TW_COUNT_FILTERED, DROPPED);
	mend_checksum(g);
}

static void count_part(struct tw_gen *g)
{
	const tw_label none = tw_asm__label(&g->a), some = tw_asm__label(&g->a);

	tw_asm__jump_if(&g->a, BPF_JSET, FOUND, TW_FOUND_PART, some);
	tw_asm__jump(&g->a, none);
	tw_asm__place(&g->a, some);
	tw_gen__count_what(g, TW_COUNT_PART, TW_BY_NOTHING);
	tw_asm__place(&g->a, none);
}

/* Apply the action of the first remaining event to the frame. Only mark and redirect need code. */
static void act_by_first(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	load_state(a, BPF_REG_1, TW_STATE(first));
	for (unsigned int i = 0; i <= g->rules->n; i++) {
		const struct tw_rule row = tw_rules__row(g->rules, i);
		const tw_label next = tw_asm__label(a);

		if (row.action != TW_ACTION_MARK && row.action != TW_ACTION_REDIRECT)
			continue;
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, (int32_t)i, next);
		tw_gen__act(g, row.action, row.arg);
		tw_asm__place(a, next);
	}
	tw_asm__jump(a, g->pass);
}

void tw_gen__packed(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label keep = tw_asm__label(a), nothing = tw_asm__label(a), counted = tw_asm__label(a);
	const tw_label no_event = tw_asm__label(a);

	loop(g);
	load_state(a, FOUND, TW_STATE(found));
	load_state(a, DROPPED, TW_STATE(dropped));
	tw_asm__jump_if(a, BPF_JEQ, DROPPED, 0, nothing);
	drop_frame(g, keep);
	tw_asm__place(a, keep);
	count_part(g);
	count_filtered(g);
	tw_asm__jump(a, counted);

	tw_asm__place(a, nothing);
	count_part(g);
	tw_asm__place(a, counted);
	tw_asm__jump_if(a, BPF_JSET, FOUND, TW_FOUND_BROKEN, g->unreadable);
	load_state(a, BPF_REG_1, TW_STATE(left));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, no_event);
	act_by_first(g);

	tw_asm__place(a, no_event);
	load_state(a, BPF_REG_1, TW_STATE(dropped));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, g->pass);
	tw_asm__jump_if(a, BPF_JSET, FOUND, TW_FOUND_PART, g->pass);
	tw_gen__count_what(g, TW_COUNT_CONTROL, TW_BY_NOTHING);
	tw_asm__jump(a, g->pass);
}
