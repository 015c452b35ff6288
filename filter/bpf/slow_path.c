/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/if_ether.h>
#include <linux/in.h>

#include "base/bytes.h"
#include "filter/bpf/gen.h"

static void call(struct tw_gen *g, int helper, int size, tw_label fails)
{
	struct tw_asm *a = &g->a;

	if (size != TW_SIZE_IN_R4)
		tw_asm__imm(a, BPF_REG_4, (uint64_t)size);
	tw_asm__call(a, helper);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_0, 0, fails);
}

void tw_gen__load_bytes(struct tw_gen *g, int size, tw_label fails)
{
	call(g, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_load_bytes : BPF_FUNC_skb_load_bytes, size, fails);
}

void tw_gen__store_bytes(struct tw_gen *g, int size, tw_label fails)
{
	call(g, tw_gen__is_xdp(g) ? BPF_FUNC_xdp_store_bytes : BPF_FUNC_skb_store_bytes, size, fails);
}

#define IPV4_MIN    20
#define IPV6_HEADER 40
#define UDP_HEADER  8

/* Where headers before the frame's are copied to in the window, one over the other: they have to be no longer than this. */
#define SCRATCH      0
#define SCRATCH_SIZE ((int)sizeof(struct tw_frame_hdr))
_Static_assert(SCRATCH_SIZE >= IPV6_HEADER, "headers fit the window");

/* Copies what stands at TW_REG_AT + @offset; packets that end before that are not ours. */
static void peek(struct tw_gen *g, int offset, int size)
{
	struct tw_asm *a = &g->a;

	tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	if (offset)
		tw_asm__alu(a, BPF_ADD, BPF_REG_2, offset);
	tw_asm__mov(a, BPF_REG_3, TW_REG_FRAME);
	tw_gen__load_bytes(g, size, g->pass);
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

/* Leaves the type of what TW_REG_AT points to in r1. A tag that the kernel took out of the packet is one of the two. */
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

/* IPv4 in one piece, or IPv6 with nothing between its header and UDP. */
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

/* The frame may reach to @offset behind TW_REG_AT, r1 more or none more, and not beyond. */
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

/* Several datagrams in one packet (GSO): the kernel has yet to cut it. No frame can be read out of that. */
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

/* Checksum 0 means that there is none, and nothing to be changed. */
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

static void copy(struct tw_gen *g, int size)
{
	struct tw_asm *a = &g->a;

	tw_asm__mov(a, BPF_REG_1, TW_REG_CONTEXT);
	tw_asm__mov(a, BPF_REG_2, TW_REG_AT);
	tw_asm__mov(a, BPF_REG_3, TW_REG_FRAME);
	tw_gen__load_bytes(g, size, g->pass);
}

static void expect_magic(struct tw_gen *g)
{
	tw_asm__load_be(&g->a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(&g->a, BPF_JNE, BPF_REG_1, (int32_t)TW_MAGIC, g->pass);
}

/* A length that can be gives the state its offsets; else its end stays 0. */
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

/* Copies the header and makes the key. A header that is cut, or of another version, has the key of zeros. */
static void read_header(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label cut = tw_asm__label(a), strange = tw_asm__label(a), done = tw_asm__label(a);

	tw_asm__mov(a, BPF_REG_1, TW_REG_LIMIT);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_AT);
	tw_asm__jump_if(a, BPF_JSLT, BPF_REG_1, TW_TLV0, cut);
	copy(g, TW_TLV0);
	expect_magic(g);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_VERSION, strange);
	tw_gen__make_key(g);
	check_length(g, done);
	tw_asm__jump(a, done);

	tw_asm__place(a, cut);
	tw_asm__jump_if(a, BPF_JSLT, BPF_REG_1, sizeof(uint32_t), g->pass);
	copy(g, sizeof(uint32_t));
	expect_magic(g);
	tw_asm__place(a, strange);
	tw_asm__imm(a, BPF_REG_1, 0);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY, BPF_REG_1);
	tw_asm__store(a, 8, BPF_REG_10, TW_STACK_KEY + 8, BPF_REG_1);
	tw_asm__place(a, done);
}

/* A new stream or channel: its rows begin as zeros. Where the map is full the rows of all that it has no room for are taken. */
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
