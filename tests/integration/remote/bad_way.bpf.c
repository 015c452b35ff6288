/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bad path between hosts, at tc's ingress. At random, Tracewire frames are dropped, duplicated, or held until some later frames have
 * passed. The program counts these frames and, from their headers, their events, so that they can be compared with a capture of the
 * forwarded frames. Frames are redirected to one interface, past the bridge of the interface where they arrived; all other packets take the
 * usual path.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bad_way.h"
#include "wire/tracewire.h"

#define ANY 1000000 /* range of the random numbers: the rates are in millionths */

/* Settings of the path, written before the program is loaded. The first three are rates in millionths. */
const volatile __u32 dropped, doubled, moved;
const volatile __u32 to; /* index of the interface to which frames are redirected */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BAD_WAY_STREAMS);
	__type(key, __u64);
	__type(value, struct bad_way_counts);
} streams SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BAD_WAY_SLOTS);
	__type(key, __u32);
	__type(value, struct bad_way_slot);
} slots SEC(".maps");

__u64 too_large; /* number of frames that have several segments (GSO), or are longer than a slot: the test expects none */

/* Return: offset of the frame header, bytes; 0 = this is not a Tracewire frame. */
static __u32 find_frame(struct __sk_buff *skb)
{
	struct udphdr udp;
	struct iphdr ip;

	if (skb->protocol == bpf_htons(TW_ETHERTYPE))
		return ETH_HLEN;
	if (skb->protocol != bpf_htons(ETH_P_IP) || bpf_skb_load_bytes(skb, ETH_HLEN, &ip, sizeof(ip)))
		return 0;
	if (ip.ihl != 5 || ip.protocol != IPPROTO_UDP ||
	    bpf_skb_load_bytes(skb, ETH_HLEN + sizeof(ip), &udp, sizeof(udp)))
		return 0;
	return udp.dest == bpf_htons(TW_UDP_PORT) ? ETH_HLEN + sizeof(ip) + sizeof(udp) : 0;
}

static struct bad_way_counts *counts_of(__u64 stream_id)
{
	static const struct bad_way_counts none;

	bpf_map_update_elem(&streams, &stream_id, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&streams, &stream_id);
}

/* Return: whether one of the first four records of the frame is an END, which follows the counters. */
static int is_last(struct __sk_buff *skb, __u32 at, const struct tw_frame_hdr *hdr)
{
	struct tw_tlv tlv;

	if (hdr->channel != bpf_htons(TW_CHANNEL_CONTROL))
		return 0;
	at += sizeof(*hdr);
	for (int i = 0; i < 4 && !bpf_skb_load_bytes(skb, at, &tlv, sizeof(tlv)); i++) {
		if (tlv.type == bpf_htons(TW_TLV_END))
			return 1;
		at += (bpf_ntohs(tlv.length) + 3) & ~3;
	}
	return 0;
}

static int is_first(const struct tw_frame_hdr *hdr)
{
	return hdr->channel == bpf_htons(TW_CHANNEL_CONTROL) && !hdr->seq;
}

static void count(struct bad_way_count *counted, const struct tw_frame_hdr *hdr, int last)
{
	const __u16 channel = bpf_ntohs(hdr->channel);

	__sync_fetch_and_add(&counted->frames, 1);
	if (is_first(hdr))
		__sync_fetch_and_add(&counted->first, 1);
	if (last)
		__sync_fetch_and_add(&counted->last, 1);
	if (channel == TW_CHANNEL_CONTROL)
		__sync_fetch_and_add(&counted->control, 1);
	else if (channel != TW_CHANNEL_OUT_OF_BAND)
		__sync_fetch_and_add(&counted->events, bpf_ntohs(hdr->events));
}

/* Put the frame into @slot. Return: false if the slot is in use, or if the frame cannot be held, for example because it is too long */
static int hold(struct bad_way_slot *slot, struct __sk_buff *skb, const struct tw_frame_hdr *hdr, int last)
{
	const __u32 len = skb->len;

	if (len < ETH_HLEN || len > BAD_WAY_FRAME ||
	    __sync_val_compare_and_swap(&slot->state, SLOT_FREE, SLOT_BUSY) != SLOT_FREE)
		return 0;
	if (bpf_skb_load_bytes(skb, 0, slot->frame, len)) {
		slot->state = SLOT_FREE;
		return 0;
	}
	slot->len = len;
	slot->stream_id = hdr->stream_id;
	slot->channel = bpf_ntohs(hdr->channel);
	slot->events = bpf_ntohs(hdr->events);
	slot->is_first = is_first(hdr);
	slot->is_last = last;
	slot->ahead = 1 + bpf_get_prandom_u32() % BAD_WAY_AHEAD_MAX;
	__sync_val_compare_and_swap(&slot->state, SLOT_BUSY, SLOT_FULL);
	return 1;
}

/*
 * Count a frame that passes the held one. If it is the last one that has to pass, send a clone of it, and replace the content of @skb by
 * the held frame, so that the caller sends the held frame after it.
 */
static void let_go(struct bad_way_slot *slot, struct __sk_buff *skb)
{
	__u32 len;

	if (__sync_val_compare_and_swap(&slot->state, SLOT_FULL, SLOT_BUSY) != SLOT_FULL)
		return;
	len = slot->len;
	if (--slot->ahead || len < ETH_HLEN || len > BAD_WAY_FRAME || bpf_clone_redirect(skb, to, 0)) {
		__sync_val_compare_and_swap(&slot->state, SLOT_BUSY, SLOT_FULL);
		return;
	}
	if (bpf_skb_change_tail(skb, len, 0) || bpf_skb_store_bytes(skb, 0, slot->frame, len, 0))
		__sync_fetch_and_add(&too_large, 1);
	__sync_val_compare_and_swap(&slot->state, SLOT_BUSY, SLOT_FREE);
}

SEC("tc")
int bad_way(struct __sk_buff *skb)
{
	const __u32 at = find_frame(skb), slot_number = skb->ifindex % BAD_WAY_SLOTS;
	__u32 chance = bpf_get_prandom_u32() % ANY;
	struct bad_way_counts *counts;
	struct bad_way_slot *slot;
	struct tw_frame_hdr hdr;
	int last;

	if (!at || bpf_skb_load_bytes(skb, at, &hdr, sizeof(hdr)) || hdr.magic != bpf_htonl(TW_MAGIC))
		return TC_ACT_OK;
	if (skb->gso_segs > 1 || skb->len > BAD_WAY_FRAME)
		__sync_fetch_and_add(&too_large, 1);
	counts = counts_of(hdr.stream_id);
	slot = bpf_map_lookup_elem(&slots, &slot_number);
	if (!counts || !slot)
		return TC_ACT_SHOT;
	last = is_last(skb, at, &hdr);
	count(&counts->all, &hdr, last);
	if (chance < dropped) {
		count(&counts->dropped, &hdr, last);
		return TC_ACT_SHOT;
	}
	chance -= dropped;
	if (chance < doubled && !bpf_clone_redirect(skb, to, 0)) {
		count(&counts->doubled, &hdr, last);
		return bpf_redirect(to, 0);
	}
	chance -= doubled;
	if (chance < moved && hold(slot, skb, &hdr, last)) {
		count(&counts->moved, &hdr, last);
		return TC_ACT_SHOT;
	}
	let_go(slot, skb);
	return bpf_redirect(to, 0);
}

char LICENSE[] SEC("license") = "GPL";
