/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/socket_timeline.h"

static int proto_sockets = -1;
static int ett_sockets = -1, ett_stamp = -1;
static int hf_frame = -1, hf_stage = -1, hf_since = -1, hf_transmission = -1, hf_sender = -1, hf_reader = -1,
	   hf_packet = -1, hf_held = -1, hf_reason = -1;
static int hf_delays[TW_DELAYS];

/* Keys of what Wireshark stores with a frame: the segment of a packet, or the first stamp of a frame with events. */
enum { SEGMENT, STAMPS };

static const char *const stage_names[TW_STAGES] = {
#define X(num, name, text) [TW_STAGE_##name] = text,
	TW_SOCKTS_EGRESS_LIST(X) TW_SOCKTS_INGRESS_LIST(X)[TW_STAGE_HELD] = "held", TW_SOCKTS_ECHO_LIST(X)
#undef X
};

/* Why data were held, by the field `reason` of sockts:held. */
static const char *const reasons[] = { "?",
#define X(num, name, text) [num] = text,
				       TW_SOCKTS_HELD_LIST(X)
#undef X
};

static hf_register_info hf[] = {
	{ &hf_frame,
	  { "Event in frame", "trace.sockts.frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
	    "The frame with the socket event of this stage", HFILL } },
	{ &hf_stage,
	  { "Stage", "trace.sockts.stage", FT_STRING, BASE_NONE, NULL, 0, "What happened to the bytes of the packet",
	    HFILL } },
	{ &hf_since,
	  { "Since the stage before (ns)", "trace.sockts.delay", FT_UINT64, BASE_DEC, NULL, 0,
	    "Time from the stage before to this one, ns", HFILL } },
	{ &hf_transmission,
	  { "Transmission", "trace.sockts.transmission", FT_UINT16, BASE_DEC, NULL, 0,
	    "0 = the first transmission of the bytes; otherwise the number of the retransmission", HFILL } },
	{ &hf_sender,
	  { "Sender", "trace.sockts.sender", FT_STRING, BASE_NONE, NULL, 0,
	    "Name and PID of the task that sent the bytes", HFILL } },
	{ &hf_reader,
	  { "Reader", "trace.sockts.reader", FT_STRING, BASE_NONE, NULL, 0,
	    "Name and PID of the task that read the bytes", HFILL } },
	{ &hf_packet,
	  { "Packet in frame", "trace.sockts.packet", FT_FRAMENUM, BASE_NONE, NULL, 0,
	    "A captured packet that this socket event is about", HFILL } },
	{ &hf_held,
	  { "Held (ns)", "trace.sockts.held", FT_UINT64, BASE_DEC, NULL, 0,
	    "How long the first byte of the packet was held in the send queue, ns", HFILL } },
	{ &hf_reason,
	  { "Reason", "trace.sockts.held_reason", FT_STRING, BASE_NONE, NULL, 0,
	    "Why the first byte of the packet was held in the send queue", HFILL } },
#define DELAY(delay, label, name, what)                                                                       \
	{                                                                                                     \
		&hf_delays[delay],                                                                            \
		{                                                                                             \
			label " (ns)", "trace.sockts." name, FT_UINT64, BASE_DEC, NULL, 0, what ", ns", HFILL \
		}                                                                                             \
	}
	DELAY(TW_DELAY_SCHED, "Delay before the qdisc", "sched_delay", "From sendmsg() to the queueing discipline"),
	DELAY(TW_DELAY_QDISC, "Delay in the qdisc", "qdisc_delay", "From the queueing discipline to the driver"),
	DELAY(TW_DELAY_ACK, "Delay of the acknowledgement", "ack_delay", "From the driver to the acknowledgement"),
	DELAY(TW_DELAY_STACK, "Delay in the stack", "stack_delay",
	      "From the receiving device to the queue of the socket"),
	DELAY(TW_DELAY_WAKEUP, "Delay of the wake-up", "wakeup_delay", "From the wake-up of the reader until it ran"),
	DELAY(TW_DELAY_READ, "Delay in the socket", "read_delay", "From the queue of the socket to the reader"),
	DELAY(TW_DELAY_RTT, "Round trip of the echo", "rtt",
	      "From the request to its reply, as the kernel has measured it"),
#undef DELAY
};

