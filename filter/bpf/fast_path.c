/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fast path. It finds a frame directly after an Ethernet header, or in UDP over IP without options. One VLAN tag may precede the frame
 * or the IP header. Packets that contain no frame, perhaps most packets of a real interface, pass as soon as this is known. Packets that
 * may contain a frame in another place take the slow path.
 */
#include <linux/if_ether.h>
#include <linux/in.h>

#include "filter/bpf/gen.h"

#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define UDP_HEADER  8
#define NEEDED      (TW_TLV0 + (int)sizeof(struct tw_event)) /* bytes of a frame with one event */
_Static_assert(NEEDED >= 4 + IPV6_HEADER + UDP_HEADER,
	       "a packet long enough for an event is long enough for its headers");

#define AT   BPF_REG_4 /* pointer to the header that is read */
#define ROOM BPF_REG_3 /* longest possible frame, bytes: limited by the UDP length */

/* Jump if r1, a loaded EtherType in network byte order, equals @type. */
static void jump_if_type(struct tw_gen *g, uint16_t type, tw_label to)
{
	tw_asm__jump_if(&g->a, BPF_JEQ, BPF_REG_1, tw_wire16(type), to);
}

static void step(struct tw_gen *g, int size)
{
	tw_asm__alu(&g->a, BPF_ADD, AT, size);
	tw_asm__alu(&g->a, BPF_ADD, TW_REG_OFFSET, size);
}

static void skip_tag(struct tw_gen *g, tw_label there)
{
	struct tw_asm *a = &g->a;
	const tw_label tagged = tw_asm__label(a), untagged = tw_asm__label(a);

	jump_if_type(g, ETH_P_8021Q, tagged);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(ETH_P_8021AD), untagged);
	tw_asm__place(a, tagged);
	tw_asm__load(a, 2, BPF_REG_1, AT, 2);
	step(g, 4);
	jump_if_type(g, TW_ETHERTYPE, there);
	jump_if_type(g, ETH_P_8021Q, g->slow_path);
	jump_if_type(g, ETH_P_8021AD, g->slow_path);
	tw_asm__place(a, untagged);
}

static void skip_ip(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label ipv6 = tw_asm__label(a), udp = tw_asm__label(a);

	jump_if_type(g, ETH_P_IPV6, ipv6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(ETH_P_IP), g->pass);
	tw_asm__load(a, 1, BPF_REG_1, AT, 9);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__load(a, 2, BPF_REG_1, AT, 6);
	tw_asm__alu(a, BPF_AND, BPF_REG_1, tw_wire16(0x3fff));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, g->pass);
	tw_asm__load(a, 1, BPF_REG_1, AT, 0);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0x45, g->slow_path);
	step(g, IPV4_HEADER);
	tw_asm__jump(a, udp);

	tw_asm__place(a, ipv6);
	tw_asm__load(a, 1, BPF_REG_1, AT, 6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__load(a, 1, BPF_REG_1, AT, 0);
	tw_asm__alu(a, BPF_RSH, BPF_REG_1, 4);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 6, g->pass);
	step(g, IPV6_HEADER);
	tw_asm__place(a, udp);
}

static void skip_udp(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__load(a, 2, BPF_REG_1, AT, 2);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(g->options->udp_port), g->pass);
	tw_asm__load_be(a, 2, ROOM, AT, 4);
	tw_asm__jump_if(a, BPF_JLT, ROOM, UDP_HEADER, g->pass);
	tw_asm__alu(a, BPF_SUB, ROOM, UDP_HEADER);
	if (!tw_gen__is_xdp(g)) {
		tw_asm__load(a, 4, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct __sk_buff, gso_size));
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, g->slow_path);
	}
	tw_asm__alu(a, BPF_ADD, TW_REG_OFFSET, UDP_HEADER);
}

/*
 * Add to the offset a number that is always 0; the verifier does not know that it is 0. If the verifier knew the possible offsets, it would
 * verify all later code once for each of them.
 */
static void make_offset_any(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, 0);
	tw_asm__load(a, 1, BPF_REG_2, TW_REG_FRAME, 0);
	tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, BPF_REG_2);
	tw_asm__alu_reg(a, BPF_ADD, TW_REG_OFFSET, BPF_REG_1);
	tw_asm__alu(a, BPF_AND, TW_REG_OFFSET, 127);
}

