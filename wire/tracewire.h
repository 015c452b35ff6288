/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Tracewire wire format, version 1. Userspace, BPF programs and the Wireshark plugin include this file; docs/wire-format.md
 * describes the format.
 *
 * Numbers are big-endian, except in the body of an event: there, they have the byte order of the traced host (TW_FLAG_BODY_BE).
 * The offset of each TLV from the frame header is a multiple of 4, so that u32 rules of tc can match the fields of TLVs.
 *
 * Times of the stream's clock are in ns. If HOST has CLOCK_MULT, however, the stream's clock counts ticks. Its times are then in ticks, and
 * so are times relative to a base time.
 *
 * The structs define offsets for writers, and for BPF programs, in which the verifier checks each access. Userspace reads received bytes
 * with wire/decode.h or base/bytes.h, and does not cast them to the structs.
 */
#ifndef TRACEWIRE_H
#define TRACEWIRE_H

#if defined(__VMLINUX_H__)
/* vmlinux.h has the types already */
#elif defined(__linux__)
#include <linux/types.h>
#else
typedef unsigned char __u8;
typedef unsigned short __u16, __be16;
typedef unsigned int __u32, __be32;
typedef int __s32;
typedef unsigned long long __u64, __be64;
#endif

#define TW_ETHERTYPE 0x88B5      /* IEEE 802, local experimental 1 */
#define TW_UDP_PORT  18101       /* default port of `tracewire stream -u` and of the Wireshark plugin */
#define TW_MAGIC     0x54575231u /* "TWR1" */
#define TW_VERSION   1

#define TW_FRAME_MAX 65532 /* bytes of the largest frame: the length has 16 bits and is a multiple of 4 */
/* Bytes of a task name with its NUL. The kernel's limit is usually 16, but /proc has longer names of kernel threads. */
#define TW_COMM_MAX 64

/* flags of the frame header */
#define TW_FLAG_BODY_BE    0x01 /* event bodies are big-endian */
#define TW_FLAG_PTR_HASHED 0x02 /* virtual addresses are replaced by numbers that depend on a key of the stream */
#define TW_FLAG_LATE       0x04 /* the frame may have events older than an earlier watermark */

/* source in the frame header: kind of the channel */
#define TW_SOURCE_CONTROL     0 /* metadata, counters and END; the channel numbers frames, not events */
#define TW_SOURCE_FTRACE      1 /* one CPU's trace ring */
#define TW_SOURCE_BPF         2 /* one CPU's BPF ring */
#define TW_SOURCE_OUT_OF_BAND 3 /* no channel and no numbers: requests, responses, records of a capture host */

#define TW_CHANNEL_CONTROL     0 /* control frames; CPU n's trace ring has channel n + 1, and BPF rings follow */
#define TW_CHANNEL_OUT_OF_BAND 0xffff
#define TW_CPU_NONE            0xffff

struct tw_frame_hdr {
	__be32 magic;
	__u8 version;
	__u8 flags;
	__be16 length;    /* bytes of the frame: this header and all TLVs; later bytes are padding of the link */
	__be64 stream_id; /* random; a producer chooses one at each start */
	__be64 schema_id; /* identifies the formats to which event ids refer (the schema); 0 = no schema announced yet */
	__be64 seq;       /* event number of the frame's first event; in a control frame, number of the frame */
	__be64 base_time; /* in the stream's clock; times of EVENT, FILTERED and LOST are relative to it */
	__be16 channel;
	__be16 cpu;
	__u8 source;
	__u8 reserved;
	/*
	 * quantity of numbers that the frame uses: one for each EVENT, FILTERED and last PART of an EVENT; 1 in a control frame; 0 in an
	 * out-of-band frame
	 */
	__be16 events;
} __attribute__((packed));

/*
 * The list of TLVs: type, name, minimum length including the TLV header, meaning. A decoder skips unknown types. A TLV shorter than its
 * minimum length is malformed.
 */
