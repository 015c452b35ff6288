/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields every trace has: frame header, the eight facts of each event, control records. And the expert infos. */
#ifndef TW_FIXED_H
#define TW_FIXED_H

#include "dissector/compat.h"
#include "wire/tracewire.h"

/* The one list: id, filter name behind "trace.", label, type, base, strings, mask, what it is. */
#define TW_FIXED_LIST(X)                                                                                               \
	X(EVENT, "event", "Event", FT_STRING, BASE_NONE, NULL, 0, "Name of the event")                                 \
	X(SYSTEM, "system", "System", FT_STRING, BASE_NONE, NULL, 0, "Subsystem the event belongs to")                 \
	X(TEXT, "text", "Text", FT_STRING, BASE_NONE, NULL, 0, "What the kernel prints of the event")                  \
	X(SYMBOL, "symbol", "Symbol", FT_STRING, BASE_NONE, NULL, 0, "Function that an address of the event lies in")  \
	X(PID, "pid", "PID", FT_INT32, BASE_DEC, NULL, 0, "Task that was running")                                     \
	X(COMM, "comm", "Task", FT_STRING, BASE_NONE, NULL, 0, "Name of that task at that time")                       \
	X(CPU, "cpu", "CPU", FT_UINT16, BASE_DEC, NULL, 0, "CPU the event happened on")                                \
	X(HOST, "host", "Host", FT_STRING, BASE_NONE, NULL, 0, "Host the event happened on")                           \
	X(TIME, "time", "Time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "Time of the event in the stream's clock")       \
	X(TIME_ERROR, "time_error", "Time error", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                                \
	  "The packet's time is no further than this from the capture host's clock")                                   \
	X(ORDER, "order", "Order", FT_STRING, BASE_NONE, NULL, 0,                                                      \
	  "Whether it is certain which was first: this, or the packet of another stream before it")                    \
	X(SEQ, "seq", "Sequence number", FT_UINT64, BASE_DEC, NULL, 0, "Number of the event in its channel")           \
	X(EVENT_ID, "event_id", "Event id", FT_UINT16, BASE_DEC, NULL, 0, "Means something only with the schema")      \
	X(COMMON_FLAGS, "flags", "Flags", FT_UINT8, BASE_HEX, NULL, 0, "The kernel's common_flags")                    \
	X(COMMON_PREEMPT, "common_preempt_count", "Preempt count", FT_UINT8, BASE_DEC, NULL, 0,                        \
	  "The kernel's common_preempt_count")                                                                         \
	X(RECORD, "record", "Record", FT_BYTES, BASE_NONE, NULL, 0, "A record that could not be decoded")              \
	X(FILTERED, "filtered", "Filtered", FT_BOOLEAN, BASE_NONE, NULL, 0, "Rejected by a classifier on the way")     \
	X(VERSION, "version", "Version", FT_UINT8, BASE_DEC, NULL, 0, "Version of the wire format")                    \
	X(FLAGS, "frame_flags", "Flags of the frame", FT_UINT8, BASE_HEX, NULL, 0, "What holds for the whole frame")   \
	X(BODY_BE, "frame_flags.body_be", "Big-endian bodies", FT_BOOLEAN, 8, NULL, TW_FLAG_BODY_BE,                   \
	  "Event bodies are big-endian")                                                                               \
	X(PTR_HASHED, "frame_flags.ptr_hashed", "Hashed pointers", FT_BOOLEAN, 8, NULL, TW_FLAG_PTR_HASHED,            \
	  "Pointers are hashed with a key of the stream")                                                              \
	X(LATE, "frame_flags.late", "Late", FT_BOOLEAN, 8, NULL, TW_FLAG_LATE,                                         \
	  "Events older than a watermark sent before")                                                                 \
	X(LENGTH, "length", "Length", FT_UINT16, BASE_DEC, NULL, 0, "Length of the frame, bytes")                      \
	X(STREAM, "stream", "Stream", FT_UINT64, BASE_HEX, NULL, 0, "Random number of the producer's run")             \
	X(SCHEMA, "schema", "Schema", FT_UINT64, BASE_HEX, NULL, 0, "What the event ids refer to")                     \
	X(FIRST_SEQ, "first_seq", "First sequence number", FT_UINT64, BASE_DEC, NULL, 0,                               \
	  "Number of the first event of the frame in its channel")                                                     \
	X(BASE_TIME, "base_time", "Base time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                                   \
	  "What the records' times are relative to")                                                                   \
	X(CHANNEL, "channel", "Channel", FT_UINT16, BASE_DEC, NULL, 0, "One ordered sequence of events")               \
	X(SOURCE, "source", "Source", FT_UINT8, BASE_DEC, VALS(tw_source_names), 0, "Kind of ring the channel is")     \
	X(EVENTS, "events", "Events", FT_UINT16, BASE_DEC, NULL, 0, "Sequence numbers this frame uses up")             \
	X(MISSING, "missing", "Missing before", FT_UINT64, BASE_DEC, NULL, 0,                                          \
	  "Sequence numbers of the channel that were not seen before this frame")                                      \
	X(TLV, "tlv", "Record type", FT_UINT16, BASE_DEC, VALS(tw_tlv_names), 0, "Type of the record")                 \
	X(TLV_LENGTH, "tlv.length", "Record length", FT_UINT16, BASE_DEC, NULL, 0, "Bytes, with the record's header")  \
	X(TLV_VALUE, "tlv.value", "Value", FT_BYTES, BASE_NONE, NULL, 0, "A value of no known meaning")                \
	X(PART_TYPE, "part.type", "Part of", FT_UINT16, BASE_DEC, VALS(tw_tlv_names), 0, "Type of the whole record")   \
	X(PART_ID, "part.id", "Id", FT_UINT32, BASE_DEC, NULL, 0, "Names the whole within its channel")                \
	X(PART_TOTAL, "part.total", "Total", FT_UINT32, BASE_DEC, NULL, 0, "Length of the whole value, bytes")         \
	X(PART_OFFSET, "part.offset", "Offset", FT_UINT32, BASE_DEC, NULL, 0, "Where this piece belongs, bytes")       \
	X(PART_BYTES, "part.bytes", "Piece", FT_BYTES, BASE_NONE, NULL, 0, "This piece")                               \
	X(PARTS, "parts", "Pieces", FT_NONE, BASE_NONE, NULL, 0, "The pieces of this record")                          \
	X(PARTS_PART, "parts.part", "Piece", FT_FRAMENUM, BASE_NONE, NULL, 0, "One piece of this record")              \
	X(PARTS_OVERLAP, "parts.overlap", "Overlap", FT_BOOLEAN, BASE_NONE, NULL, 0, "Overlaps another piece")         \
	X(PARTS_CONFLICT, "parts.overlap.conflict", "Conflicting overlap", FT_BOOLEAN, BASE_NONE, NULL, 0,             \
	  "Overlaps another piece with other bytes")                                                                   \
	X(PARTS_TAILS, "parts.multiple_tails", "Several ends", FT_BOOLEAN, BASE_NONE, NULL, 0, "Several last pieces")  \
	X(PARTS_TOO_LONG, "parts.too_long", "Piece too long", FT_BOOLEAN, BASE_NONE, NULL, 0,                          \
	  "Reaches beyond the end")                                                                                    \
	X(PARTS_ERROR, "parts.error", "Reassembly error", FT_FRAMENUM, BASE_NONE, NULL, 0,                             \
	  "Could not be put together")                                                                                 \
	X(PARTS_COUNT, "parts.count", "Pieces", FT_UINT32, BASE_DEC, NULL, 0, "How many pieces there are")             \
	X(PARTS_IN, "parts.in", "Whole in frame", FT_FRAMENUM, BASE_NONE, NULL, 0, "Frame with the last piece")        \
	X(PARTS_LENGTH, "parts.length", "Whole length", FT_UINT32, BASE_DEC, NULL, 0, "Bytes put together")            \
	X(PARTS_DATA, "parts.data", "Whole", FT_BYTES, BASE_NONE, NULL, 0, "All pieces together")                      \
	X(LOST_COUNT, "lost.count", "Lost", FT_UINT64, BASE_DEC, NULL, 0, "Events lost")                               \
	X(LOST_UNKNOWN, "lost.unknown", "Count unknown", FT_BOOLEAN, BASE_NONE, NULL, 0, "At least one was lost")      \
	X(LOST_WHERE, "lost.where", "Where", FT_UINT16, BASE_DEC, VALS(tw_lost_names), 0, "Where they were lost")      \
	X(LOST_TIME, "lost.time", "Time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                                        \
	  "Time of the first event after the loss")                                                                    \
	X(WATERMARK_TIME, "watermark.time", "Nothing older than", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                \
	  "Nothing older will come on these channels")                                                                 \
	X(WATERMARK_CHANNEL, "watermark.channel", "Channel", FT_UINT16, BASE_DEC, NULL, 0, "Channel this is about")    \
	X(WATERMARK_SEQ, "watermark.next_seq", "Next sequence number", FT_UINT64, BASE_DEC, NULL, 0,                   \
	  "What the channel's next event will have")                                                                   \
	X(SCHEMA_KIND, "schema.kind", "Kind", FT_UINT8, BASE_DEC, VALS(tw_schema_kind_names), 0,                       \
	  "What the text describes")                                                                                   \
	X(SCHEMA_ENCODING, "schema.encoding", "Encoding", FT_UINT8, BASE_DEC, VALS(tw_encoding_names), 0,              \
	  "How the text is packed")                                                                                    \
	X(SCHEMA_EVENT_ID, "schema.event_id", "Event id", FT_UINT16, BASE_DEC, NULL, 0, "Event id it describes")       \
	X(SCHEMA_RAW_LENGTH, "schema.raw_length", "Length unpacked", FT_UINT32, BASE_DEC, NULL, 0,                     \
	  "Bytes when unpacked")                                                                                       \
	X(SCHEMA_INDEX, "schema.index", "Index", FT_UINT32, BASE_DEC, NULL, 0, "Place of this text in the schema")     \
	X(SCHEMA_TOTAL, "schema.total", "Texts", FT_UINT32, BASE_DEC, NULL, 0, "Texts in the schema")                  \
	X(SCHEMA_SYSTEM, "schema.system", "System", FT_STRING, BASE_NONE, NULL, 0, "System of the event")              \
	X(SCHEMA_TEXT, "schema.text", "Text", FT_STRING, BASE_NONE, NULL, 0, "The text as tracefs gives it")           \
	X(CLOCK_VALID, "clock.valid", "Valid", FT_UINT32, BASE_HEX, NULL, 0, "Which readings are there")               \
	X(CLOCK_ERROR, "clock.error", "Error bound", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                             \
	  "No two readings are further apart than this")                                                               \
	X(CLOCK_SYNC, "clock.sync", "Kept to", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                                   \
	  "Wall clock and TAI are no further than this from what keeps them")                                          \
	X(EXCHANGE_ID, "exchange.id", "Id", FT_UINT32, BASE_DEC, NULL, 0, "The receiver's number for this exchange")   \
	X(EXCHANGE_ASKED, "exchange.asked", "Asked", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                             \
	  "When the question was sent, in the receiver's clock")                                                       \
	X(EXCHANGE_RECEIVED, "exchange.received", "Received", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                    \
	  "When the question came, in the stream's clock")                                                             \
	X(EXCHANGE_ANSWERED, "exchange.answered", "Answered", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                    \
	  "When the answer was sent, in the stream's clock")                                                           \
	X(WANT_WHAT, "want.what", "What", FT_UINT16, BASE_DEC, VALS(tw_want_names), 0, "What the producer is to say")  \
	X(REFUSED_WHY, "refused.why", "Why", FT_UINT16, BASE_DEC, VALS(tw_refused_names), 0,                           \
	  "Why the receiver does not take the stream")                                                                 \
	X(OFFSET_KIND, "offset.kind", "Kind", FT_UINT16, BASE_DEC, VALS(tw_offset_kind_names), 0, "What happened")     \
	X(OFFSET_METHOD, "offset.method", "Known by", FT_UINT16, BASE_DEC, VALS(tw_offset_method_names), 0,            \
	  "What the error is known by")                                                                                \
	X(OFFSET_TIME, "offset.time", "From", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                                    \
	  "Clock time from which on this holds")                                                                       \
	X(OFFSET_OFFSET, "offset.offset", "Offset", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                              \
	  "Packet time less the stream's clock")                                                                       \
	X(OFFSET_STEP, "offset.step", "Step", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                                    \
	  "What the wall clock was set by, or how long the suspend was")                                               \
	X(OFFSET_ERROR, "offset.error", "Error bound", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,                           \
	  "Packet times are no further than this from the capture host's clock")                                       \
	X(OFFSET_DRIFT, "offset.drift", "Drift", FT_INT32, BASE_DEC, NULL, 0,                                          \
	  "ns per s that the stream's clock gains on the capture host's")                                              \
	X(COMM_ORIGIN, "comm.origin", "Origin", FT_UINT8, BASE_DEC, VALS(tw_comm_names), 0, "How the name was learnt") \
	X(COMM_TIME, "comm.time", "From", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "Called so from this time on")         \
	X(COMM_PID, "comm.pid", "PID", FT_INT32, BASE_DEC, NULL, 0, "The task")                                        \
	X(COMM_TGID, "comm.tgid", "Process", FT_INT32, BASE_DEC, NULL, 0, "Its process; 0 = not known")                \
	X(COMM_NAME, "comm.name", "Name", FT_STRING, BASE_NONE, NULL, 0, "Its name from then on")                      \
	X(SYMBOL_ADDRESS, "symbol.address", "Address", FT_UINT64, BASE_HEX, NULL, 0, "Address in the kernel")          \
	X(SYMBOL_SIZE, "symbol.size", "Size", FT_UINT32, BASE_DEC, NULL, 0, "Bytes; 0 = not known")                    \
	X(SYMBOL_NAME, "symbol.name", "Name", FT_STRING, BASE_NONE, NULL, 0, "Name of what is there")                  \
	X(STATS_CHANNEL, "stats.channel", "Channel", FT_UINT16, BASE_DEC, NULL, 0,                                     \
	  "Channel counted; 0 = whole stream")                                                                         \
	X(STATS_ID, "stats.id", "Counter", FT_UINT16, BASE_DEC, VALS(tw_stat_names), 0, "What is counted")             \
	X(STATS_VALUE, "stats.value", "Value", FT_UINT64, BASE_DEC, NULL, 0, "Total since the stream's start")         \
	X(AUTH_ALGORITHM, "auth.algorithm", "Algorithm", FT_UINT16, BASE_DEC, NULL, 0,                                 \
	  "None is assigned in version 1")                                                                             \
	X(AUTH_KEY, "auth.key_id", "Key id", FT_UINT16, BASE_DEC, NULL, 0, "Which key")                                \
	X(AUTH_TAG, "auth.tag", "Tag", FT_BYTES, BASE_NONE, NULL, 0, "Authenticates everything before it")

enum tw_fixed {
#define X(id, ...) TW_FIX_##id,
	TW_FIXED_LIST(X)
#undef X
/* Those that follow from the lists of wire/tracewire.h. */
#define X(num, name, ...) TW_FIX_HOST_##name,
		TW_HOST_LIST(X)
#undef X
#define X(bit, name, ...) TW_FIX_CLOCK_##name,
			TW_CLOCK_LIST(X)
#undef X
#define X(num, name, ...) TW_FIX_STAT_##name,
				TW_STAT_LIST(X)
#undef X
					TW_FIXED_COUNT
};

enum tw_subtree { TW_SUB_TRACE, TW_SUB_FRAME, TW_SUB_FLAGS, TW_SUB_RECORD, TW_SUB_ENTRY, TW_SUB_PARTS, TW_SUB_COUNT };

#define TW_EXPERT_LIST(X)                                                                               \
	X(GAP, "gap", PI_SEQUENCE, PI_WARN, "Events of this channel are missing")                       \
	X(REORDERED, "reordered", PI_SEQUENCE, PI_NOTE, "Frame out of order")                           \
	X(DUPLICATE, "duplicate", PI_SEQUENCE, PI_NOTE, "Frame seen before")                            \
	X(LOST, "lost", PI_SEQUENCE, PI_WARN, "Events were lost")                                       \
	X(STEP, "step", PI_SEQUENCE, PI_NOTE, "The producer's wall clock was set")                      \
	X(SUSPEND, "suspend", PI_SEQUENCE, PI_NOTE, "The producer's machine was suspended")             \
	X(MALFORMED, "malformed", PI_MALFORMED, PI_ERROR, "Malformed record")                           \
	X(BAD_SCHEMA, "bad_schema", PI_MALFORMED, PI_ERROR, "Format text that can't be used")           \
	X(BAD_FIELD, "bad_field", PI_MALFORMED, PI_ERROR, "Field lies outside the record")              \
	X(TRUNCATED, "truncated", PI_UNDECODED, PI_WARN, "Frame is cut short")                          \
	X(CUT, "cut", PI_UNDECODED, PI_NOTE, "Of this frame only the beginning was captured")           \
	X(VERSION, "unknown_version", PI_UNDECODED, PI_WARN, "Version of the wire format is not known") \
	X(NO_SCHEMA, "no_schema", PI_UNDECODED, PI_NOTE, "No format text for this event was seen yet")  \
	X(NO_PRINT, "no_print", PI_UNDECODED, PI_NOTE, "The event's print fmt can't be used")           \
	X(LIMIT, "limit", PI_UNDECODED, PI_NOTE, "Limit of the dissector reached")

enum tw_expert {
#define X(id, ...) TW_EXPERT_##id,
	TW_EXPERT_LIST(X)
#undef X
		TW_EXPERT_COUNT
};

extern hf_register_info tw_fixed_hf[TW_FIXED_COUNT];
extern int tw_fixed_id[TW_FIXED_COUNT];
extern int tw_subtree[TW_SUB_COUNT];
extern expert_field tw_expert[TW_EXPERT_COUNT];

extern const value_string tw_tlv_names[], tw_source_names[], tw_lost_names[], tw_schema_kind_names[],
	tw_encoding_names[], tw_comm_names[], tw_stat_names[], tw_offset_kind_names[], tw_offset_method_names[],
	tw_want_names[], tw_refused_names[];

/** tw_fixed__register() - at start */
void tw_fixed__register(int proto);

static inline const header_field_info *tw_fixed(enum tw_fixed which)
{
	return &tw_fixed_hf[which].hfinfo;
}

#endif