static void step_to_frame(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	make_offset_any(g);
	tw_asm__alu_reg(a, BPF_ADD, TW_REG_FRAME, TW_REG_OFFSET);
	tw_gen__expect_bytes(a, TW_REG_FRAME, NEEDED, g->slow_path);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(length));
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, ROOM, g->slow_path);
}

/* Find a frame after a VLAN tag or in UDP. r1 has an EtherType other than Tracewire's. */
static void look_behind(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label there = tw_asm__label(a);

	tw_asm__imm(a, ROOM, UINT16_MAX);
	tw_asm__mov(a, AT, TW_REG_FRAME);
	tw_asm__imm(a, TW_REG_OFFSET, 0);
	step(g, ETH_HLEN);
	skip_tag(g, there);
	if (g->options->udp_port) {
		skip_ip(g);
		skip_udp(g);
	} else {
		tw_asm__jump(a, g->pass);
	}
	tw_asm__place(a, there);
	step_to_frame(g);
}

static void find_in_packet(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const bool is_xdp = tw_gen__is_xdp(g), offload = g->options->offload;
	const tw_label plain = tw_asm__label(a), found = tw_asm__label(a);

	tw_asm__mov(a, TW_REG_CONTEXT, BPF_REG_1);
	tw_asm__load(a, 4, TW_REG_FRAME, BPF_REG_1,
		     is_xdp ? (int)offsetof(struct xdp_md, data) : (int)offsetof(struct __sk_buff, data));
	tw_asm__load(a, 4, TW_REG_END, BPF_REG_1,
		     is_xdp ? (int)offsetof(struct xdp_md, data_end) : (int)offsetof(struct __sk_buff, data_end));
	tw_gen__expect_bytes(a, TW_REG_FRAME, ETH_HLEN + NEEDED, offload ? g->slow_path : g->small);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, ETH_HLEN - 2);
	jump_if_type(g, TW_ETHERTYPE, plain);
	if (offload) {
		tw_asm__jump(a, g->slow_path);
	} else {
		look_behind(g);
		tw_asm__jump(a, found);
	}
	tw_asm__place(a, plain);
	tw_asm__alu(a, BPF_ADD, TW_REG_FRAME, ETH_HLEN);
	if (!is_xdp)
		tw_asm__imm(a, TW_REG_OFFSET, ETH_HLEN);
	tw_asm__place(a, found);
}

/* Handle packets too small for a frame with an event. A packet that may still be a frame takes the slow path. */
static void small_packets(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label ipv6 = tw_asm__label(a);

	tw_asm__place(a, g->small);
	tw_gen__expect_bytes(a, TW_REG_FRAME, ETH_HLEN + IPV4_HEADER, g->slow_path);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, ETH_HLEN - 2);
	jump_if_type(g, TW_ETHERTYPE, g->slow_path);
	jump_if_type(g, ETH_P_8021Q, g->slow_path);
	jump_if_type(g, ETH_P_8021AD, g->slow_path);
	if (!g->options->udp_port) {
		tw_asm__jump(a, g->pass);
		return;
	}
	jump_if_type(g, ETH_P_IPV6, ipv6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(ETH_P_IP), g->pass);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, ETH_HLEN + 9);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__jump(a, g->slow_path);
	tw_asm__place(a, ipv6);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, ETH_HLEN + 6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__jump(a, g->slow_path);
}

/* Check magic, version, byte order, channel and schema in the frame header. Version and byte order are in one 16-bit word. */
static void expect_header(struct tw_gen *g, tw_label otherwise)
{
	struct tw_asm *a = &g->a;
	const uint16_t order = g->rules->big_endian ? TW_FLAG_BODY_BE : 0;

	tw_asm__load(a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, tw_wire32(TW_MAGIC), otherwise);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__alu(a, BPF_AND, BPF_REG_1, tw_wire16(0xff00 | TW_FLAG_BODY_BE));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16((uint16_t)(TW_VERSION << 8 | order)), otherwise);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(channel));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, TW_CHANNEL_CONTROL, otherwise);
	if (!g->rules->schema_id)
		return;
	tw_asm__load(a, 8, BPF_REG_1, TW_REG_FRAME, TW_HDR(schema_id));
	tw_asm__imm(a, BPF_REG_2, TW_HOST_BE ? g->rules->schema_id : __builtin_bswap64(g->rules->schema_id));
	tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_2, otherwise);
}

