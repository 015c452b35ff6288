/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/header_fields.h"

int hf_trace_event = -1;
int hf_trace_system = -1;
int hf_trace_text = -1;
int hf_trace_symbol = -1;
int hf_trace_pid = -1;
int hf_trace_comm = -1;
int hf_trace_cpu = -1;
int hf_trace_host = -1;
int hf_trace_time = -1;
int hf_trace_time_epoch = -1;
int hf_trace_time_error = -1;
int hf_trace_time_earliest = -1;
int hf_trace_time_latest = -1;
int hf_trace_order = -1;
int hf_trace_seq = -1;
int hf_trace_event_id = -1;
int hf_trace_flags = -1;
int hf_trace_common_preempt_count = -1;
int hf_trace_record = -1;
int hf_trace_filtered = -1;
int hf_trace_version = -1;
int hf_trace_frame_flags = -1;
int hf_trace_frame_flags_body_be = -1;
int hf_trace_frame_flags_ptr_hashed = -1;
int hf_trace_frame_flags_late = -1;
int hf_trace_length = -1;
int hf_trace_stream = -1;
int hf_trace_schema = -1;
int hf_trace_first_seq = -1;
int hf_trace_base_time = -1;
int hf_trace_channel = -1;
int hf_trace_source = -1;
int hf_trace_events = -1;
int hf_trace_missing = -1;
int hf_trace_tlv = -1;
int hf_trace_tlv_length = -1;
int hf_trace_tlv_value = -1;
int hf_trace_part_type = -1;
int hf_trace_part_id = -1;
int hf_trace_part_total = -1;
int hf_trace_part_offset = -1;
int hf_trace_part_bytes = -1;
int hf_trace_parts = -1;
int hf_trace_parts_part = -1;
int hf_trace_parts_overlap = -1;
int hf_trace_parts_overlap_conflict = -1;
int hf_trace_parts_multiple_tails = -1;
int hf_trace_parts_too_long = -1;
int hf_trace_parts_error = -1;
int hf_trace_parts_count = -1;
int hf_trace_parts_in = -1;
int hf_trace_parts_length = -1;
int hf_trace_parts_data = -1;
int hf_trace_lost_count = -1;
int hf_trace_lost_unknown = -1;
int hf_trace_lost_where = -1;
int hf_trace_lost_time = -1;
int hf_trace_watermark_time = -1;
int hf_trace_watermark_channel = -1;
int hf_trace_watermark_next_seq = -1;
int hf_trace_schema_kind = -1;
int hf_trace_schema_encoding = -1;
int hf_trace_schema_event_id = -1;
int hf_trace_schema_raw_length = -1;
int hf_trace_schema_index = -1;
int hf_trace_schema_total = -1;
int hf_trace_schema_system = -1;
int hf_trace_schema_text = -1;
int hf_trace_clock_valid = -1;
int hf_trace_clock_error = -1;
int hf_trace_clock_sync = -1;
int hf_trace_clock_tai_offset = -1;
int hf_trace_clock_leap = -1;
int hf_trace_phc_index = -1;
int hf_trace_phc_method = -1;
int hf_trace_phc_error = -1;
int hf_trace_phc_sync = -1;
int hf_trace_phc_time = -1;
int hf_trace_phc_trace = -1;
int hf_trace_exchange_id = -1;
int hf_trace_exchange_asked = -1;
int hf_trace_exchange_received = -1;
int hf_trace_exchange_answered = -1;
int hf_trace_exchange_received_by = -1;
int hf_trace_exchange_answered_by = -1;
int hf_trace_exchange_sent_by = -1;
int hf_trace_exchange_previous = -1;
int hf_trace_exchange_sent = -1;
int hf_trace_want_what = -1;
int hf_trace_refused_why = -1;
int hf_trace_offset_kind = -1;
int hf_trace_offset_method = -1;
int hf_trace_offset_time = -1;
int hf_trace_offset_offset = -1;
int hf_trace_offset_step = -1;
int hf_trace_offset_error = -1;
int hf_trace_offset_drift = -1;
int hf_trace_offset_asked_by = -1;
int hf_trace_offset_received_by = -1;
int hf_trace_offset_answered_by = -1;
int hf_trace_offset_arrived_by = -1;
int hf_trace_comm_origin = -1;
int hf_trace_comm_time = -1;
int hf_trace_comm_pid = -1;
int hf_trace_comm_tgid = -1;
int hf_trace_comm_name = -1;
int hf_trace_symbol_address = -1;
int hf_trace_symbol_size = -1;
int hf_trace_symbol_name = -1;
int hf_trace_stats_channel = -1;
int hf_trace_stats_id = -1;
int hf_trace_stats_value = -1;
int hf_trace_auth_algorithm = -1;
int hf_trace_auth_key_id = -1;
int hf_trace_auth_tag = -1;
int hf_trace_host_attr[TW_HOST_ATTRS], hf_trace_clock_reading[TW_CLOCK_READINGS], hf_trace_stat[TW_STATS];