#define TW_TLV_LIST(X)                                                                                  \
	X(0, PAD, 4, "padding")                                                                         \
	X(1, EVENT, 16, "event as the kernel recorded it")                                              \
	X(2, FILTERED, 16, "event marked as rejected by a classifier; keeps its number")                \
	X(3, PART, 20, "piece of a TLV larger than a frame")                                            \
	X(4, LOST, 20, "events lost before they were sent, or on the way")                              \
	X(5, WATERMARK, 12, "statement that no older event follows on the listed channels")             \
	X(6, SCHEMA, 20, "one format text, or a group of format texts")                                 \
	X(7, HOST, 4, "host that produces the stream")                                                  \
	X(8, CLOCK, 64, "readings of several clocks at the same instant")                               \
	X(9, COMM, 28, "name of a task from a given time")                                              \
	X(10, SYMBOL, 16, "kernel address and its name")                                                \
	X(11, STATS, 4, "counters of the producer's stages")                                            \
	X(12, AUTH, 8, "authenticates everything before it; always last")                               \
	X(13, END, 8, "end of the stream: the producer has stopped, and no event follows")              \
	X(14, TIME_SYNC, 32, "time synchronisation between receiver and producer: request or response") \
	X(15, OFFSET, 48, "how a capture derived packet times from the stream's clock")                 \
	X(16, METADATA_REQUEST, 4, "request for metadata, from a receiver that joined late")            \
	X(17, REFUSED, 4, "message from a receiver that refuses the stream")

enum tw_tlv_type {
#define X(num, name, min, what) TW_TLV_##name = (num),
	TW_TLV_LIST(X)
#undef X
};

struct tw_tlv {
	__be16 type;
	__be16 length; /* bytes including this header, without the padding to the next multiple of 4 */
} __attribute__((packed));

/*
 * From offset 8 on, an EVENT is a copy of the kernel's record, including the record's padding. The record's first eight bytes, the common
 * fields, are converted to big-endian. With TW_FLAG_PTR_HASHED, addresses are replaced, and bytes that belong to no field are 0. All other
 * bytes are unchanged.
 */
struct tw_event {
	struct tw_tlv tlv;
	__be32 time; /* s32, ns from the frame's base time */
	__be16 event_id;
	__u8 common_flags;
	__u8 common_preempt_count;
	__be32 common_pid;
	/* the body follows: the record from its offset 8 on */
} __attribute__((packed));
#define TW_EVENT_RECORD  8 /* offset of the record in the TLV */
#define TW_RECORD_COMMON 8 /* bytes of the record's common fields, which are big-endian in the TLV */

/*
 * A piece of a TLV whose value does not fit a frame. The value does not include the TLV header; (stream, channel, id) identifies it. Pieces
 * are sent in order on one channel. All frames with pieces of an EVENT have the event's number as seq and its time as base time. Only the
 * last piece uses the number: in the header of its frame, `events` counts the event.
 */
struct tw_part {
	struct tw_tlv tlv;
	__be16 inner_type;
	__be16 reserved;
	__be32 id;
	__be32 total;
	__be32 offset;
	/* the bytes of the piece follow */
} __attribute__((packed));

#define TW_LOST_LIST(X)                                                                               \
	X(1, RING, "ring overrun", "the kernel's ring was full")                                      \
	X(2, SHED, "producer shed", "discarded by the producer because the sink had no room in time") \
	X(3, TX, "transmit drop", "the interface refused the frame")                                  \
	X(4, WIRE, "wire gap", "the event numbers show that the events did not arrive")               \
	X(5, RECEIVER, "receiver ring", "the capture host's ring was full")

enum tw_lost_where {
#define X(num, name, text, why) TW_LOST_##name = (num),
	TW_LOST_LIST(X)
#undef X
};
/*
 * Flag of LOST: the number of events lost directly before the next event is unknown. The count is the increase of the kernel's counter of
 * lost events since the channel's previous LOST. The counted events were lost at unknown times since that LOST.
 */
#define TW_LOST_UNKNOWN 0x0001

struct tw_lost {
	struct tw_tlv tlv;
	/*
	 * s32, ns from the frame's base time: time of the first event after the loss; at the end of the stream, time of the last event
	 * before the loss
	 */
	__be32 time;
	__be16 where; /* enum tw_lost_where */
	__be16 flags;
	__be64 count;
} __attribute__((packed));

/*
 * A WATERMARK lists channels. After all numbers of a listed channel below its next_seq were received or declared missing, no event older
 * than @time follows on that channel. There is one exception: events that were reserved in the ring before @time and committed later. Their
 * frames have TW_FLAG_LATE.
 */
struct tw_watermark {
	struct tw_tlv tlv;
	__be64 time; /* in the stream's clock; an array of struct tw_watermark_channel follows */
} __attribute__((packed));

struct tw_watermark_channel {
	__be16 channel;
	__be16 reserved;
	__be64 next_seq;
} __attribute__((packed));

