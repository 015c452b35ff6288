/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Wireshark plugin: Tracewire frames as the protocol "trace".
 *
 * How it is built, and why
 *
 * A frame (wire/tracewire.h) holds kernel records and what is needed to read them. Fixed fields (fixed.h) are registered
 * at start, which costs next to nothing. The fields of events, trace.SYSTEM.EVENT.FIELD, are thousands and differ from
 * kernel to kernel; they are registered late (fields.h):
 *
 *   - Wireshark checks filters, columns and -e before it opens a file, so names must exist before any frame is seen. It
 *     calls tw_fields__register_known() for the first "trace." name it does not know: then the built-in table, the
 *     preference's format texts and the user's cache are registered. Who never asks never pays.
 *   - Whatever in-band SCHEMA records bring is registered when an event of that format is first shown. In-band texts
 *     alone decide how bytes are read; the table and the preference only provide names. The cache is also read for a
 *     stream whose SCHEMA has not come by: its files are named by the hash that the frames carry.
 *
 * Event ids mean something only within (stream, schema id), so that is the key of all look-ups (capture.h). All state of
 * a capture is built in the first pass and belongs to Wireshark's file scope; second passes and random access in the GUI
 * only read it, and so see the same or, where metadata came late, more. Nothing else is kept but the names.
 *
 * Frames that an event's decoding rests on (its SCHEMA, HOST, CLOCK, its task's COMM) are marked as depended upon:
 * Wireshark keeps them when displayed packets are exported.
 *
 * Speed: Wireshark itself takes 1-2 us a packet, so nothing is done that nobody looks at. No tree, no columns: only
 * metadata and sequence numbers are followed. A filter on one field: only what it refers to is added (tw_tree__wants()).
 * Info is appended by hand. trace.any.FIELD is another name for a value already at hand, added only if wanted.
 *
 * Safety: frames come from strangers. Bytes are read through wire/decode.h and schema/field.h only; what a frame may add
 * to the tree, unpack and print, and what a capture may make us remember, is bounded (limits.h).
 */
#include "dissector/packet-tracewire.h"
#include "dissector/fields.h"
#include "dissector/order.h"
#include "dissector/preferences.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>

static int proto_trace = -1;
static dissector_handle_t trace_handle;

/* Of a cut one there may be less than every event has. */
static bool is_event(const struct tw_tlv_view *tlv)
{
	return (tlv->type == TW_TLV_EVENT || tlv->type == TW_TLV_FILTERED) &&
	       sizeof(struct tw_tlv) + tlv->len >= tw_tlv__least(tlv->type);
}

static void dissect_one(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	if (is_event(tlv))
		tw_dissect__event(d, tlv);
	else
		tw_dissect__record(d, tlv);
}

/* A record put together from parts is dissected in place of the frame's bytes. */
static void dissect_part(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const struct tw_bytes saved = d->bytes;
	struct tw_whole whole;

	if (!tw_dissect__part(d, tlv, &whole))
		return;
	d->bytes = (struct tw_bytes){
		.tvb = whole.tvb,
		.base = whole.tlv.value,
		.frames = whole.frames,
		.n_frames = whole.n_frames,
		.reassembled = true,
	};
	dissect_one(d, &whole.tlv);
	d->bytes = saved;
}

static void put_flags(struct tw_dissect *d, proto_tree *tree, int at)
{
	const uint8_t flags = d->frame.flags;
	proto_tree *bits = tree;
	proto_item *item = tw_put_number(d, tree, tw_fixed(TW_FIX_FLAGS), at, 1, flags);

	if (item)
		bits = proto_item_add_subtree(item, tw_subtree[TW_SUB_FLAGS]);
	tw_put_number(d, bits, tw_fixed(TW_FIX_BODY_BE), at, 1, flags);
	tw_put_number(d, bits, tw_fixed(TW_FIX_PTR_HASHED), at, 1, flags);
	tw_put_number(d, bits, tw_fixed(TW_FIX_LATE), at, 1, flags);
}