enum event_kind { EGRESS, INGRESS, HELD, ECHO, EVENT_KINDS };

/* The events of a kind, and its stages: they begin with type 1. A wait has no type. */
static const struct {
	const char *name;
	enum tw_stage first, last;
} kinds[EVENT_KINDS] = {
	[EGRESS] = { "egress_ts", TW_STAGE_SENDMSG_ENTRY, TW_STAGE_ACK },
	[INGRESS] = { "ingress_ts", TW_STAGE_RX, TW_STAGE_READ },
	[HELD] = { "held", TW_STAGE_HELD, TW_STAGE_HELD },
	[ECHO] = { "icmp_echo", TW_STAGE_REQUEST, TW_STAGE_REPLY },
};

struct tw_socket_fields {
	enum event_kind kind;
	const struct tw_field *type; /* NULL for a wait */
	const struct tw_field *protocol, *sport, *dport, *saddr, *daddr, *seq, *bytes;
	const struct tw_field *key, *software;            /* NULL for a wait or an echo */
	const struct tw_field *since, *waited, *reason;   /* of a wait, otherwise NULL */
	const struct tw_field *id, *rtt;                  /* of an echo, otherwise NULL */
	const struct tw_field *transmission, *pid, *comm; /* may be NULL */
};

static bool is_complete(const struct tw_socket_fields *f)
{
	bool has_own = f->key && f->software;

	if (f->kind == HELD)
		has_own = f->since && f->waited && f->reason;
	else if (f->kind == ECHO)
		has_own = f->id && f->rtt;
	return has_own && (f->type || f->kind == HELD) && f->protocol && f->sport && f->dport && f->saddr && f->daddr &&
	       f->seq && f->bytes;
}

const struct tw_socket_fields *tw_socket_fields__of(const struct tw_format *format)
{
	struct tw_socket_fields fields = { .kind = EGRESS };

	while (fields.kind < EVENT_KINDS && strcmp(format->name, kinds[fields.kind].name) != 0)
		fields.kind++;
	if (strcmp(format->system, TW_SOCKTS_SYSTEM) != 0 || fields.kind == EVENT_KINDS)
		return NULL;
#define FIND(field) fields.field = tw_format__find(format, #field)
	FIND(type), FIND(protocol), FIND(sport), FIND(dport), FIND(seq), FIND(key), FIND(bytes), FIND(software);
	FIND(transmission), FIND(pid), FIND(comm), FIND(since), FIND(waited), FIND(reason), FIND(id), FIND(rtt);
#undef FIND
	fields.saddr = tw_format__find(format, "saddrv6");
	fields.daddr = tw_format__find(format, "daddrv6");
	if (!is_complete(&fields))
		return NULL;
	tw_socket_stamps__turn_on();
	return wmem_memdup(wmem_file_scope(), &fields, sizeof(fields));
}

static bool read_number(const struct tw_field *field, const struct tw_record *record, uint64_t *ret)
{
	struct tw_value value;

	if (!field || tw_field__read(field, record, &value) || value.kind > TW_FIELD_POINTER)
		return false;
	*ret = value.u;
	return true;
}

static uint64_t number_or_0(const struct tw_field *field, const struct tw_record *record)
{
	uint64_t number = 0;

	read_number(field, record, &number);
	return number;
}

static bool read_address(const struct tw_field *field, const struct tw_record *record, uint8_t *ret)
{
	struct tw_value value;

	if (tw_field__read(field, record, &value) || value.len != 16)
		return false;
	memcpy(ret, value.data, 16);
	return true;
}

