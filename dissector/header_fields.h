/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the protocol "trace" registers with Wireshark: header fields (hf_), subtrees (ett_) and expert infos (ei_), and the value strings of
 * the fields. The tables in header_fields.c describe them. dissector/fields.h has the fields of events, which are registered later.
 */
#ifndef TW_HEADER_FIELDS_H
#define TW_HEADER_FIELDS_H

#include "dissector/compat.h"
#include "wire/tracewire.h"

extern int hf_trace_event, hf_trace_system, hf_trace_text, hf_trace_symbol, hf_trace_pid, hf_trace_comm, hf_trace_cpu,
	hf_trace_host, hf_trace_time, hf_trace_time_epoch, hf_trace_time_error, hf_trace_time_earliest,
	hf_trace_time_latest, hf_trace_order, hf_trace_seq, hf_trace_event_id, hf_trace_flags,
	hf_trace_common_preempt_count, hf_trace_record, hf_trace_filtered, hf_trace_version, hf_trace_frame_flags,
	hf_trace_frame_flags_body_be, hf_trace_frame_flags_ptr_hashed, hf_trace_frame_flags_late, hf_trace_length,
	hf_trace_stream, hf_trace_schema, hf_trace_first_seq, hf_trace_base_time, hf_trace_channel, hf_trace_source,
	hf_trace_events, hf_trace_missing, hf_trace_tlv, hf_trace_tlv_length, hf_trace_tlv_value, hf_trace_part_type,
	hf_trace_part_id, hf_trace_part_total, hf_trace_part_offset, hf_trace_part_bytes, hf_trace_parts,
	hf_trace_parts_part, hf_trace_parts_overlap, hf_trace_parts_overlap_conflict, hf_trace_parts_multiple_tails,
	hf_trace_parts_too_long, hf_trace_parts_error, hf_trace_parts_count, hf_trace_parts_in, hf_trace_parts_length,
	hf_trace_parts_data, hf_trace_lost_count, hf_trace_lost_unknown, hf_trace_lost_where, hf_trace_lost_time,
	hf_trace_watermark_time, hf_trace_watermark_channel, hf_trace_watermark_next_seq, hf_trace_schema_kind,
	hf_trace_schema_encoding, hf_trace_schema_event_id, hf_trace_schema_raw_length, hf_trace_schema_index,
	hf_trace_schema_total, hf_trace_schema_system, hf_trace_schema_text, hf_trace_clock_valid, hf_trace_clock_error,
	hf_trace_clock_sync, hf_trace_clock_tai_offset, hf_trace_clock_leap, hf_trace_phc_index, hf_trace_phc_method,
	hf_trace_phc_error, hf_trace_phc_sync, hf_trace_phc_time, hf_trace_phc_trace, hf_trace_exchange_id,
	hf_trace_exchange_asked, hf_trace_exchange_received, hf_trace_exchange_answered, hf_trace_exchange_received_by,
	hf_trace_exchange_answered_by, hf_trace_exchange_sent_by, hf_trace_exchange_previous, hf_trace_exchange_sent,
	hf_trace_want_what, hf_trace_refused_why, hf_trace_offset_kind, hf_trace_offset_method, hf_trace_offset_time,
	hf_trace_offset_offset, hf_trace_offset_step, hf_trace_offset_error, hf_trace_offset_drift,
	hf_trace_offset_asked_by, hf_trace_offset_received_by, hf_trace_offset_answered_by, hf_trace_offset_arrived_by,
	hf_trace_comm_origin, hf_trace_comm_time, hf_trace_comm_pid, hf_trace_comm_tgid, hf_trace_comm_name,
	hf_trace_symbol_address, hf_trace_symbol_size, hf_trace_symbol_name, hf_trace_stats_channel, hf_trace_stats_id,
	hf_trace_stats_value, hf_trace_auth_algorithm, hf_trace_auth_key_id, hf_trace_auth_tag;

/* Sizes of the arrays of fields below. The indexes are the numbers of HOST attributes, clocks and STATS counters in wire/tracewire.h. */
enum {
#define X(...) +1
	TW_HOST_ATTRS = 1 TW_HOST_LIST(X),
	TW_CLOCK_READINGS = TW_CLOCK_LIST(X),
	TW_STATS = 1 TW_STAT_LIST(X),
#undef X
};
extern int hf_trace_host_attr[TW_HOST_ATTRS], hf_trace_clock_reading[TW_CLOCK_READINGS], hf_trace_stat[TW_STATS];

extern int ett_trace, ett_trace_frame, ett_trace_flags, ett_trace_record, ett_trace_parts;
extern expert_field ei_trace_gap, ei_trace_reordered, ei_trace_duplicate, ei_trace_lost, ei_trace_step,
	ei_trace_suspend, ei_trace_leap, ei_trace_tai, ei_trace_malformed, ei_trace_bad_schema, ei_trace_bad_field,
	ei_trace_truncated, ei_trace_cut, ei_trace_unknown_version, ei_trace_no_schema, ei_trace_no_print,
	ei_trace_limit;

extern const value_string tw_lost_names[], tw_schema_kind_names[], tw_leap_names[], tw_offset_method_names[],
	tw_metadata_request_names[], tw_refused_names[];

/** tw_header_fields__register() - register all of these; called once, when the protocol @proto is registered */
void tw_header_fields__register(int proto);

#endif