enum tw_schema_kind {
	TW_SCHEMA_EVENT = 0,        /* events/SYSTEM/EVENT/format */
	TW_SCHEMA_HEADER_PAGE = 1,  /* events/header_page */
	TW_SCHEMA_HEADER_EVENT = 2, /* events/header_event */
	TW_SCHEMA_PRINTK = 3,       /* printk_formats */
	TW_SCHEMA_GROUP = 4,        /* several texts of the other kinds, compressed together */
};
enum tw_schema_encoding { TW_ENCODING_PLAIN = 0, TW_ENCODING_ZSTD = 1 };

/*
 * SCHEMA. The payload follows, plain or as one zstd frame. The payload of a GROUP is a list of SCHEMA TLVs with plain payloads. The payload
 * of any other kind is the system's name, a NUL, and the text as in tracefs. The text of printk_formats may be cut; with
 * TW_FLAG_PTR_HASHED, its addresses are replaced.
 */
struct tw_schema_tlv {
	struct tw_tlv tlv;
	__u8 kind;
	__u8 encoding;
	__be16 event_id;
	__be32 raw_length; /* bytes of the decompressed payload */
	__be32 index;      /* index of this text, or of a GROUP's first text, in the frame header's schema, from 0 */
	__be32 total;      /* number of texts in that schema */
} __attribute__((packed));

/*
 * HOST is a list of attributes. Each attribute begins with a struct tw_tlv, whose type is the attribute's number in this list. The third
 * column is the type of the value: a number is a big-endian u64, and a text has no NUL.
 */
#define TW_HOST_LIST(X)                                                                         \
	X(1, NAME, text, "name", "host name")                                                   \
	X(2, RELEASE, text, "release", "kernel release")                                        \
	X(3, MACHINE, text, "machine", "machine architecture")                                  \
	X(4, BOOT_ID, text, "boot_id", "boot id")                                               \
	X(5, INSTANCE, text, "instance", "tracefs instance")                                    \
	X(6, CLOCK, text, "clock", "trace clock")                                               \
	X(7, CPUS, number, "cpus", "CPUs with a ring")                                          \
	X(8, PAGE_SIZE, number, "page_size", "page size, bytes")                                \
	X(9, LONG_SIZE, number, "long_size", "size of a long, bytes")                           \
	X(10, CLOCK_MULT, number, "clock_mult", "ns = (ticks * mult) >> shift")                 \
	X(11, CLOCK_SHIFT, number, "clock_shift", "ns = (ticks * mult) >> shift")               \
	X(12, VERSION, text, "version", "producer version")                                     \
	X(13, EVENTS, text, "events", "events selected")                                        \
	X(14, FILTER, text, "filter", "filter")                                                 \
	X(15, OS, text, "os", "operating system")                                               \
	X(16, POINTERS, text, "pointers", "raw, or hashed with a key")                          \
	X(17, SYNC, text, "sync", "source that the clocks are synchronised to")                 \
	X(18, PHCS, text, "phcs", "PTP hardware clocks")                                        \
	X(19, GRANDMASTER, text, "grandmaster", "clock identity of the PTP grandmaster")        \
	X(20, SYNC_SINCE, number, "sync_since", "time since which the clocks have this source") \
	X(21, SYNC_UTC, number, "sync_utc", "largest distance of this source from UTC, ns")     \
	X(22, HOOK, text, "hook", "stage of socket events, and its hook; any number of times")

enum tw_host_attr {
#define X(num, name, type, key, what) TW_HOST_##name = (num),
	TW_HOST_LIST(X)
#undef X
};

/* The readings of a CLOCK. Columns: bit in the member `valid`, name, field, clock. */
#define TW_CLOCK_LIST(X)                    \
	X(0, TRACE, trace, "stream clock")  \
	X(1, MONO, mono, "CLOCK_MONOTONIC") \
	X(2, BOOT, boot, "CLOCK_BOOTTIME")  \
	X(3, REAL, real, "CLOCK_REALTIME")  \
	X(4, TAI, tai, "CLOCK_TAI")         \
	X(5, RAW, raw, "CLOCK_MONOTONIC_RAW")

enum tw_clock {
#define X(bit, name, field, what) TW_CLOCK_##name = (bit),
	TW_CLOCK_LIST(X)
#undef X
};

