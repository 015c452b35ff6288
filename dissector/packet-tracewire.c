/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Wireshark plugin: Tracewire frames as the protocol "trace".
 *
 * Design:
 *
 * Frames (wire/tracewire.h) contain kernel records, and the metadata to decode them. The fields of the protocol (header_fields.h) are
 * registered at start, which is cheap. The fields of events, trace.SYSTEM.EVENT.FIELD, are thousands and differ between kernels; they are
 * registered late (fields.h):
 *
 * - Wireshark checks filters, columns and -e before it opens a file, so names must exist before the first frame. For the first unknown name
 * that begins with "trace.", it calls tw_fields__register_known(), which registers the names of the built-in table, of the format texts
 * that the preference names, and of the user's cache. Sessions without such a name do not spend time on this.
 * - The fields of a format from a SCHEMA record are registered when an event with that format is first shown. The texts in SCHEMA records
 * determine how bytes are decoded; the built-in table and the preference only provide names. If the SCHEMA of a stream has not arrived,
 * texts of the cache decode its events: the schema id in the frames is a hash of the texts, and names the file of the cache.
 *
 * An event id is unique only within a stream and a schema id, so these are part of the key of each look-up (stream/stream.h). The state of
 * a capture is built in the first pass and freed when the capture is closed; only the names of fields are kept longer. Later passes and
 * random access in the GUI read this state, and add only texts of the cache and prepared formats. They also use metadata that arrived after
 * the frame that is shown.
 *
 * Frames that are needed to decode an event (its SCHEMA, HOST, CLOCK and OFFSET, its task's COMM, its SYMBOLs, printk_formats) are marked
 * as dependencies: Wireshark keeps them when displayed packets are exported.
 *
 * Speed: Wireshark itself needs 1-2 us for a packet, so the plugin makes only what is shown. Without tree and columns, only metadata and
 * sequence numbers are processed. For a filter on one field, only that field is added (tw_tree__wants()). The Info column is formatted
 * without printf. trace.any.FIELD is another name for an existing value, added only if a filter, a column or the tree needs it.
 *
 * Safety: frames are untrusted. Bytes are read only through wire/decode.h and schema/field.h. The limits of limits.h bound what a frame may
 * add to the tree, decompress and print, and how much of a capture is stored.
 */
#include "dissector/packet-tracewire.h"
#include "dissector/socket_timeline.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>

int proto_trace = -1;
static dissector_handle_t trace_handle;

struct tw_preferences tw_preferences = { .cache = TRUE, .any = TRUE, .formats = "" };

/* A truncated event that lacks a part of the common fields is dissected like a record that is no event. */
static bool is_event(const struct tw_tlv_view *tlv)
{
	return (tlv->type == TW_TLV_EVENT || tlv->type == TW_TLV_FILTERED) &&
	       sizeof(struct tw_tlv) + tlv->len >= tw_tlv__min(tlv->type);
}

static void dissect_one(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	if (is_event(tlv))
		tw_dissect__event(d, tlv);
	else
		tw_dissect__record(d, tlv);
}

/* If the PART completes a record, dissects this record. Its bytes are in a tvb of their own. */
static void dissect_part(struct tw_dissect *d, const struct tw_tlv_view *tlv)
{
	const struct tw_bytes saved = d->bytes;
	struct tw_reassembled whole;

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
	proto_item *item = tw_put_number(d, tree, hf_trace_frame_flags, at, 1, flags);

	if (item)
		bits = proto_item_add_subtree(item, ett_trace_flags);
	tw_put_number(d, bits, hf_trace_frame_flags_body_be, at, 1, flags);
	tw_put_number(d, bits, hf_trace_frame_flags_ptr_hashed, at, 1, flags);
	tw_put_number(d, bits, hf_trace_frame_flags_late, at, 1, flags);
}

static void put_header(struct tw_dissect *d)
{
	const struct tw_frame_info *frame = &d->frame;
	proto_tree *tree =
		tw_put_subtree(d, d->tree, ett_trace_frame, d->bytes.base, sizeof(struct tw_frame_hdr), "Frame");

#define PUT(hf, field, value)                                                                                       \
	tw_put_number(d, tree, hf, offsetof(struct tw_frame_hdr, field), sizeof(((struct tw_frame_hdr *)0)->field), \
		      value)
	PUT(hf_trace_version, version, TW_VERSION);
	put_flags(d, tree, offsetof(struct tw_frame_hdr, flags));
	PUT(hf_trace_length, length, frame->length);
	PUT(hf_trace_stream, stream_id, frame->stream_id);
	PUT(hf_trace_schema, schema_id, frame->schema_id);
	PUT(hf_trace_first_seq, seq, frame->seq);
	PUT(hf_trace_base_time, base_time, tw_dissect__ns(d, frame->base_time));
	PUT(hf_trace_channel, channel, frame->channel);
	PUT(hf_trace_source, source, frame->source);
	PUT(hf_trace_events, events, frame->events);
#undef PUT
}

static void check_sequence(struct tw_dissect *d)
{
	const struct tw_sequence_note *note;

	if (d->frame.source == TW_SOURCE_OUT_OF_BAND)
		return; /* such frames have no numbers */
	note = tw_dissect__sequence(d);
	if (!note)
		return;
	if (note->arrival != TW_STREAM_AFTER_GAP) {
		tw_dissect__expert(d, note->arrival == TW_STREAM_LATE ? &ei_trace_reordered : &ei_trace_duplicate,
				   NULL);
		return;
	}
	proto_item_set_generated(
		tw_put_number(d, d->tree, hf_trace_missing, offsetof(struct tw_frame_hdr, seq), 8, note->missing));
	expert_add_info_format(d->pinfo, d->item, &ei_trace_gap,
			       "%" PRIu64 " events of channel %u are missing before this frame: lost or filtered",
			       note->missing, d->frame.channel);
}

/* Dissects the record in which the captured bytes end. Of an event, shows the complete fields; of another record, header and bytes. */
static void dissect_cut(struct tw_dissect *d, const struct tw_cursor *rest)
{
	struct tw_tlv_view tlv;

	if (rest->left < sizeof(struct tw_tlv))
		return;
	if (!tw_cursor__cut_tlv(rest, d->missing, &tlv)) {
		tw_dissect__expert(d, &ei_trace_malformed, "A record has an impossible length");
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
		tw_dissect__expert(d, &ei_trace_malformed, "A record has an impossible length");
}

/*
 * Sets the column Source or Destination. The columns do not show MAC addresses, which say nothing about events: those of a veth pair are
 * made up. The fields eth.src and eth.dst still have them.
 */
static void set_address_text(address *ret, const char *text)
{
	set_address(ret, AT_STRINGZ, (int)strlen(text) + 1, text);
}

static const char *cpu_text(struct tw_dissect *d)
{
	char *text = wmem_alloc(d->pinfo->pool, 16);
	struct tw_line line = tw_shown__on(text, 16);

	tw_line__str(&line, "CPU ");
	tw_line__u64(&line, d->frame.cpu);
	return tw_shown__end(&line);
}

static const char *destination(struct tw_dissect *d)
{
	if (d->frame.cpu != TW_CPU_NONE)
		return cpu_text(d);
	return d->frame.source == TW_SOURCE_CONTROL ? "metadata" : "out of band";
}

/*
 * Return: the text of the Source column until the HOST of the stream arrives. For a frame with one event, this is the task of the event. If
 * the frame has several events, or the name of the task is unknown, it is the CPU. For a frame that belongs to no CPU, it is the stream id.
 */
static const char *source_without_host(struct tw_dissect *d)
{
	if (d->task)
		return d->task;
	if (d->frame.cpu != TW_CPU_NONE)
		return cpu_text(d);
	return wmem_strdup_printf(d->pinfo->pool, "stream-%016" PRIx64, d->frame.stream_id);
}

/* Over UDP, the Source column has the sender's IP address until the name of the host is known. */
static void set_addresses(struct tw_dissect *d)
{
	packet_info *pinfo = d->pinfo;
	const bool has_ip = pinfo->src.type == AT_IPv4 || pinfo->src.type == AT_IPv6;

	if (d->stream && *d->stream->identity.host)
		set_address_text(&pinfo->src, d->stream->identity.host);
	else if (!has_ip)
		set_address_text(&pinfo->src, source_without_host(d));
	set_address_text(&pinfo->dst, destination(d));
}

static void show_columns(struct tw_dissect *d)
{
	packet_info *pinfo = d->pinfo;

	set_addresses(d);
	if (!d->wants_info)
		return;
	tw_metadata_info__append(&d->metadata, &d->info);
	/* The text lives as long as the columns, so col_set_str() is used, which does not copy the text as col_add_str() would. */
	col_set_str(pinfo->cinfo, COL_INFO, tw_shown__end(&d->info));
}

/* Sets the plugin's line in the details. For a frame with one event, event.c sets this line. */
static void show_title(struct tw_dissect *d)
{
	if (!tw_tree__is_shown(d->tree))
		return;
	if (d->frame.source == TW_SOURCE_CONTROL)
		proto_item_set_text(d->item, "Kernel trace metadata");
	else if (d->frame.source == TW_SOURCE_OUT_OF_BAND)
		proto_item_set_text(d->item, "Kernel trace, frame without events");
	else if (d->frame.events > 1)
		proto_item_set_text(d->item, "Kernel trace events: %u of CPU %u", d->frame.events, d->frame.cpu);
}

/*
 * The capturing program stored only the beginning of the packet, as with `dumpcap -s`. This is not an error. Wireshark's usual text for
 * such packets is appended to the Info column, and the filter _ws.short finds them.
 */
static void show_cut(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item)
{
	expert_add_info(pinfo, item, &ei_trace_cut);
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
	expert_add_info(pinfo, item, unknown ? &ei_trace_unknown_version : &ei_trace_malformed);
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
	tw_socket_stamps__begin_frame();
	tw_dissect__find_stream(d);
	if (tree) {
		d->item = proto_tree_add_item(tree, proto_trace, tvb, 0, d->frame.length, ENC_NA);
		d->tree = proto_item_add_subtree(d->item, ett_trace);
	}
}

static int dissect_trace(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
	const uint32_t captured = tvb_captured_length(tvb), reported = tvb_reported_length(tvb);
	struct tw_dissect d;
	struct tw_cursor tlvs;
	enum tw_frame_status status;

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
		tw_dissect__expert(&d, &ei_trace_truncated, NULL);
	if (captured < reported && captured < d.frame.length)
		d.missing = d.frame.length - captured;
	dissect_tlvs(&d, &tlvs);
	show_columns(&d);
	show_title(&d);
	if (d.missing)
		show_cut(tvb, pinfo, tree, d.item);
	return (int)captured;
}

static tw_ws_bool dissect_trace_heur(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	return dissect_trace(tvb, pinfo, tree, data) != 0;
}

static void register_preferences(void)
{
	module_t *module = prefs_register_protocol(proto_trace, NULL);

	prefs_register_filename_preference(
		module, "formats", "Format texts",
		"File or directory with format texts. The names of their events and fields can be used in filters "
		"before a capture is opened. Give a copy of the events directory of tracefs, or one file with all "
		"texts, each after a line \"system: NAME\"",
		&tw_preferences.formats, FALSE);
	prefs_register_bool_preference(module, "cache", "Remember schemas",
				       "Store the format texts of captures in the user's cache directory, and use them",
				       &tw_preferences.cache);
	prefs_register_bool_preference(module, "any", "Fields of any event as trace.any.FIELD",
				       "Let filters use the name of a field for all events that have it",
				       &tw_preferences.any);
}

static void proto_register_trace(void)
{
	proto_trace = proto_register_protocol("Kernel trace events (Tracewire)", "TRACE", "trace");
	tw_header_fields__register(proto_trace);
	tw_fields__init();
	proto_register_prefix("trace", tw_fields__register_known);
	register_preferences();
	tw_dissect__register_capture();
	tw_dissect__register_parts();
	tw_socket_timeline__register();
	trace_handle = register_dissector("trace", dissect_trace, proto_trace);
}

static void proto_reg_handoff_trace(void)
{
	dissector_add_uint("ethertype", TW_ETHERTYPE, trace_handle);
	dissector_add_uint_with_preference("udp.port", TW_UDP_PORT, trace_handle);
	heur_dissector_add("udp", dissect_trace_heur, "Tracewire over UDP", "trace_udp", proto_trace, HEURISTIC_ENABLE);
	tw_socket_timeline__handoff();
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
	static const proto_plugin plugin = { proto_register_trace, proto_reg_handoff_trace };

	proto_register_plugin(&plugin);
}
