/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The short way to the frame: Ethernet, or with one VLAN tag, or UDP behind IP without options. What is somebody else's, most of the
 * traffic of a real interface maybe, is let pass as soon as that is known; what is more complicated goes the long way.
 */
#include <linux/if_ether.h>
#include <linux/in.h>

#include "filter/bpf/gen.h"

#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define UDP_HEADER  8
#define NEEDED      (TW_TLV0 + (int)sizeof(struct tw_event)) /* bytes of a frame with an event */
_Static_assert(NEEDED >= 4 + IPV6_HEADER + UDP_HEADER, "packets long enough for an event have their headers, too");

#define AT   BPF_REG_4 /* header that is looked at */
#define MOST BPF_REG_3 /* how long the frame may be */

/* Jumps where r1 is an EtherType. */
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
	jump_if_type(g, ETH_P_8021Q, g->long_way);
	jump_if_type(g, ETH_P_8021AD, g->long_way);
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
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0x45, g->long_way);
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
	tw_asm__load_be(a, 2, MOST, AT, 4);
	tw_asm__jump_if(a, BPF_JLT, MOST, UDP_HEADER, g->pass);
	tw_asm__alu(a, BPF_SUB, MOST, UDP_HEADER);
	if (!tw_gen__is_xdp(g)) {
		tw_asm__load(a, 4, BPF_REG_1, TW_REG_CONTEXT, offsetof(struct __sk_buff, gso_size));
		tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, 0, g->long_way);
	}
	tw_asm__alu(a, BPF_ADD, TW_REG_OFFSET, UDP_HEADER);
}

/*
 * Adds 0, and the verifier does not know that it is 0. With the offsets that it does know it would go through all that follows for
 * each of them anew.
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
	tw_asm__mov(a, BPF_REG_1, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, NEEDED);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, g->long_way);
	tw_asm__load_be(a, 2, BPF_REG_1, TW_REG_FRAME, TW_HDR(length));
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, MOST, g->long_way);
}

/* r1 = an EtherType that is not ours */
static void look_behind(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label there = tw_asm__label(a);

	tw_asm__imm(a, MOST, UINT16_MAX);
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

void tw_gen__find_in_packet(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const bool is_xdp = tw_gen__is_xdp(g), offload = g->options->offload;
	const tw_label plain = tw_asm__label(a), found = tw_asm__label(a);

	tw_asm__mov(a, TW_REG_CONTEXT, BPF_REG_1);
	tw_asm__load(a, 4, TW_REG_FRAME, BPF_REG_1,
		     is_xdp ? (int)offsetof(struct xdp_md, data) : (int)offsetof(struct __sk_buff, data));
	tw_asm__load(a, 4, TW_REG_END, BPF_REG_1,
		     is_xdp ? (int)offsetof(struct xdp_md, data_end) : (int)offsetof(struct __sk_buff, data_end));
	tw_asm__mov(a, BPF_REG_1, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, ETH_HLEN + NEEDED);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, offload ? g->long_way : g->small);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, ETH_HLEN - 2);
	jump_if_type(g, TW_ETHERTYPE, plain);
	if (offload) {
		tw_asm__jump(a, g->long_way);
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

/* Foreign packets are small mostly; those that may be ours after all go the long way. */
void tw_gen__small_packets(struct tw_gen *g)
{
	struct tw_asm *a = &g->a;
	const tw_label ipv6 = tw_asm__label(a);

	tw_asm__place(a, g->small);
	tw_asm__mov(a, BPF_REG_1, TW_REG_FRAME);
	tw_asm__alu(a, BPF_ADD, BPF_REG_1, ETH_HLEN + IPV4_HEADER);
	tw_asm__jump_if_reg(a, BPF_JGT, BPF_REG_1, TW_REG_END, g->long_way);
	tw_asm__load(a, 2, BPF_REG_1, TW_REG_FRAME, ETH_HLEN - 2);
	jump_if_type(g, TW_ETHERTYPE, g->long_way);
	jump_if_type(g, ETH_P_8021Q, g->long_way);
	jump_if_type(g, ETH_P_8021AD, g->long_way);
	if (!g->options->udp_port) {
		tw_asm__jump(a, g->pass);
		return;
	}
	jump_if_type(g, ETH_P_IPV6, ipv6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, tw_wire16(ETH_P_IP), g->pass);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, ETH_HLEN + 9);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__jump(a, g->long_way);
	tw_asm__place(a, ipv6);
	tw_asm__load(a, 1, BPF_REG_1, TW_REG_FRAME, ETH_HLEN + 6);
	tw_asm__jump_if(a, BPF_JNE, BPF_REG_1, IPPROTO_UDP, g->pass);
	tw_asm__jump(a, g->long_way);
}