struct tw_clock_tlv {
	struct tw_tlv tlv;
	__be32 valid;    /* bit n: reading n of TW_CLOCK_LIST is present */
	__be32 error_ns; /* largest time between any two readings, ns */
	__be32 sync_ns;  /* largest error of REAL and TAI relative to their synchronisation source, ns; 0 = unknown */
	__be64 trace, mono, boot, real, tai, raw;
	/* A CLOCK of 64 bytes ends here; the fields below are then unknown. */
	__be32 tai_offset; /* s32, s: the kernel's TAI - UTC; 0 = no program has set it */
	__be16 leap;       /* enum tw_leap */
	__be16 phcs;       /* number of struct tw_phc that follow */
} __attribute__((packed));

#define TW_CLOCK_MIN 64 /* bytes of the shortest CLOCK */

/* The kernel's plans for the end of the UTC day: the return values of adjtimex(2). */
#define TW_LEAP_LIST(X)                                          \
	X(0, NONE, "none", "no leap second is near")             \
	X(1, INSERT, "insert", "a leap second will be inserted") \
	X(2, DELETE, "delete", "a leap second will be deleted")  \
	X(3, NOW, "now", "a leap second is being inserted")      \
	X(4, DONE, "done", "a leap second was inserted or deleted")

enum tw_leap {
#define X(num, name, text, what) TW_LEAP_##name = (num),
	TW_LEAP_LIST(X)
#undef X
};

/* How a PTP hardware clock was read, with linux/ptp_clock.h. */
#define TW_PHC_METHOD_LIST(X)                                                                            \
	X(1, PRECISE, "precise", "hardware read both clocks at the same instant")                        \
	X(2, EXTENDED_RAW, "extended, raw", "between two readings of CLOCK_MONOTONIC_RAW in the driver") \
	X(3, EXTENDED, "extended", "between two readings of CLOCK_REALTIME in the driver")               \
	X(4, BASIC, "basic", "between two readings of CLOCK_REALTIME in the kernel")                     \
	X(5, USER, "user", "between two readings of CLOCK_MONOTONIC in userspace")

enum tw_phc_method {
#define X(num, name, text, what) TW_PHC_BY_##name = (num),
	TW_PHC_METHOD_LIST(X)
#undef X
};

/* One reading of a PTP hardware clock (PHC), /dev/ptpN. */
struct tw_phc {
	__be16 index; /* N */
	__u8 method;  /* enum tw_phc_method */
	__u8 reserved;
	__be32 error_ns; /* largest distance between the instants of the two readings below, ns */
	__be32 sync_ns;  /* largest distance of the PHC from the grandmaster that ptp4l follows, ns; 0 = unknown */
	__be32 reserved2;
	__be64 phc;   /* reading of the PHC, ns */
	__be64 trace; /* reading of the stream's clock */
} __attribute__((packed));

enum tw_comm_origin {
	TW_COMM_SAVED = 0, /* saved_cmdlines */
	TW_COMM_PROC = 1,  /* /proc */
	TW_COMM_EXEC = 2,
	TW_COMM_FORK = 3,
	TW_COMM_RENAME = 4,
};

/* The name of a task from @time on; time 0 = since the start of the task. */
struct tw_comm {
	struct tw_tlv tlv;
	__u8 origin;
	__u8 reserved[3];
	__be64 time;
	__be32 pid;
	__be32 tgid;  /* 0 = unknown */
	__u8 name[4]; /* NUL-padded to a multiple of 4 bytes, TW_COMM_MAX at most */
} __attribute__((packed));

struct tw_symbol_tlv {
	struct tw_tlv tlv;
	__be32 size; /* of the symbol, bytes; 0 = unknown */
	__be64 address;
	/* the name follows, without NUL */
} __attribute__((packed));

/*
 * The value of STATS is an array of struct tw_stat: totals since the stream's start. An entry with the channel TW_CHANNEL_CONTROL is
 * a total of the whole stream.
 */