/* The addresses of an event are those of its socket; the result has those of the packet. */
static bool read_flow(const struct tw_socket_fields *f, const struct tw_record *record, struct tw_packet_flow *ret)
{
	const bool ingress = f->kind == INGRESS;
	uint64_t sport, dport, protocol;

	if (!read_number(f->sport, record, &sport) || !read_number(f->dport, record, &dport) ||
	    !read_number(f->protocol, record, &protocol) ||
	    !read_address(f->saddr, record, ingress ? ret->destination : ret->source) ||
	    !read_address(f->daddr, record, ingress ? ret->source : ret->destination))
		return false;
	ret->protocol = (uint16_t)protocol;
	if (f->kind == ECHO) {
		ret->source_port = (uint16_t)number_or_0(f->id, record);
		return tw_packet_flow__is_echo(ret);
	}
	ret->source_port = (uint16_t)(ingress ? dport : sport);
	ret->destination_port = (uint16_t)(ingress ? sport : dport);
	return protocol == TW_IP_TCP || protocol == TW_IP_UDP;
}

/* Return: false if the type is unknown */
static bool read_stage(const struct tw_socket_fields *f, const struct tw_record *record, uint8_t *ret)
{
	const uint64_t type = number_or_0(f->type, record);
	if (f->kind == HELD) {
		*ret = TW_STAGE_HELD;
		return true;
	}
	if (!type || type > kinds[f->kind].last - kinds[f->kind].first + 1)
		return false;
	*ret = (uint8_t)(kinds[f->kind].first + type - 1);
	return true;
}

static void read_comm(const struct tw_socket_fields *f, const struct tw_record *record, char *ret)
{
	struct tw_value value;

	if (f->comm && !tw_field__read(f->comm, record, &value) && value.kind == TW_FIELD_STRING)
		memcpy(ret, value.data, MIN(value.len, sizeof(((struct tw_socket_stamp *)NULL)->comm) - 1));
}