static void put_header(struct tw_dissect *d)
{
	const struct tw_frame_info *frame = &d->frame;
	proto_tree *tree =
		tw_put_subtree(d, d->tree, TW_SUB_FRAME, d->bytes.base, sizeof(struct tw_frame_hdr), "Frame");

#define PUT(id, field, value)                                                               \
	tw_put_number(d, tree, tw_fixed(TW_FIX_##id), offsetof(struct tw_frame_hdr, field), \
		      sizeof(((struct tw_frame_hdr *)0)->field), value)
	PUT(VERSION, version, TW_VERSION);
	put_flags(d, tree, offsetof(struct tw_frame_hdr, flags));
	PUT(LENGTH, length, frame->length);
	PUT(STREAM, stream_id, frame->stream_id);
	PUT(SCHEMA, schema_id, frame->schema_id);
	PUT(FIRST_SEQ, seq, frame->seq);
	PUT(BASE_TIME, base_time, tw_stream__ns(d->stream, frame->base_time));
	PUT(CHANNEL, channel, frame->channel);
	PUT(SOURCE, source, frame->source);
	PUT(EVENTS, events, frame->events);
#undef PUT
}

static void check_sequence(struct tw_dissect *d)
{
	const struct tw_sequence_note *note;
	proto_item *item;

	if (d->frame.source == TW_SOURCE_ASIDE)
		return; /* has no numbers */
	note = tw_notes__sequence(d);
	if (!note)
		return;
	if (note->kind != TW_SEQUENCE_GAP) {
		tw_dissect__expert(d, note->kind == TW_SEQUENCE_REORDERED ? TW_EXPERT_REORDERED : TW_EXPERT_DUPLICATE,
				   NULL);
		return;
	}
	item = tw_put_number(d, d->tree, tw_fixed(TW_FIX_MISSING), offsetof(struct tw_frame_hdr, seq), 8,
			     note->missing);
	if (item)
		proto_item_set_generated(item);
	expert_add_info_format(d->pinfo, d->item, &tw_expert[TW_EXPERT_GAP],
			       "%" PRIu64 " events of channel %u are missing before this frame: lost or filtered",
			       note->missing, d->frame.channel);
}

/* The record in which what was captured ends. Of an event its fields that are whole are shown, of others what they are. */
static void dissect_cut(struct tw_dissect *d, const struct tw_cursor *rest)
{
	struct tw_tlv_view tlv;

	if (rest->left < sizeof(struct tw_tlv))
		return;
	if (!tw_cursor__cut_tlv(rest, d->missing, &tlv)) {
		tw_dissect__expert(d, TW_EXPERT_MALFORMED, "A record's length cannot be");
		return;
	}
	d->is_cut = true;
	dissect_one(d, &tlv);
}

static void dissect_tlvs(struct tw_dissect *d, struct tw_cursor *tlvs)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	while (tw_cursor__next_tlv(tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_PART)
			dissect_part(d, &tlv);
		else
			dissect_one(d, &tlv);
		d->n_tlvs++;
	}
	if (status == TW_FRAME_OK)
		return;
	if (d->missing)
		dissect_cut(d, tlvs);
	else
		tw_dissect__expert(d, TW_EXPERT_MALFORMED, "A record's length cannot be");
}

static void show_columns(struct tw_dissect *d)
{
	packet_info *pinfo = d->pinfo;

	if (d->stream && d->stream->host)
		set_address(&pinfo->src, AT_STRINGZ, (int)strlen(d->stream->host) + 1, d->stream->host);
	if (!d->wants_info)
		return;
	/* Lives as long as the columns are looked at: not copied, as col_add_str() would. */
	col_set_str(pinfo->cinfo, COL_INFO, tw_shown__end(&d->info));
}

/*
 * Whoever captured kept only the beginning of the packet, as with dumpcap -s. That is no fault, and said in the words that Wireshark
 * has for it, behind what is in the Info column; _ws.short finds them.
 */
static void show_cut(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item)
{
	expert_add_info(pinfo, item, &tw_expert[TW_EXPERT_CUT]);
	show_exception(tvb, pinfo, tree, BoundsError, NULL);
}

static bool is_cut_header(tvbuff_t *tvb)
{
	return tvb_captured_length(tvb) < sizeof(struct tw_frame_hdr) &&
	       tvb_captured_length(tvb) < tvb_reported_length(tvb);
}

static int dissect_unreadable(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, enum tw_frame_status status)
{
	const bool unknown = status == TW_FRAME_VERSION;
	proto_item *item = proto_tree_add_item(tree, proto_trace, tvb, 0, -1, ENC_NA);

	if (is_cut_header(tvb)) {
		col_clear(pinfo->cinfo, COL_INFO);
		show_cut(tvb, pinfo, tree, item);
		return (int)tvb_captured_length(tvb);
	}
	col_set_str(pinfo->cinfo, COL_INFO, unknown ? "Frame of an unknown version" : "Malformed frame header");
	expert_add_info(pinfo, item, &tw_expert[unknown ? TW_EXPERT_VERSION : TW_EXPERT_MALFORMED]);
	return (int)tvb_captured_length(tvb);
}