int ett_trace = -1;
int ett_trace_frame = -1;
int ett_trace_flags = -1;
int ett_trace_record = -1;
int ett_trace_parts = -1;

expert_field ei_trace_gap = EI_INIT;
expert_field ei_trace_reordered = EI_INIT;
expert_field ei_trace_duplicate = EI_INIT;
expert_field ei_trace_lost = EI_INIT;
expert_field ei_trace_step = EI_INIT;
expert_field ei_trace_suspend = EI_INIT;
expert_field ei_trace_leap = EI_INIT;
expert_field ei_trace_tai = EI_INIT;
expert_field ei_trace_malformed = EI_INIT;
expert_field ei_trace_bad_schema = EI_INIT;
expert_field ei_trace_bad_field = EI_INIT;
expert_field ei_trace_truncated = EI_INIT;
expert_field ei_trace_cut = EI_INIT;
expert_field ei_trace_unknown_version = EI_INIT;
expert_field ei_trace_no_schema = EI_INIT;
expert_field ei_trace_no_print = EI_INIT;
expert_field ei_trace_limit = EI_INIT;

/* Entries of a value_string, from the lists in wire/tracewire.h. */
#define NAME_OF(num, name, ...)          { num, #name },
#define TEXT_OF(num, name, text, ...)    { num, text },
#define MEANING_OF(num, name, key, what) { num, what },
#define VALUE_STRINGS_END                { 0, NULL },

static const value_string tw_tlv_names[] = { TW_TLV_LIST(NAME_OF) VALUE_STRINGS_END };

static const value_string tw_source_names[] = {
	{ TW_SOURCE_CONTROL, "control" },
	{ TW_SOURCE_FTRACE, "trace ring" },
	{ TW_SOURCE_BPF, "BPF ring" },
	{ TW_SOURCE_OUT_OF_BAND, "out of band" },
	{ 0, NULL },
};

const value_string tw_lost_names[] = { TW_LOST_LIST(TEXT_OF) VALUE_STRINGS_END };

const value_string tw_schema_kind_names[] = {
	{ TW_SCHEMA_EVENT, "event" },
	{ TW_SCHEMA_HEADER_PAGE, "header_page" },
	{ TW_SCHEMA_HEADER_EVENT, "header_event" },
	{ TW_SCHEMA_PRINTK, "printk_formats" },
	{ TW_SCHEMA_GROUP, "group of texts" },
	{ 0, NULL },
};

static const value_string tw_encoding_names[] = {
	{ TW_ENCODING_PLAIN, "plain" },
	{ TW_ENCODING_ZSTD, "zstd" },
	{ 0, NULL },
};

static const value_string tw_comm_names[] = {
	{ TW_COMM_SAVED, "saved_cmdlines" },
	{ TW_COMM_PROC, "/proc" },
	{ TW_COMM_EXEC, "exec" },
	{ TW_COMM_FORK, "fork" },
	{ TW_COMM_RENAME, "rename" },
	{ 0, NULL },
};

static const value_string tw_stat_names[] = { TW_STAT_LIST(MEANING_OF) VALUE_STRINGS_END };

static const value_string tw_offset_kind_names[] = { TW_OFFSET_KIND_LIST(TEXT_OF) VALUE_STRINGS_END };

const value_string tw_leap_names[] = { TW_LEAP_LIST(MEANING_OF) VALUE_STRINGS_END };

static const value_string tw_phc_method_names[] = { TW_PHC_METHOD_LIST(TEXT_OF) VALUE_STRINGS_END };

const value_string tw_offset_method_names[] = { TW_OFFSET_METHOD_LIST(TEXT_OF) VALUE_STRINGS_END };