/* Check that the frame is complete, and that its first TLV is an EVENT that ends, with its padding, at the end of the frame. */
static void expect_one_event(struct tw_gen *g, tw_label otherwise)
{
	struct tw_asm *a = &g->a;

	tw_asm__load_be(a, 2, BPF_REG_4, TW_REG_FRAME, TW_HDR(length));
	if (tw_gen__is_xdp(g) || g->options->offload) {
		tw_asm__mov(a, BPF_REG_1, TW_REG_END);
		tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_FRAME);
	} else {
		tw_asm__load(a, 4, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct __sk_buff, len));
		tw_asm__alu_reg(a, BPF_SUB, BPF_REG_1, TW_REG_OFFSET);
	}
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_4, BPF_REG_1, otherwise);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_TLV0);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(TW_TLV_EVENT), otherwise);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_TLV0 + (int)offsetof(struct tw_tlv, length));
	tw_asm__jump_if(a, BPF_JLT, BPF_REG_1, sizeof(struct tw_event), otherwise);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, TW_TLV0 + 3);
	tw_asm__alu(a, BPF_AND, BPF_REG_1, ~3);
	tw_asm__jump_if_reg(a, BPF_JNE, BPF_REG_1, BPF_REG_4, otherwise);
}

/* Generate the code at the labels of the rows: count a frame with one event, and apply the row's action to it. */
static void act_by_row(struct tw_gen *g)
{
	for (unsigned int i = 0; i <= g->rules->n; i++) {
		const struct tw_rule row = tw_rules__row(g->rules, i);

		tw_asm__place(&g->a, g->rows[i]);
		tw_gen__count(g, i, TW_BY_ONE);
		if (row.action == TW_ACTION_DROP)
			tw_gen__count_what(g, TW_COUNT_DROPPED, TW_BY_ONE);
		tw_gen__act(g, row.action, row.arg);
	}
}

void tw_gen__fast_path(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	find_in_packet(g);
	expect_header(g, g->slow_path);
	expect_one_event(g, g->slow_path);
	if (g->options->offload)
		tw_asm__store_imm(a, 8, BPF_REG_10, TW_STACK_KEY, 0);
	else
		tw_gen__make_key(g);
	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_KEY);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->slow_path);
	tw_asm__mov(a, TW_REG_ROWS, BPF_REG_0);
	tw_asm__load_be(a, 2, TW_REG_LENGTH, TW_REG_FRAME, TW_TLV0 + (int)offsetof(struct tw_tlv, length));
	tw_gen__judge(g, g->slow_path);
	act_by_row(g);
	if (!g->options->offload)
		small_packets(g);
}

/*
 * A program for a NIC has no loop, and calls no helper but the map look-up. It evaluates frames with exactly one event after an Ethernet
 * header. Other frames with events pass and are counted as unreadable, such as packed frames, frames with the last PART of an event, and
 * frames with an event and a WATERMARK.
 */

/* In place of the slow path: find the frame again. Packets without a whole frame header pass without being counted. */
static void look_again(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_asm__place(a, g->slow_path);
	tw_asm__load(a, 4, TW_REG_FRAME, TW_REG_CONTEXT,
		     tw_gen__is_xdp(g) ? (int)offsetof(struct xdp_md, data) : (int)offsetof(struct __sk_buff, data));
	tw_gen__expect_bytes(a, TW_REG_FRAME, ETH_HLEN + TW_TLV0, g->pass);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, ETH_HLEN - 2);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_ETHERTYPE, g->pass);
	tw_asm__alu(a, BPF_ADD, TW_REG_FRAME, ETH_HLEN);
	tw_asm__load_be(a, 4, BPF_REG_1, TW_REG_FRAME, TW_HDR(magic));
	tw_asm__jump32_if(a, BPF_JNE, BPF_REG_1, (int32_t)TW_MAGIC, g->pass);
}

void tw_gen__offload(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;

	tw_gen__fast_path(g);
	look_again(g);
	tw_asm__store_imm(a, 8, BPF_REG_10, TW_STACK_ZERO, 0);
	tw_gen__look_up(g, TW_MAP_COUNTERS, TW_STACK_ZERO);
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_0, 0, g->pass);
	tw_asm__mov(a, TW_REG_ROWS, BPF_REG_0);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, TW_HDR(version));
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, TW_VERSION, g->unreadable);
	tw_gen__sort_out(g);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(events));
	tw_asm__jump_if(a, BPF_JEQ, BPF_REG_1, 0, g->control);
	tw_asm__jump(a, g->unreadable);
	tw_gen__frames_without_rule(g);
}
