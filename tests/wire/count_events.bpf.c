/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads frames as a classifier does, with the header that userspace includes. The kernel's verifier accepts it. */
#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "wire/tracewire.h"

#define TLVS_MAX  32
#define BYTES_MAX 2048

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u16);
	__type(value, __u64);
} events_by_id SEC(".maps");

__u64 filtered;

static struct tw_frame_hdr *our_frame(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct tw_frame_hdr *hdr = (void *)(eth + 1);

	if ((void *)(hdr + 1) > end || eth->h_proto != bpf_htons(TW_ETHERTYPE))
		return 0;
	return hdr->magic == bpf_htonl(TW_MAGIC) && hdr->version == TW_VERSION ? hdr : 0;
}

static void count(__u16 id)
{
	const __u64 one = 1;
	__u64 *n = bpf_map_lookup_elem(&events_by_id, &id);

	if (n)
		++*n;
	else
		bpf_map_update_elem(&events_by_id, &id, &one, BPF_ANY);
}

/* Counts the events of a frame, in a loop over its TLVs. */
SEC("xdp")
int count_events(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct tw_frame_hdr *hdr = our_frame(ctx);
	__u32 at = sizeof(*hdr);

	if (!hdr)
		return XDP_PASS;
	for (int i = 0; i < TLVS_MAX && at <= BYTES_MAX && at < bpf_ntohs(hdr->length); i++) {
		struct tw_event *event = (void *)hdr + at;

		if ((void *)(&event->tlv + 1) > end || bpf_ntohs(event->tlv.length) < sizeof(event->tlv))
			break;
		if (event->tlv.type == bpf_htons(TW_TLV_FILTERED))
			filtered++;
		if (event->tlv.type == bpf_htons(TW_TLV_EVENT) && (void *)(event + 1) <= end)
			count(bpf_ntohs(event->event_id));
		at += (bpf_ntohs(event->tlv.length) + 3) & ~3;
	}
	return XDP_PASS;
}

/* A frame of one event, without a loop: sched_switch's next_pid is at offset 56 of its record. */
SEC("xdp")
int drop_switch_to_1002(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct tw_frame_hdr *hdr = our_frame(ctx);
	struct tw_event *event = (void *)(hdr + 1);
	__u32 *next_pid = (void *)event + TW_EVENT_RECORD + 56;

	if (!hdr || (void *)(next_pid + 1) > end)
		return XDP_PASS;
	if (event->tlv.type != bpf_htons(TW_TLV_EVENT) || event->event_id != bpf_htons(314))
		return XDP_PASS;
	return *next_pid == 1002 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