#define TW_STAT_LIST(X)                                                                              \
	X(1, RECORDED, "recorded", "events the kernel recorded")                                     \
	X(2, READ, "read", "events read from the ring")                                              \
	X(3, OVERRUN, "overrun", "events the kernel's ring lost")                                    \
	X(4, SHED, "shed", "events discarded because the sink had no room in time")                  \
	X(5, SENT_EVENTS, "sent_events", "events handed to the sink")                                \
	X(6, SENT_FRAMES, "sent_frames", "frames handed to the sink")                                \
	X(7, SENT_BYTES, "sent_bytes", "bytes handed to the sink")                                   \
	X(8, TX_DROPS, "tx_drops", "frames the interface dropped")                                   \
	X(9, UNNAMED, "unnamed", "events whose task has no known name")                              \
	X(10, BOOK_READ, "bookkeeping_read", "fork, exec and rename events read")                    \
	X(11, BOOK_LOST, "bookkeeping_lost", "fork, exec and rename events lost")                    \
	X(12, TX_DROP_EVENTS, "tx_drop_events", "events in frames the sink dropped")                 \
	X(13, FILTERED, "filtered", "events the producer's filter rejected")                         \
	X(14, TX_DROPS_UNSEEN, "tx_drops_unseen", "frames dropped with an unknown number of events") \
	X(15, UNSURE_RINGS, "unsure_rings", "rings whose counters in the kernel do not match the producer's")

enum tw_stat_id {
#define X(num, name, key, what) TW_STAT_##name = (num),
	TW_STAT_LIST(X)
#undef X
};

struct tw_stat {
	__be16 stat;
	__be16 channel;
	__be64 value;
} __attribute__((packed));

/* A signature or MAC of all bytes of the frame before this TLV. Version 1 assigns no algorithm. */
struct tw_auth {
	struct tw_tlv tlv;
	__be16 algorithm;
	__be16 key_id;
	/* the tag follows */
} __attribute__((packed));

/* If frames may get lost, END is sent several times, in the last control frames. A STATS with the final counters precedes each END. */
struct tw_end {
	struct tw_tlv tlv;
	__be32 reserved;
} __attribute__((packed));

/*
 * As in NTP (RFC 5905), the times of a request and its response bound the value of (stream's clock - receiver's clock): (received - asked)
 * is an upper bound, and (answered - arrival of the response) is a lower bound. A request is sent to the sender of the stream's frames, in
 * an out-of-band frame with the stream's id.
 *
 * The kernel stamps a response only when it is sent, so the response contains an earlier time. In the interleaved mode of RFC 9769, the
 * next response to the same receiver has this stamp: @sent is the time at which the response with the id @previous was sent.
 *
 * A request of TW_TIME_SYNC_MIN bytes ends before @received_by. Its response has the same length, and a response is never longer than its
 * request.
 */
#define TW_TIME_SYNC_MIN 32

struct tw_time_sync {
	struct tw_tlv tlv;
	__be32 id;        /* number of the request, chosen by the receiver */
	__be64 asked;     /* time of the request, in the receiver's clock; the producer copies it into the response */
	__be64 received;  /* time of the request's arrival, in the stream's clock; 0 in a request */
	__be64 answered;  /* time when the response was sent, in the stream's clock; 0 in a request */
	__u8 received_by; /* enum tw_stamp: source of @received */
	__u8 answered_by; /* enum tw_stamp: source of @answered */
	__u8 sent_by;     /* enum tw_stamp: source of @sent */
	__u8 reserved;
	__be32 previous; /* id of an earlier request of the same receiver; 0 if @sent_by is 0 */
	__be64 sent;     /* time when the response to @previous was sent, in the stream's clock; 0 if @sent_by is 0 */
} __attribute__((packed));

/* Sources of the times of an exchange, in order of precision. */
#define TW_STAMP_LIST(X)                                                \
	X(0, NONE, "none", "unknown, or there was no exchange")         \
	X(1, READING, "reading", "the program read the clock")          \
	X(2, SOFTWARE, "software", "stamp of the kernel or its driver") \
	X(3, HARDWARE, "hardware", "stamp of the network card")

enum tw_stamp {
#define X(num, name, text, what) TW_STAMP_##name = (num),
	TW_STAMP_LIST(X)
#undef X
};

#define TW_OFFSET_KIND_LIST(X)                                           \
	X(1, START, "start", "the first known offset")                   \
	X(2, STEP, "step", "the producer's wall clock was set")          \
	X(3, SUSPEND, "suspend", "the producer's machine was suspended") \
	X(4, ESTIMATE, "estimate", "a better estimate")                  \
	X(5, LEAP, "leap", "a leap second")                              \
	X(6, TAI, "tai", "the TAI offset was changed")                   \
	X(7, REFERENCE, "reference", "the reference of the capture was set")

enum tw_offset_kind {
#define X(num, name, text, what) TW_OFFSET_##name = (num),
	TW_OFFSET_KIND_LIST(X)
#undef X
		TW_OFFSET_KINDS /* the largest kind plus 1 */
};

