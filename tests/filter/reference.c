/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reference.h"

#include <string.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/pkt_cls.h>

#include "base/bytes.h"
#include "filter/evaluate.h"
#include "wire/decode.h"

#define VLAN_TAGS_MAX 2
#define VLAN_TAG      4
#define IPV4_MIN      20
#define IPV6_HEADER   40
#define UDP_HEADER    8
#define UDP_LENGTH    4
#define UDP_CHECKSUM  6

/* State of a packet during evaluation. */
struct packet {
	const struct tw_rules *rules;
	const struct tw_bpf_options *options;
	uint8_t *data;
	size_t len;
	uint8_t *udp; /* NULL = the frame is not in UDP */
	bool is_ipv6;
	struct tw_frame_info info;
	struct reference_result *ret;

	unsigned int left, dropped;     /* events */
	unsigned int first;             /* row of the first event that is left */
	bool must_arrive, part, broken; /* the frame has a record that must arrive, a PART, damage */
	uint64_t matched;               /* rows, one bit each */
	uint8_t *drop[TW_FRAME_MAX / sizeof(struct tw_event)]; /* events that become FILTERED */
};

static void count(struct packet *p, unsigned int row, uint64_t events)
{
	p->ret->rows[row].frames++;
	p->ret->rows[row].events += events;
}

static unsigned int row_of(const struct packet *p, enum tw_count what)
{
	return p->rules->n + 1 + (unsigned int)what;
}

/* Skips an IP header. Return: the UDP header, or NULL for other packets. */
static uint8_t *find_udp(struct packet *p, uint8_t *ip, size_t left, uint16_t type)
{
	size_t header = IPV6_HEADER;

	p->is_ipv6 = type == ETH_P_IPV6;
	if (p->is_ipv6) {
		if (left < IPV6_HEADER || ip[0] >> 4 != 6 || ip[6] != IPPROTO_UDP)
			return NULL;
	} else {
		if (left < IPV4_MIN || ip[0] >> 4 != 4 || ip[9] != IPPROTO_UDP)
			return NULL;
		if (tw_load_be16(ip + 6) & 0x3fff)
			return NULL;
		header = (size_t)(ip[0] & 0xf) * 4;
		if (header < IPV4_MIN)
			return NULL;
	}
	if (left < header + UDP_HEADER || tw_load_be16(ip + header + 2) != p->options->udp_port)
		return NULL;
	return ip + header;
}

/* Return: where a frame may begin, with the available length; NULL if there is none. */
static uint8_t *find_frame(struct packet *p, size_t *ret_available)
{
	uint8_t *end = p->data + p->len, *at = p->data + ETH_HLEN;
	uint16_t type;

	if (p->len < ETH_HLEN)
		return NULL;
	type = tw_load_be16(at - 2);
	for (int i = 0; i < VLAN_TAGS_MAX && (type == ETH_P_8021Q || type == ETH_P_8021AD); i++) {
		if (end - at < VLAN_TAG)
			return NULL;
		at += VLAN_TAG;
		type = tw_load_be16(at - 2);
	}
	*ret_available = (size_t)(end - at);
	if (type == TW_ETHERTYPE)
		return at;
	if (!p->options->udp_port || (type != ETH_P_IP && type != ETH_P_IPV6))
		return NULL;
	p->udp = find_udp(p, at, (size_t)(end - at), type);
	if (!p->udp || tw_load_be16(p->udp + UDP_LENGTH) < UDP_HEADER)
		return NULL;
	at = p->udp + UDP_HEADER;
	*ret_available = (size_t)tw_load_be16(p->udp + UDP_LENGTH) - UDP_HEADER;
	if (*ret_available > (size_t)(end - at))
		*ret_available = (size_t)(end - at);
	return at;
}

/* Return: the row of the first rule that matches an event, or the row of the default */
static unsigned int judge(const struct packet *p, const struct tw_event_view *view)
{
	const struct tw_filter_event event = tw_filter_event__of_view(view, p->info.cpu);
	unsigned int i;

	for (i = 0; i < p->rules->n; i++)
		if (tw_bound__matches(p->rules->rules[i].bound, &event))
			break;
	return i;
}

static uint8_t action_of(const struct packet *p, unsigned int row, uint32_t *ret_arg)
{
	const bool is_default = row == p->rules->n;

	*ret_arg = is_default ? p->rules->default_arg : p->rules->rules[row].arg;
	return is_default ? p->rules->default_action : p->rules->rules[row].action;
}

static void take_event(struct packet *p, const struct tw_tlv_view *tlv)
{
	struct tw_event_view view;
	unsigned int row;
	uint32_t arg;

	if (!tw_event__parse(tlv, p->info.base_time, &view)) {
		p->broken = true;
		return;
	}
	row = judge(p, &view);
	p->ret->rows[row].events++;
	p->ret->rows[row].frames += !(p->matched >> row & 1);
	p->matched |= UINT64_C(1) << row;
	if (action_of(p, row, &arg) == TW_ACTION_DROP)
		p->drop[p->dropped++] = (uint8_t *)tlv->value - sizeof(struct tw_tlv);
	else if (!p->left++)
		p->first = row;
}