static int64_t packet_time(const packet_info *pinfo)
{
	return (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
}

/* A time that Wireshark can show and that can be computed with: until the year 2116, as in 64 bits of ns. */
static bool has_time(const packet_info *pinfo)
{
	return pinfo->presence_flags & PINFO_HAS_TS && pinfo->abs_ts.secs >= 0 &&
	       pinfo->abs_ts.secs < INT64_MAX / 2000000000;
}

/* The wait of a byte. Its stage is the end of the wait. */
static void read_wait(const struct tw_socket_fields *f, const struct tw_record *record, struct tw_socket_stamp *ret)
{
	const uint64_t reason = number_or_0(f->reason, record);

	ret->waited = number_or_0(f->waited, record);
	ret->software = number_or_0(f->since, record) + ret->waited;
	ret->reason = reasons[reason < array_length(reasons) ? reason : 0];
	ret->bytes = 1;
}

static bool read_stamp(struct tw_dissect *d, const struct tw_socket_fields *f, const struct tw_record *record,
		       uint64_t time, struct tw_socket_stamp_event *ret)
{
	struct tw_socket_stamp *stamp = &ret->stamp;
	int64_t since_packet;

	*ret = (struct tw_socket_stamp_event){ 0 };
	if (!read_flow(f, record, &ret->flow) || !read_stage(f, record, &stamp->stage))
		return false;
	stamp->software = f->software ? number_or_0(f->software, record) : tw_dissect__ns(d, time);
	stamp->bytes = (uint32_t)number_or_0(f->bytes, record);
	stamp->rtt = stamp->stage == TW_STAGE_REPLY ? number_or_0(f->rtt, record) : 0;
	if (f->kind == HELD)
		read_wait(f, record, stamp);
	since_packet = (int64_t)(stamp->software - tw_dissect__ns(d, d->first_event_time));
	if (since_packet < -INT64_MAX / 4 || since_packet > INT64_MAX / 4)
		return false;
	stamp->time = packet_time(d->pinfo) + since_packet;
	ret->seq = (uint32_t)number_or_0(f->seq, record);
	ret->key = (uint32_t)number_or_0(f->key, record);
	stamp->place.frame = d->pinfo->num;
	stamp->place.order = d->n_events;
	stamp->stream = d->stream->number;
	stamp->pid = (int32_t)number_or_0(f->pid, record);
	stamp->transmission = (uint16_t)number_or_0(f->transmission, record);
	read_comm(f, record, stamp->comm);
	return true;
}

static const struct tw_socket_stamp *store(struct tw_dissect *d, const struct tw_socket_fields *fields,
					   const struct tw_record *record, uint64_t time)
{
	struct tw_socket_stamp_event event;
	struct tw_socket_stamp *stamp;

	if (!d->stream || !has_time(d->pinfo) || !read_stamp(d, fields, record, time, &event))
		return NULL;
	stamp = tw_socket_stamps__add(&event);
	if (!stamp)
		return NULL;
	if (d->stamp)
		d->stamp->next = stamp;
	else
		p_add_proto_data(wmem_file_scope(), d->pinfo, proto_sockets, STAMPS, stamp);
	d->stamp = stamp;
	return stamp;
}

const struct tw_socket_stamp *tw_socket_timeline__event(struct tw_dissect *d, const struct tw_socket_fields *fields,
							const struct tw_record *record, uint64_t time)
{
	if (d->first_pass)
		return store(d, fields, record, time);
	if (!d->stamp)
		d->stamp = p_get_proto_data(wmem_file_scope(), d->pinfo, proto_sockets, STAMPS);
	while (d->stamp && d->stamp->place.order < d->n_events && d->stamp->next)
		d->stamp = d->stamp->next;
	return d->stamp && d->stamp->place.order == d->n_events ? d->stamp : NULL;
}

/* Adds the delay that ends with the stamp. Return: false if this packet has none. */
static bool put_delay_of(struct tw_dissect *d, proto_tree *tree, int at, const struct tw_socket_stamp *stamp,
			 const struct tw_segment *segment)
{
	const struct tw_socket_stamp *end;
	struct tw_timeline timeline;

	tw_timeline__of(segment, &timeline);
	for (enum tw_delay delay = 0; delay < TW_DELAYS; delay++) {
		const int64_t ns = tw_timeline__delay(&timeline, delay, &end);

		if (ns < 0 || end != stamp)
			continue;
		proto_item_set_generated(tw_put_number(d, tree, hf_delays[delay], at, 0, (uint64_t)ns));
		return true;
	}
	return false;
}

static bool wants(const proto_tree *tree)
{
	if (tw_tree__wants(tree, proto_sockets))
		return true;
	for (size_t i = 0; tree && i < array_length(hf); i++)
		if (tw_tree__wants(tree, *hf[i].p_id))
			return true;
	return false;
}

void tw_socket_timeline__put_event(struct tw_dissect *d, proto_tree *tree, int at, const struct tw_socket_stamp *stamp)
{
	const struct tw_segment *segments[TW_SEGMENTS_OF_STAMP_MAX];
	bool has_delay = false;
	uint32_t n;

	if (tw_socket_stamps__gave_up() || !wants(tree))
		return;
	n = tw_socket_stamp__segments(stamp, segments);
	for (uint32_t i = 0; i < n; i++)
		proto_item_set_generated(tw_put_number(d, tree, hf_packet, at, 0, segments[i]->place.frame));
	for (uint32_t i = n; i-- && !has_delay;)
		has_delay = put_delay_of(d, tree, at, stamp, segments[i]);
	if (tw_socket_stamps__gave_up())
		tw_dissect__expert(
			d, &ei_trace_limit,
			"The frame's limit of searches is reached; later socket events have no links and delays");
}

/* "curl-1743" */
static const char *task_of(struct tw_dissect *d, const struct tw_socket_stamp *stamp)
{
	return wmem_strdup_printf(d->pinfo->pool, "%s-%d", stamp->comm, stamp->pid);
}

/* The last stamp of the stages @from to @to that has a task. */
static void put_task(struct tw_dissect *d, proto_tree *tree, int id, const struct tw_timeline *timeline,
		     unsigned int from, unsigned int to)
{
	for (uint32_t i = timeline->n; i--;) {
		const struct tw_socket_stamp *stamp = timeline->stamps[i];

		if (stamp->stage < from || stamp->stage > to || !*stamp->comm)
			continue;
		proto_item_set_generated(tw_put_text(d, tree, id, 0, 0, task_of(d, stamp)));
		return;
	}
}

/* "12.500 ms" */
static const char *duration(const struct tw_dissect *d, int64_t ns)
{
	const bool is_long = ns >= 1000000;

	return wmem_strdup_printf(d->pinfo->pool, "%.3f %s", (double)ns / (is_long ? 1000000 : 1000),
				  is_long ? "ms" : "us");
}

/* A stage is named, and a wait also has its reason and its length. */
static const char *text_of(const struct tw_dissect *d, const struct tw_socket_stamp *stamp)
{
	return stamp->stage == TW_STAGE_HELD ? wmem_strdup_printf(d->pinfo->pool, "held for %s by %s",
								  duration(d, (int64_t)stamp->waited), stamp->reason)
					     : stage_names[stamp->stage];
}

static void label_stamp(const struct tw_dissect *d, proto_item *item, const struct tw_socket_stamp *stamp,
			const struct tw_socket_stamp *before)
{
	if (!item || !PTREE_DATA(item)->visible)
		return;
	if (before)
		proto_item_set_text(item, "%s: %s after %s, in frame %u", text_of(d, stamp),
				    duration(d, tw_socket_stamp__since(stamp, before)), stage_names[before->stage],
				    stamp->place.frame);
	else
		proto_item_set_text(item, "%s: in frame %u", text_of(d, stamp), stamp->place.frame);
}

static void put_stamp(struct tw_dissect *d, proto_tree *tree, const struct tw_socket_stamp *stamp,
		      const struct tw_socket_stamp *before)
{
	proto_item *item = tw_put_number(d, tree, hf_frame, 0, 0, stamp->place.frame);
	proto_tree *below = item ? proto_item_add_subtree(item, ett_stamp) : tree;
	const int64_t ns = before ? tw_socket_stamp__since(stamp, before) : -1;

	proto_item_set_generated(item);
	label_stamp(d, item, stamp, before);
	proto_item_set_generated(tw_put_text(d, below, hf_stage, 0, 0, stage_names[stamp->stage]));
	if (ns >= 0)
		proto_item_set_generated(tw_put_number(d, below, hf_since, 0, 0, (uint64_t)ns));
	if (stamp->stage == TW_STAGE_HELD) {
		proto_item_set_generated(tw_put_number(d, below, hf_held, 0, 0, stamp->waited));
		proto_item_set_generated(tw_put_text(d, below, hf_reason, 0, 0, stamp->reason));
	}
	if (stamp->stage >= TW_STAGE_SCHED && stamp->stage <= TW_STAGE_ACK)
		proto_item_set_generated(tw_put_number(d, below, hf_transmission, 0, 0, stamp->transmission));
}

static void put_packet(struct tw_dissect *d, const struct tw_timeline *timeline)
{
	const struct tw_socket_stamp *end;

	d->item = proto_tree_add_protocol_format(d->tree, proto_sockets, d->bytes.tvb, 0, 0,
						 "Socket timeline: %u stamps of the kernel", timeline->n);
	proto_item_set_generated(d->item);
	d->tree = proto_item_add_subtree(d->item, ett_sockets);
	put_task(d, d->tree, hf_sender, timeline, TW_STAGE_SENDMSG_ENTRY, TW_STAGE_ACK);
	put_task(d, d->tree, hf_reader, timeline, TW_STAGE_WAKE, TW_STAGE_READ);
	for (uint32_t i = 0; i < timeline->n; i++)
		put_stamp(d, d->tree, timeline->stamps[i], i ? timeline->stamps[i - 1] : NULL);
	for (enum tw_delay delay = 0; delay < TW_DELAYS; delay++) {
		const int64_t ns = tw_timeline__delay(timeline, delay, &end);

		if (ns >= 0)
			proto_item_set_generated(tw_put_number(d, d->tree, hf_delays[delay], 0, 0, (uint64_t)ns));
	}
}

static enum tw_link_type link_of(int encap)
{
	switch (encap) {
	case WTAP_ENCAP_ETHERNET:
		return TW_LINK_ETHERNET;
	case WTAP_ENCAP_NULL:
	case WTAP_ENCAP_LOOP:
		return TW_LINK_NULL;
	case WTAP_ENCAP_RAW_IP:
	case WTAP_ENCAP_RAW_IP4:
	case WTAP_ENCAP_RAW_IP6:
		return TW_LINK_RAW;
	case WTAP_ENCAP_SLL:
		return TW_LINK_SLL;
	case WTAP_ENCAP_SLL2:
		return TW_LINK_SLL2;
	default:
		return TW_LINK_OTHER;
	}
}

static const struct tw_segment *store_packet(tvbuff_t *tvb, packet_info *pinfo)
{
	const uint32_t captured = tvb_captured_length(tvb);
	const wtap_rec *rec = pinfo->rec;
	struct tw_packet_header header;
	struct tw_cursor bytes = { .left = captured };
	const struct tw_segment *segment;

	if (!captured || rec->rec_type != REC_TYPE_PACKET || !has_time(pinfo))
		return NULL;
	bytes.at = tvb_get_ptr(tvb, 0, (int)captured);
	if (!tw_packet_header__parse(bytes, tvb_reported_length(tvb) - captured,
				     link_of(rec->rec_header.packet_header.pkt_encap), &header))
		return NULL;
	segment = tw_socket_stamps__add_packet(&header,
					       rec->presence_flags & WTAP_HAS_INTERFACE_ID
						       ? rec->rec_header.packet_header.interface_id
						       : 0,
					       pinfo->num, packet_time(pinfo));
	if (segment)
		p_add_proto_data(wmem_file_scope(), pinfo, proto_sockets, SEGMENT, (void *)segment);
	return segment;
}

/* Called for each packet after all other dissectors. */
static int dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
	const struct tw_segment *segment;
	struct tw_timeline timeline;
	struct tw_dissect d;

	if (!tw_socket_stamps_on)
		return 0;
	segment = PINFO_FD_VISITED(pinfo) ? p_get_proto_data(wmem_file_scope(), pinfo, proto_sockets, SEGMENT)
					  : store_packet(tvb, pinfo);
	if (!segment || !tree || !wants(tree))
		return 0;
	tw_socket_stamps__begin_frame();
	tw_timeline__of(segment, &timeline);
	if (!timeline.n)
		return 0;
	d = (struct tw_dissect){ .pinfo = pinfo, .bytes.tvb = tvb, .tree = tree, .items_left = TW_ITEMS_MAX };
	put_packet(&d, &timeline);
	return 0;
}

void tw_socket_timeline__register(void)
{
	static int *ett[] = { &ett_sockets, &ett_stamp };

	for (int delay = 0; delay < TW_DELAYS; delay++)
		hf_delays[delay] = -1;
	proto_sockets = proto_register_protocol("Socket timeline (Tracewire)", "Socket timeline", "trace.sockts");
	proto_register_field_array(proto_sockets, hf, array_length(hf));
	proto_register_subtree_array(ett, array_length(ett));
	tw_socket_stamps__register();
}

void tw_socket_timeline__handoff(void)
{
	register_postdissector(create_dissector_handle(dissect_packet, proto_sockets));
}