#define TW_OFFSET_METHOD_LIST(X)                                                   \
	X(0, NONE, "none", "nothing bounds the error")                             \
	X(1, TIME_SYNC, "exchange", "TIME_SYNC between producer and capture host") \
	X(2, SYNC, "sync", "both hosts report error bounds of their clocks")       \
	X(3, PHC, "phc", "both hosts read PTP hardware clocks of the same PTP domain")

enum tw_offset_method {
#define X(num, name, text, what) TW_OFFSET_BY_##name = (num),
	TW_OFFSET_METHOD_LIST(X)
#undef X
};

#define TW_ERROR_UNKNOWN 0xffffffffffffffffull

/*
 * From @time on, until the next OFFSET: packet time = time in the stream's clock + @offset, and packet times differ from the capture's
 * reference, which is the capture host's clock unless another one was chosen, by at most @error_ns.
 */
struct tw_offset {
	struct tw_tlv tlv;
	__be16 kind;     /* enum tw_offset_kind */
	__be16 method;   /* enum tw_offset_method: source of the error bound */
	__be64 time;     /* in the stream's clock */
	__be64 offset;   /* s64, ns */
	__be64 step;     /* s64, ns: change of REALTIME or of the reference, or duration of the suspend */
	__be64 error_ns; /* TW_ERROR_UNKNOWN = unknown */
	__be32 drift;    /* s32, ns per s that the stream's clock gains on the reference; 0 = none or unknown */
	/* enum tw_stamp: sources of the four times of the newest exchange; 0 = unknown */
	__u8 asked_by, received_by, answered_by, arrived_by;
} __attribute__((packed));

/*
 * METADATA_REQUEST follows the TIME_SYNC of a request. It is a list of __be16 with the values below. Each value names metadata that the
 * producer shall send again on the control channel. A larger value includes the metadata of smaller values.
 */
#define TW_METADATA_REQUEST_LIST(X)            \
	X(1, CLOCK, "clock", "HOST and CLOCK") \
	X(2, ALL, "all", "all metadata of the stream")

enum tw_metadata_request {
#define X(num, name, text, what) TW_METADATA_REQUEST_##name = (num),
	TW_METADATA_REQUEST_LIST(X)
#undef X
};

/*
 * REFUSED follows the TIME_SYNC of a request. It is a list of __be16 with the values below. The values are the reasons why the receiver
 * refuses the stream. The receiver may admit the stream when it gets the response to the request.
 */
#define TW_REFUSED_LIST(X)                                                                    \
	X(1, PLACES, "places", "the table of streams is full")                                \
	X(2, SOURCE, "source", "the limit of streams from the producer's address is reached") \
	X(3, RATE, "rate", "streams that do not answer TIME_SYNC requests send too many bytes per second")

enum tw_refused_why {
#define X(num, name, text, what) TW_REFUSED_##name = (num),
	TW_REFUSED_LIST(X)
#undef X
};

_Static_assert(sizeof(struct tw_frame_hdr) == 48, "frame header");
_Static_assert(sizeof(struct tw_event) == 16, "EVENT");
_Static_assert(sizeof(struct tw_frame_hdr) + sizeof(struct tw_event) == 64, "body of a one-event frame");
_Static_assert(sizeof(struct tw_part) == 20, "PART");
_Static_assert(sizeof(struct tw_lost) == 20, "LOST");
_Static_assert(sizeof(struct tw_watermark) == 12, "WATERMARK");
_Static_assert(sizeof(struct tw_watermark_channel) == 12, "WATERMARK channel");
_Static_assert(sizeof(struct tw_schema_tlv) == 20, "SCHEMA");
_Static_assert(sizeof(struct tw_clock_tlv) == 72, "CLOCK with the TAI offset");
_Static_assert(sizeof(struct tw_phc) == 32, "a PHC of CLOCK");
_Static_assert(sizeof(struct tw_comm) == 28, "COMM");
_Static_assert(sizeof(struct tw_symbol_tlv) == 16, "SYMBOL");
_Static_assert(sizeof(struct tw_stat) == 12, "STATS entry");
_Static_assert(sizeof(struct tw_auth) == 8, "AUTH");
_Static_assert(sizeof(struct tw_end) == 8, "END");
_Static_assert(sizeof(struct tw_time_sync) == TW_TIME_SYNC_MIN + 16, "TIME_SYNC");
_Static_assert(sizeof(struct tw_offset) == 48, "OFFSET");

#endif