static void take_tlv(struct packet *p, const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
		take_event(p, tlv);
		break;
	case TW_TLV_FILTERED:
	case TW_TLV_PAD:
	case TW_TLV_AUTH:
		break;
	case TW_TLV_PART:
		p->part = true;
		p->must_arrive = true;
		break;
	default:
		p->must_arrive = true;
	}
}

/* Updates the UDP checksum, in ones' complement: the first word of each dropped event was 1 and is now 2. XDP clears the checksum. */
static void mend_checksum(struct packet *p)
{
	uint8_t *at = p->udp + UDP_CHECKSUM;
	uint32_t sum = tw_load_be16(at);

	if (p->options->hook == TW_HOOK_XDP) {
		tw_store_be16(at, 0);
		return;
	}
	if (!sum)
		return;
	sum = (~sum & 0xffff) + p->dropped;
	sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
	tw_store_be16(at, (uint16_t)(sum ? sum : 0xffff));
}

/* Changes the dropped events to FILTERED. Return: false if this hook cannot do so */
static bool filter_in_place(struct packet *p)
{
	if (p->options->hook == TW_HOOK_XDP && p->udp && p->is_ipv6 && tw_load_be16(p->udp + UDP_CHECKSUM))
		return false;
	for (unsigned int i = 0; i < p->dropped; i++)
		tw_store_be16(p->drop[i], TW_TLV_FILTERED);
	if (p->udp)
		mend_checksum(p);
	count(p, row_of(p, TW_COUNT_FILTERED), p->dropped);
	return true;
}

/* Decides what happens to the frame, after all its readable TLVs. */
static void conclude(struct packet *p)
{
	if (p->dropped && !p->left && !p->must_arrive && !p->broken) {
		p->ret->action = TW_ACTION_DROP;
		count(p, row_of(p, TW_COUNT_DROPPED), p->dropped);
		return;
	}
	if (p->part)
		count(p, row_of(p, TW_COUNT_PART), 0);
	if (p->dropped && !filter_in_place(p)) {
		count(p, row_of(p, TW_COUNT_UNREADABLE), p->dropped);
		return;
	}
	if (p->broken) {
		count(p, row_of(p, TW_COUNT_UNREADABLE), 0);
		return;
	}
	if (p->left)
		p->ret->action = action_of(p, p->first, &p->ret->arg);
	else if (!p->dropped && !p->part)
		count(p, row_of(p, TW_COUNT_CONTROL), 0);
}

static bool is_other_schema(const struct packet *p)
{
	const bool big_endian = p->info.flags & TW_FLAG_BODY_BE;

	return (p->rules->schema_id && p->info.schema_id != p->rules->schema_id) || big_endian != p->rules->big_endian;
}

static void take_frame(struct packet *p, struct tw_cursor *tlvs)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	if (p->info.channel == TW_CHANNEL_CONTROL) {
		p->ret->is_control = true;
		count(p, row_of(p, TW_COUNT_CONTROL), 0);
		return;
	}
	if (is_other_schema(p)) {
		count(p, row_of(p, TW_COUNT_OTHER_SCHEMA), p->info.events);
		return;
	}
	while (tw_cursor__next_tlv(tlvs, &tlv, &status))
		take_tlv(p, &tlv);
	if (status != TW_FRAME_OK)
		p->broken = true;
	conclude(p);
}

void reference__classify(const struct tw_rules *rules, const struct tw_bpf_options *options, uint8_t *packet,
			 size_t len, struct reference_result *ret)
{
	static _Thread_local struct packet p; /* too large for the stack */
	enum tw_frame_status status;
	struct tw_cursor tlvs;
	size_t available;
	uint8_t *frame;

	memset(ret, 0, sizeof(*ret));
	p = (struct packet){ .rules = rules, .options = options, .data = packet, .len = len, .ret = ret };
	frame = find_frame(&p, &available);
	if (!frame)
		return;
	status = tw_frame__parse(frame, available, &p.info, &tlvs);
	if (status == TW_FRAME_NOT_OURS)
		return;
	ret->is_counted = true;
	if (available >= sizeof(struct tw_frame_hdr) && status != TW_FRAME_VERSION) {
		ret->key.stream_id = tw_load_be64(frame + offsetof(struct tw_frame_hdr, stream_id));
		ret->key.channel = tw_load_be16(frame + offsetof(struct tw_frame_hdr, channel));
	}
	if (status == TW_FRAME_OK)
		take_frame(&p, &tlvs);
	else
		count(&p, row_of(&p, TW_COUNT_UNREADABLE), 0);
}

uint32_t reference__retval(uint8_t hook, uint8_t action)
{
	if (hook == TW_HOOK_XDP)
		return action == TW_ACTION_DROP ? XDP_DROP : action == TW_ACTION_REDIRECT ? XDP_REDIRECT : XDP_PASS;
	if (action == TW_ACTION_DROP)
		return TC_ACT_SHOT;
	return action == TW_ACTION_REDIRECT ? TC_ACT_REDIRECT : (uint32_t)TC_ACT_UNSPEC;
}