static const value_string tw_stamp_names[] = { TW_STAMP_LIST(TEXT_OF) VALUE_STRINGS_END };

const value_string tw_metadata_request_names[] = { TW_METADATA_REQUEST_LIST(MEANING_OF) VALUE_STRINGS_END };

const value_string tw_refused_names[] = { TW_REFUSED_LIST(MEANING_OF) VALUE_STRINGS_END };

static hf_register_info hf[] = {
	{ &hf_trace_event, { "Event", "trace.event", FT_STRING, BASE_NONE, NULL, 0, "Name of the event", HFILL } },
	{ &hf_trace_system, { "System", "trace.system", FT_STRING, BASE_NONE, NULL, 0, "System of the event", HFILL } },
	{ &hf_trace_text,
	  { "Text", "trace.text", FT_STRING, BASE_NONE, NULL, 0, "Text of the event, as printed by the kernel",
	    HFILL } },
	{ &hf_trace_symbol,
	  { "Symbol", "trace.symbol", FT_STRING, BASE_NONE, NULL, 0, "Function that contains an address of the event",
	    HFILL } },
	{ &hf_trace_pid,
	  { "PID", "trace.pid", FT_INT32, BASE_DEC, NULL, 0, "Task that was running on the CPU", HFILL } },
	{ &hf_trace_comm,
	  { "Task", "trace.comm", FT_STRING, BASE_NONE, NULL, 0, "Name of the task at the event's time", HFILL } },
	{ &hf_trace_cpu, { "CPU", "trace.cpu", FT_UINT16, BASE_DEC, NULL, 0, "CPU that recorded the event", HFILL } },
	{ &hf_trace_host,
	  { "Host", "trace.host", FT_STRING, BASE_NONE, NULL, 0, "Host that recorded the event", HFILL } },
	{ &hf_trace_time,
	  { "Time", "trace.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "Time of the event in the stream's clock",
	    HFILL } },
	{ &hf_trace_time_epoch,
	  { "Event time", "trace.time_epoch", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_LOCAL, NULL, 0,
	    "Date and time of the event, by the wall clock of its machine at the first CLOCK of the stream", HFILL } },
	{ &hf_trace_time_error,
	  { "Time error", "trace.time_error", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Largest difference between the packet's time and the reference clock", HFILL } },
	{ &hf_trace_time_earliest,
	  { "Earliest time", "trace.time_earliest", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_LOCAL, NULL, 0,
	    "Earliest possible time of the event by the reference clock: the packet's time minus its error bound",
	    HFILL } },
	{ &hf_trace_time_latest,
	  { "Latest time", "trace.time_latest", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_LOCAL, NULL, 0,
	    "Latest possible time of the event by the reference clock: the packet's time plus its error bound",
	    HFILL } },
	{ &hf_trace_order,
	  { "Order", "trace.order", FT_STRING, BASE_NONE, NULL, 0,
	    "Whether the order of this packet relative to the previous packet of another stream is certain", HFILL } },
	{ &hf_trace_seq,
	  { "Sequence number", "trace.seq", FT_UINT64, BASE_DEC, NULL, 0, "Number of the event in its channel",
	    HFILL } },
	{ &hf_trace_event_id,
	  { "Event id", "trace.event_id", FT_UINT16, BASE_DEC, NULL, 0, "Id of the event, unique within the schema",
	    HFILL } },
	{ &hf_trace_flags,
	  { "Flags", "trace.flags", FT_UINT8, BASE_HEX, NULL, 0, "The kernel's common_flags", HFILL } },
	{ &hf_trace_common_preempt_count,
	  { "Preempt count", "trace.common_preempt_count", FT_UINT8, BASE_DEC, NULL, 0,
	    "The kernel's common_preempt_count", HFILL } },
	{ &hf_trace_record,
	  { "Record", "trace.record", FT_BYTES, BASE_NONE, NULL, 0, "A record that could not be decoded", HFILL } },
	{ &hf_trace_filtered,
	  { "Filtered", "trace.filtered", FT_BOOLEAN, BASE_NONE, NULL, 0, "Rejected by a classifier on the path",
	    HFILL } },
	{ &hf_trace_version,
	  { "Version", "trace.version", FT_UINT8, BASE_DEC, NULL, 0, "Version of the wire format", HFILL } },
	{ &hf_trace_frame_flags,
	  { "Flags of the frame", "trace.frame_flags", FT_UINT8, BASE_HEX, NULL, 0, "Properties of the whole frame",
	    HFILL } },
	{ &hf_trace_frame_flags_body_be,
	  { "Big-endian bodies", "trace.frame_flags.body_be", FT_BOOLEAN, 8, NULL, TW_FLAG_BODY_BE,
	    "Event bodies are big-endian", HFILL } },
	{ &hf_trace_frame_flags_ptr_hashed,
	  { "Hashed pointers", "trace.frame_flags.ptr_hashed", FT_BOOLEAN, 8, NULL, TW_FLAG_PTR_HASHED,
	    "Pointers are hashed with a key for each stream", HFILL } },
	{ &hf_trace_frame_flags_late,
	  { "Late", "trace.frame_flags.late", FT_BOOLEAN, 8, NULL, TW_FLAG_LATE,
	    "The frame may have events older than an earlier watermark", HFILL } },
	{ &hf_trace_length,
	  { "Length", "trace.length", FT_UINT16, BASE_DEC, NULL, 0, "Length of the frame, bytes", HFILL } },
	{ &hf_trace_stream,
	  { "Stream", "trace.stream", FT_UINT64, BASE_HEX, NULL, 0, "Random number of the producer's run", HFILL } },
	{ &hf_trace_schema,
	  { "Schema", "trace.schema", FT_UINT64, BASE_HEX, NULL, 0, "The schema to which the event ids refer",
	    HFILL } },
	{ &hf_trace_first_seq,
	  { "First sequence number", "trace.first_seq", FT_UINT64, BASE_DEC, NULL, 0,
	    "Number of the first event of the frame in its channel", HFILL } },
	{ &hf_trace_base_time,
	  { "Base time", "trace.base_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Time to which the records' times are relative", HFILL } },
	{ &hf_trace_channel,
	  { "Channel", "trace.channel", FT_UINT16, BASE_DEC, NULL, 0, "One ordered sequence of events", HFILL } },
	{ &hf_trace_source,
	  { "Source", "trace.source", FT_UINT8, BASE_DEC, VALS(tw_source_names), 0, "Kind of the channel", HFILL } },
	{ &hf_trace_events,
	  { "Events", "trace.events", FT_UINT16, BASE_DEC, NULL, 0, "Quantity of numbers that the frame uses",
	    HFILL } },
	{ &hf_trace_missing,
	  { "Missing before", "trace.missing", FT_UINT64, BASE_DEC, NULL, 0,
	    "Quantity of numbers of the channel that are missing before this frame", HFILL } },
	{ &hf_trace_tlv,
	  { "Record type", "trace.tlv", FT_UINT16, BASE_DEC, VALS(tw_tlv_names), 0, "Type of the record", HFILL } },
	{ &hf_trace_tlv_length,
	  { "Record length", "trace.tlv.length", FT_UINT16, BASE_DEC, NULL, 0, "Bytes, including the record's header",
	    HFILL } },
	{ &hf_trace_tlv_value,
	  { "Value", "trace.tlv.value", FT_BYTES, BASE_NONE, NULL, 0, "A value of unknown meaning", HFILL } },
	{ &hf_trace_part_type,
	  { "Part of", "trace.part.type", FT_UINT16, BASE_DEC, VALS(tw_tlv_names), 0, "Type of the whole record",
	    HFILL } },
	{ &hf_trace_part_id,
	  { "Id", "trace.part.id", FT_UINT32, BASE_DEC, NULL, 0, "Identifies the whole record in its channel",
	    HFILL } },
	{ &hf_trace_part_total,
	  { "Total", "trace.part.total", FT_UINT32, BASE_DEC, NULL, 0, "Length of the whole value, bytes", HFILL } },
	{ &hf_trace_part_offset,
	  { "Offset", "trace.part.offset", FT_UINT32, BASE_DEC, NULL, 0,
	    "Offset of this piece in the whole value, bytes", HFILL } },
	{ &hf_trace_part_bytes, { "Piece", "trace.part.bytes", FT_BYTES, BASE_NONE, NULL, 0, "This piece", HFILL } },
	{ &hf_trace_parts,
	  { "Pieces", "trace.parts", FT_NONE, BASE_NONE, NULL, 0, "The pieces of this record", HFILL } },
	{ &hf_trace_parts_part,
	  { "Piece", "trace.parts.part", FT_FRAMENUM, BASE_NONE, NULL, 0, "One piece of this record", HFILL } },
	{ &hf_trace_parts_overlap,
	  { "Overlap", "trace.parts.overlap", FT_BOOLEAN, BASE_NONE, NULL, 0, "The piece overlaps another piece",
	    HFILL } },
	{ &hf_trace_parts_overlap_conflict,
	  { "Conflicting overlap", "trace.parts.overlap.conflict", FT_BOOLEAN, BASE_NONE, NULL, 0,
	    "The piece overlaps another piece that has different bytes", HFILL } },
	{ &hf_trace_parts_multiple_tails,
	  { "Several ends", "trace.parts.multiple_tails", FT_BOOLEAN, BASE_NONE, NULL, 0,
	    "The record has several last pieces", HFILL } },
	{ &hf_trace_parts_too_long,
	  { "Piece too long", "trace.parts.too_long", FT_BOOLEAN, BASE_NONE, NULL, 0,
	    "The piece extends beyond the end of the record", HFILL } },
	{ &hf_trace_parts_error,
	  { "Reassembly error", "trace.parts.error", FT_FRAMENUM, BASE_NONE, NULL, 0,
	    "The record could not be reassembled", HFILL } },
	{ &hf_trace_parts_count,
	  { "Pieces", "trace.parts.count", FT_UINT32, BASE_DEC, NULL, 0, "Number of pieces", HFILL } },
	{ &hf_trace_parts_in,
	  { "Whole in frame", "trace.parts.in", FT_FRAMENUM, BASE_NONE, NULL, 0, "Frame with the last piece", HFILL } },
	{ &hf_trace_parts_length,
	  { "Whole length", "trace.parts.length", FT_UINT32, BASE_DEC, NULL, 0, "Bytes of the reassembled record",
	    HFILL } },
	{ &hf_trace_parts_data,
	  { "Whole", "trace.parts.data", FT_BYTES, BASE_NONE, NULL, 0, "All pieces together", HFILL } },
	{ &hf_trace_lost_count, { "Lost", "trace.lost.count", FT_UINT64, BASE_DEC, NULL, 0, "Events lost", HFILL } },
	{ &hf_trace_lost_unknown,
	  { "Count unknown", "trace.lost.unknown", FT_BOOLEAN, BASE_NONE, NULL, 0, "The exact number is unknown",
	    HFILL } },
	{ &hf_trace_lost_where,
	  { "Where", "trace.lost.where", FT_UINT16, BASE_DEC, VALS(tw_lost_names), 0, "Where the events were lost",
	    HFILL } },
	{ &hf_trace_lost_time,
	  { "Time", "trace.lost.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "Time of the first event after the loss",
	    HFILL } },
	{ &hf_trace_watermark_time,
	  { "Nothing older than", "trace.watermark.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "No event older than this follows on the listed channels", HFILL } },
	{ &hf_trace_watermark_channel,
	  { "Channel", "trace.watermark.channel", FT_UINT16, BASE_DEC, NULL, 0, "Channel of the watermark", HFILL } },
	{ &hf_trace_watermark_next_seq,
	  { "Next sequence number", "trace.watermark.next_seq", FT_UINT64, BASE_DEC, NULL, 0,
	    "Sequence number of the channel's next event", HFILL } },
	{ &hf_trace_schema_kind,
	  { "Kind", "trace.schema.kind", FT_UINT8, BASE_DEC, VALS(tw_schema_kind_names), 0, "What the text describes",
	    HFILL } },
	{ &hf_trace_schema_encoding,
	  { "Encoding", "trace.schema.encoding", FT_UINT8, BASE_DEC, VALS(tw_encoding_names), 0, "Encoding of the text",
	    HFILL } },
	{ &hf_trace_schema_event_id,
	  { "Event id", "trace.schema.event_id", FT_UINT16, BASE_DEC, NULL, 0, "Event id of the text", HFILL } },
	{ &hf_trace_schema_raw_length,
	  { "Length unpacked", "trace.schema.raw_length", FT_UINT32, BASE_DEC, NULL, 0, "Bytes after decompression",
	    HFILL } },
	{ &hf_trace_schema_index,
	  { "Index", "trace.schema.index", FT_UINT32, BASE_DEC, NULL, 0, "Index of this text in the schema", HFILL } },
	{ &hf_trace_schema_total,
	  { "Texts", "trace.schema.total", FT_UINT32, BASE_DEC, NULL, 0, "Number of texts in the schema", HFILL } },
	{ &hf_trace_schema_system,
	  { "System", "trace.schema.system", FT_STRING, BASE_NONE, NULL, 0, "System of the event", HFILL } },
	{ &hf_trace_schema_text,
	  { "Text", "trace.schema.text", FT_STRING, BASE_NONE, NULL, 0, "The text as in tracefs", HFILL } },
	{ &hf_trace_clock_valid,
	  { "Valid", "trace.clock.valid", FT_UINT32, BASE_HEX, NULL, 0, "Bit mask of the valid readings", HFILL } },
	{ &hf_trace_clock_error,
	  { "Error bound", "trace.clock.error", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Longest time between two of the readings", HFILL } },
	{ &hf_trace_clock_sync,
	  { "Synchronised within", "trace.clock.sync", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Error bound of the wall clock and of TAI against the source that the machine is synchronised to",
	    HFILL } },
	{ &hf_trace_clock_tai_offset,
	  { "TAI offset", "trace.clock.tai_offset", FT_INT32, BASE_DEC, NULL, 0,
	    "The kernel's TAI - UTC, s; 0 = no program has set it", HFILL } },
	{ &hf_trace_clock_leap,
	  { "Leap second", "trace.clock.leap", FT_UINT16, BASE_DEC, VALS(tw_leap_names), 0,
	    "The kernel's plan for the end of the UTC day", HFILL } },
	{ &hf_trace_phc_index,
	  { "Index", "trace.clock.phc.index", FT_UINT16, BASE_DEC, NULL, 0, "N of /dev/ptpN", HFILL } },
	{ &hf_trace_phc_method,
	  { "Read by", "trace.clock.phc.method", FT_UINT8, BASE_DEC, VALS(tw_phc_method_names), 0,
	    "How the PTP hardware clock was read", HFILL } },
	{ &hf_trace_phc_error,
	  { "Error bound", "trace.clock.phc.error", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Largest distance between the instants of the two readings", HFILL } },
	{ &hf_trace_phc_sync,
	  { "Synchronised within", "trace.clock.phc.sync", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Largest distance of the PTP hardware clock from the grandmaster that ptp4l follows", HFILL } },
	{ &hf_trace_phc_time,
	  { "Time", "trace.clock.phc.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "Reading of the PTP hardware clock",
	    HFILL } },
	{ &hf_trace_phc_trace,
	  { "Trace clock", "trace.clock.phc.trace", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Reading of the stream's clock at the same instant", HFILL } },
	{ &hf_trace_exchange_id,
	  { "Id", "trace.time_sync.id", FT_UINT32, BASE_DEC, NULL, 0, "Number of the request, chosen by the receiver",
	    HFILL } },
	{ &hf_trace_exchange_asked,
	  { "Asked", "trace.time_sync.asked", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "When the request was sent, by the receiver's clock", HFILL } },
	{ &hf_trace_exchange_received,
	  { "Received", "trace.time_sync.received", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "When the request arrived, by the stream's clock", HFILL } },
	{ &hf_trace_exchange_answered,
	  { "Answered", "trace.time_sync.answered", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "When the response was sent, by the stream's clock", HFILL } },
	{ &hf_trace_exchange_received_by,
	  { "Received by", "trace.time_sync.received_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the request arrived", HFILL } },
	{ &hf_trace_exchange_answered_by,
	  { "Answered by", "trace.time_sync.answered_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the response was sent", HFILL } },
	{ &hf_trace_exchange_sent_by,
	  { "Sent by", "trace.time_sync.sent_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the previous response was sent", HFILL } },
	{ &hf_trace_exchange_previous,
	  { "Previous", "trace.time_sync.previous", FT_UINT32, BASE_DEC, NULL, 0,
	    "Number of the request to which the previous response belongs", HFILL } },
	{ &hf_trace_exchange_sent,
	  { "Sent", "trace.time_sync.sent", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "When the previous response was sent, by the stream's clock", HFILL } },
	{ &hf_trace_want_what,
	  { "What", "trace.metadata_request.what", FT_UINT16, BASE_DEC, VALS(tw_metadata_request_names), 0,
	    "The requested metadata", HFILL } },
	{ &hf_trace_refused_why,
	  { "Why", "trace.refused.why", FT_UINT16, BASE_DEC, VALS(tw_refused_names), 0,
	    "Why the receiver refuses the stream", HFILL } },
	{ &hf_trace_offset_kind,
	  { "Kind", "trace.offset.kind", FT_UINT16, BASE_DEC, VALS(tw_offset_kind_names), 0, "What happened", HFILL } },
	{ &hf_trace_offset_method,
	  { "Known by", "trace.offset.method", FT_UINT16, BASE_DEC, VALS(tw_offset_method_names), 0,
	    "What the error bound is based on", HFILL } },
	{ &hf_trace_offset_time,
	  { "From", "trace.offset.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Time of the stream's clock from which on the offset is valid", HFILL } },
	{ &hf_trace_offset_offset,
	  { "Offset", "trace.offset.offset", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Packet time minus the stream's clock", HFILL } },
	{ &hf_trace_offset_step,
	  { "Step", "trace.offset.step", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Step of the wall clock, change of the TAI offset, or duration of the suspend", HFILL } },
	{ &hf_trace_offset_error,
	  { "Error bound", "trace.offset.error", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
	    "Largest difference between packet times and the reference clock", HFILL } },
	{ &hf_trace_offset_drift,
	  { "Drift", "trace.offset.drift", FT_INT32, BASE_DEC, NULL, 0,
	    "Drift of the stream's clock against the capture host's clock, ns per s", HFILL } },
	{ &hf_trace_offset_asked_by,
	  { "Asked by", "trace.offset.asked_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the newest request was sent", HFILL } },
	{ &hf_trace_offset_received_by,
	  { "Received by", "trace.offset.received_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the newest request arrived", HFILL } },
	{ &hf_trace_offset_answered_by,
	  { "Answered by", "trace.offset.answered_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the newest response was sent", HFILL } },
	{ &hf_trace_offset_arrived_by,
	  { "Arrived by", "trace.offset.arrived_by", FT_UINT8, BASE_DEC, VALS(tw_stamp_names), 0,
	    "Source of the time at which the newest response arrived", HFILL } },
	{ &hf_trace_comm_origin,
	  { "Origin", "trace.comm.origin", FT_UINT8, BASE_DEC, VALS(tw_comm_names), 0, "Source of the name", HFILL } },
	{ &hf_trace_comm_time,
	  { "From", "trace.comm.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "The name is valid from this time on",
	    HFILL } },
	{ &hf_trace_comm_pid,
	  { "PID", "trace.comm.pid", FT_INT32, BASE_DEC, NULL, 0, "Thread id of the task", HFILL } },
	{ &hf_trace_comm_tgid,
	  { "Process", "trace.comm.tgid", FT_INT32, BASE_DEC, NULL, 0, "Process of the task; 0 = unknown", HFILL } },
	{ &hf_trace_comm_name,
	  { "Name", "trace.comm.name", FT_STRING, BASE_NONE, NULL, 0, "Name of the task from this time on", HFILL } },
	{ &hf_trace_symbol_address,
	  { "Address", "trace.symbol.address", FT_UINT64, BASE_HEX, NULL, 0, "Address in the kernel", HFILL } },
	{ &hf_trace_symbol_size,
	  { "Size", "trace.symbol.size", FT_UINT32, BASE_DEC, NULL, 0,
	    "Size of the function or variable, bytes; 0 = unknown", HFILL } },
	{ &hf_trace_symbol_name,
	  { "Name", "trace.symbol.name", FT_STRING, BASE_NONE, NULL, 0, "Name of the function or variable", HFILL } },
	{ &hf_trace_stats_channel,
	  { "Channel", "trace.stats.channel", FT_UINT16, BASE_DEC, NULL, 0, "Channel of the counter; 0 = whole stream",
	    HFILL } },
	{ &hf_trace_stats_id,
	  { "Counter", "trace.stats.id", FT_UINT16, BASE_DEC, VALS(tw_stat_names), 0, "Meaning of the counter",
	    HFILL } },
	{ &hf_trace_stats_value,
	  { "Value", "trace.stats.value", FT_UINT64, BASE_DEC, NULL, 0, "Total since the stream's start", HFILL } },
	{ &hf_trace_auth_algorithm,
	  { "Algorithm", "trace.auth.algorithm", FT_UINT16, BASE_DEC, NULL, 0, "None is assigned in version 1",
	    HFILL } },
	{ &hf_trace_auth_key_id,
	  { "Key id", "trace.auth.key_id", FT_UINT16, BASE_DEC, NULL, 0, "Id of the key", HFILL } },
	{ &hf_trace_auth_tag,
	  { "Tag", "trace.auth.tag", FT_BYTES, BASE_NONE, NULL, 0, "Authenticates all bytes before AUTH", HFILL } },
#define TYPE_text   FT_STRING, BASE_NONE
#define TYPE_number FT_UINT64, BASE_DEC
#define X(num, name, type, key, what) \
	{ &hf_trace_host_attr[num], { what, "trace.host." key, TYPE_##type, NULL, 0, NULL, HFILL } },
	TW_HOST_LIST(X)
#undef X
#define X(bit, name, field, what)       \
	{ &hf_trace_clock_reading[bit], \
	  { what, "trace.clock." #field, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, NULL, HFILL } },
		TW_CLOCK_LIST(X)
#undef X
#define X(num, name, key, what) \
	{ &hf_trace_stat[num], { what, "trace.stats." key, FT_UINT64, BASE_DEC, NULL, 0, NULL, HFILL } },
			TW_STAT_LIST(X)
#undef X
};

static int *ett[] = { &ett_trace, &ett_trace_frame, &ett_trace_flags, &ett_trace_record, &ett_trace_parts };

static ei_register_info ei[] = {
	{ &ei_trace_gap, { "trace.expert.gap", PI_SEQUENCE, PI_WARN, "Events of this channel are missing", EXPFILL } },
	{ &ei_trace_reordered, { "trace.expert.reordered", PI_SEQUENCE, PI_NOTE, "Frame out of order", EXPFILL } },
	{ &ei_trace_duplicate, { "trace.expert.duplicate", PI_SEQUENCE, PI_NOTE, "Duplicate frame", EXPFILL } },
	{ &ei_trace_lost, { "trace.expert.lost", PI_SEQUENCE, PI_WARN, "Events were lost", EXPFILL } },
	{ &ei_trace_step, { "trace.expert.step", PI_SEQUENCE, PI_NOTE, "The producer's wall clock was set", EXPFILL } },
	{ &ei_trace_suspend,
	  { "trace.expert.suspend", PI_SEQUENCE, PI_NOTE, "The producer's machine was suspended", EXPFILL } },
	{ &ei_trace_leap,
	  { "trace.expert.leap", PI_SEQUENCE, PI_NOTE, "The producer's wall clock had a leap second", EXPFILL } },
	{ &ei_trace_tai,
	  { "trace.expert.tai", PI_SEQUENCE, PI_NOTE, "The producer's TAI offset was changed", EXPFILL } },
	{ &ei_trace_malformed, { "trace.expert.malformed", PI_MALFORMED, PI_ERROR, "Malformed record", EXPFILL } },
	{ &ei_trace_bad_schema, { "trace.expert.bad_schema", PI_MALFORMED, PI_ERROR, "Invalid format text", EXPFILL } },
	{ &ei_trace_bad_field,
	  { "trace.expert.bad_field", PI_MALFORMED, PI_ERROR, "Field lies outside the record", EXPFILL } },
	{ &ei_trace_truncated, { "trace.expert.truncated", PI_UNDECODED, PI_WARN, "Frame is truncated", EXPFILL } },
	{ &ei_trace_cut,
	  { "trace.expert.cut", PI_UNDECODED, PI_NOTE, "Only the beginning of this frame was captured", EXPFILL } },
	{ &ei_trace_unknown_version,
	  { "trace.expert.unknown_version", PI_UNDECODED, PI_WARN, "Unknown version of the wire format", EXPFILL } },
	{ &ei_trace_no_schema,
	  { "trace.expert.no_schema", PI_UNDECODED, PI_NOTE, "No format text for this event was received yet",
	    EXPFILL } },
	{ &ei_trace_no_print,
	  { "trace.expert.no_print", PI_UNDECODED, PI_NOTE, "The event's print fmt cannot be compiled", EXPFILL } },
	{ &ei_trace_limit, { "trace.expert.limit", PI_UNDECODED, PI_NOTE, "Limit of the dissector reached", EXPFILL } },
};

void tw_header_fields__register(int proto)
{
	proto_register_field_array(proto, hf, array_length(hf));
	proto_register_subtree_array(ett, array_length(ett));
	expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
