/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Redirects Tracewire's frames (EtherType TW_ETHERTYPE, after at most one VLAN tag) to the AF_XDP receiver. Tracewire's out-of-band frames
 * are not redirected, because they need the kernel's time stamp. They and all other packets pass to the network stack.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "wire/tracewire.h"

struct vlan_tag {
	__be16 tci, ethertype;
};

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1); /* replaced by the number of queues before the program is loaded */
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

const volatile __u32 linear_max;  /* largest linear packet that a socket accepts, bytes */
const volatile bool multi_buffer; /* whether sockets accept multi-buffer packets of any length */
__u64 missed; /* Tracewire's packets that no socket accepted: too long, with fragments, or of a queue added later */

/* Return: the start of Tracewire's frame in the packet; NULL if it is not a packet of Tracewire */
static __always_inline const void *find_frame(const void *data, const void *end)
{
	const struct ethhdr *ethernet = data;
	const struct vlan_tag *tag = (const void *)(ethernet + 1);

	if ((const void *)(ethernet + 1) > end)
		return NULL;
	if (ethernet->h_proto == bpf_htons(TW_ETHERTYPE))
		return ethernet + 1;
	if (ethernet->h_proto != bpf_htons(ETH_P_8021Q) && ethernet->h_proto != bpf_htons(ETH_P_8021AD))
		return NULL;
	return (const void *)(tag + 1) <= end && tag->ethertype == bpf_htons(TW_ETHERTYPE) ? tag + 1 : NULL;
}

/*
 * Accepts frames of a stream, and rejects out-of-band frames and other packets. A frame with an incomplete header is accepted, so that the
 * decoder counts it.
 */
static __always_inline bool is_wanted(const struct xdp_md *context)
{
	const void *end = (const void *)(long)context->data_end;
	const struct tw_frame_hdr *frame = find_frame((const void *)(long)context->data, end);

	return frame && ((const void *)(frame + 1) > end || frame->source != TW_SOURCE_OUT_OF_BAND);
}

/*
 * Whether a socket accepts the packet. If sockets do not accept multi-buffer packets, the kernel would silently drop a packet that is too
 * long or has fragments. A short packet can have fragments too, because drivers may begin fragments at any offset.
 */
static __always_inline bool is_taken(struct xdp_md *context)
{
	const __u32 linear = context->data_end - context->data;

	return multi_buffer || (linear <= linear_max && bpf_xdp_get_buff_len(context) == linear);
}

SEC("xdp.frags")
int tw_receive(struct xdp_md *context)
{
	long verdict = XDP_PASS;

	if (!is_wanted(context))
		return XDP_PASS;
	if (is_taken(context))
		verdict = bpf_redirect_map(&sockets, context->rx_queue_index, XDP_PASS);
	if (verdict != XDP_REDIRECT)
		__sync_fetch_and_add(&missed, 1);
	return (int)verdict;
}

char LICENSE[] SEC("license") = "GPL";