static void begin(struct tw_dissect *d, tvbuff_t *tvb, proto_tree *tree)
{
	packet_info *pinfo = d->pinfo;

	d->bytes.tvb = tvb;
	d->bytes.frames = &pinfo->num;
	d->bytes.n_frames = 1;
	d->first_pass = !PINFO_FD_VISITED(pinfo);
	d->wants_info = pinfo->cinfo && pinfo->cinfo->col_first[COL_INFO] >= 0;
	if (d->wants_info)
		d->info = tw_shown__on(wmem_alloc(pinfo->pool, TW_INFO_MAX), TW_INFO_MAX);
	d->items_left = TW_ITEMS_MAX;
	d->lookups_left = TW_LOOKUPS_MAX;
	d->unpack_left = TW_UNPACK_BYTES_MAX;
	d->prepare_left = TW_PREPARE_BYTES_MAX;
	d->text_left = TW_TEXT_BYTES_MAX;
	d->program_left = TW_PROGRAM_BYTES_MAX;
	d->stream = tw_capture__stream(d->frame.stream_id);
	d->schema = d->stream ? tw_stream__schema(d->stream, d->frame.schema_id) : NULL;
	if (tree) {
		d->item = proto_tree_add_item(tree, proto_trace, tvb, 0, d->frame.length, ENC_NA);
		d->tree = proto_item_add_subtree(d->item, tw_subtree[TW_SUB_TRACE]);
	}
}

static int dissect_trace(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	const uint32_t captured = tvb_captured_length(tvb), reported = tvb_reported_length(tvb);
	struct tw_dissect d;
	struct tw_cursor tlvs;
	enum tw_frame_status status;

	(void)data;
	d = (struct tw_dissect){ .pinfo = pinfo };
	d.bytes.base = tvb_get_ptr(tvb, 0, (int)captured);
	status = tw_frame__parse(d.bytes.base, captured, &d.frame, &tlvs);
	if (status == TW_FRAME_NOT_OURS)
		return 0;
	col_set_str(pinfo->cinfo, COL_PROTOCOL, "TRACE");
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return dissect_unreadable(tvb, pinfo, tree, status);

	set_actual_length(tvb, d.frame.length);
	begin(&d, tvb, tree);
	put_header(&d);
	check_sequence(&d);
	if (d.frame.length > reported)
		tw_dissect__expert(&d, TW_EXPERT_TRUNCATED, NULL);
	if (captured < reported && captured < d.frame.length)
		d.missing = d.frame.length - captured;
	dissect_tlvs(&d, &tlvs);
	show_columns(&d);
	if (d.missing)
		show_cut(tvb, pinfo, tree, d.item);
	return (int)captured;
}

static tw_ws_bool dissect_trace_heur(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return dissect_trace(tvb, pinfo, tree, data) != 0;
}

static void register_protocol(void)
{
	proto_trace = proto_register_protocol("Kernel trace events (Tracewire)", "TRACE", "trace");
	tw_fixed__register(proto_trace);
	tw_fields__init(proto_trace);
	proto_register_prefix("trace", tw_fields__register_known);
	tw_preferences__register(proto_trace);
	tw_capture__register();
	tw_parts__register();
	tw_notes__register(proto_trace);
	tw_order__register();
	trace_handle = register_dissector("trace", dissect_trace, proto_trace);
}

static void register_handoff(void)
{
	dissector_add_uint("ethertype", TW_ETHERTYPE, trace_handle);
	dissector_add_uint_with_preference("udp.port", TW_UDP_PORT, trace_handle);
	heur_dissector_add("udp", dissect_trace_heur, "Tracewire over UDP", "trace_udp", proto_trace, HEURISTIC_ENABLE);
}

TW_PLUGIN_SYMBOL const char plugin_version[];
TW_PLUGIN_SYMBOL const int plugin_want_major, plugin_want_minor;
TW_PLUGIN_SYMBOL void plugin_register(void);
TW_PLUGIN_DESCRIBE()

const char plugin_version[] = TRACEWIRE_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

void plugin_register(void)
{
	static const proto_plugin plugin = { register_protocol, register_handoff };

	proto_register_plugin(&plugin);
}
