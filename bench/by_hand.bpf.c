/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hand-written program that drops a frame of one event if the event is a sched_switch away from the task WANTED. The frame must directly
 * follow the Ethernet header, without VLAN tag or UDP. The program has the same checks and counters as a generated program;
 * bench/classify.c compares the times of both programs.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "wire/tracewire.h"

#define SCHEMA_ID    0x0123456789abcdefULL
#define SCHED_SWITCH 316
#define PREV_PID     24 /* offset of prev_pid in the record, bytes */
#define WANTED       1001

enum { ROW_RULE, ROW_DEFAULT, ROW_DROPPED = 6, ROWS = 8 };

struct row {
	__u64 frames, events;
};

struct key {
	__u64 stream_id;
	__u64 channel;
};

struct rows {
	struct row row[ROWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, struct rows);
} counters SEC(".maps");

struct frame {
	struct tw_frame_hdr hdr;
	struct tw_event event;
} __attribute__((packed));

static __always_inline struct rows *rows_of(const struct frame *frame)
{
	const struct key key = {
		.stream_id = bpf_be64_to_cpu(frame->hdr.stream_id),
		.channel = bpf_ntohs(frame->hdr.channel),
	};
	static const struct rows blank;
	struct rows *rows = bpf_map_lookup_elem(&counters, &key);

	if (rows)
		return rows;
	bpf_map_update_elem(&counters, &key, &blank, BPF_NOEXIST);
	return bpf_map_lookup_elem(&counters, &key);
}

static __always_inline void count(struct row *row)
{
	row->frames++;
	row->events++;
}

/* Return: whether the frame has one event and was sent with SCHEMA_ID, so that the rules can be applied. */
static __always_inline int is_one_event(const struct frame *frame, __u32 available)
{
	const __u32 length = bpf_ntohs(frame->hdr.length), tlv = bpf_ntohs(frame->event.tlv.length);

	return frame->hdr.magic == bpf_htonl(TW_MAGIC) && frame->hdr.version == TW_VERSION &&
	       !(frame->hdr.flags & TW_FLAG_BODY_BE) && frame->hdr.channel &&
	       frame->hdr.schema_id == bpf_cpu_to_be64(SCHEMA_ID) && length <= available &&
	       frame->event.tlv.type == bpf_htons(TW_TLV_EVENT) && tlv >= sizeof(struct tw_event) &&
	       ((tlv + 3) & ~3u) + sizeof(struct tw_frame_hdr) == length;
}

/* Return: whether to drop the frame. */
static __always_inline int classify(void *data, void *end, __u32 len)
{
	struct ethhdr *eth = data;
	struct frame *frame = (void *)(eth + 1);
	__s32 *prev_pid = (void *)&frame->event + TW_EVENT_RECORD + PREV_PID;
	struct rows *rows;

	if ((void *)(frame + 1) > end || eth->h_proto != bpf_htons(TW_ETHERTYPE))
		return 0;
	if (!is_one_event(frame, len - sizeof(*eth)))
		return 0;
	rows = rows_of(frame);
	if (!rows)
		return 0;
	if (frame->event.event_id == bpf_htons(SCHED_SWITCH) && (void *)(prev_pid + 1) <= end &&
	    bpf_ntohs(frame->event.tlv.length) >= TW_EVENT_RECORD + PREV_PID + sizeof(*prev_pid) &&
	    *prev_pid == WANTED) {
		count(&rows->row[ROW_RULE]);
		count(&rows->row[ROW_DROPPED]);
		return 1;
	}
	count(&rows->row[ROW_DEFAULT]);
	return 0;
}

SEC("xdp")
int by_hand_xdp(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return classify(data, end, (__u32)(end - data)) ? XDP_DROP : XDP_PASS;
}

SEC("tc")
int by_hand_tc(struct __sk_buff *skb)
{
	return classify((void *)(long)skb->data, (void *)(long)skb->data_end, skb->len) ? TC_ACT_SHOT : TC_ACT_UNSPEC;
}

char LICENSE[] SEC("license") = "GPL";
