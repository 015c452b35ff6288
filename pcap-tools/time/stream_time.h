/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the times of one stream rest on: its OFFSET records, its CLOCK samples, and the sources that its HOST names. Values that the capture
 * does not have are unknown. All values are untrusted, and memory is bounded.
 */
#ifndef TW_STREAM_TIME_H
#define TW_STREAM_TIME_H

#include "clocks/wall_clock.h"
#include "pcap-tools/events/reader.h"
#include "pcap-tools/time/series.h"
#include "stream/streams.h"

#define TW_TIME_STRETCHES_MAX   64 /* of a stream; later ones are counted and added to the last */
#define TW_TIME_CHANGES_MAX     64 /* of a stream; later ones are only counted */
#define TW_TIME_SYNC_MAX        128
#define TW_TIME_GRANDMASTER_MAX 32

/* Clocks whose offset from the stream's clock is known. Columns: name, key in JSON, text. */
#define TW_TIME_CLOCK_LIST(X)                                           \
	X(PACKET, "packet", "packet time, from the OFFSET records")     \
	X(REAL, "realtime", "CLOCK_REALTIME, from the CLOCK records")   \
	X(BOOT, "boottime", "CLOCK_BOOTTIME, from the CLOCK records")   \
	X(MONO, "monotonic", "CLOCK_MONOTONIC, from the CLOCK records") \
	X(RAW, "monotonic_raw", "CLOCK_MONOTONIC_RAW, from the CLOCK records")

enum tw_time_clock {
#define X(name, key, text) TW_TIME_##name,
	TW_TIME_CLOCK_LIST(X)
#undef X
		TW_TIME_CLOCKS
};

/* A time in which the stream's times rest on the same source. */
struct tw_time_stretch {
	uint64_t from;                             /* by the stream's clock, ns */
	bool has_offset;                           /* an OFFSET record applies */
	uint16_t method;                           /* enum tw_offset_method, or unknown; valid if has_offset */
	char sync[TW_TIME_SYNC_MAX];               /* HOST's SYNC, without the distance from the source; "" = unknown */
	char grandmaster[TW_TIME_GRANDMASTER_MAX]; /* "" = unknown */
	uint64_t since;                /* time since which the clocks have this source, ns since 1970; 0 = unknown */
	uint64_t error_min, error_max; /* error bounds; TW_ERROR_UNKNOWN, 0 if no bound is known */
	bool has_unknown;              /* for a part of the stretch, the error bound is unknown */
	uint32_t sync_min,
		sync_max; /* bounds of the distance from the source, as the machine reports them; UINT32_MAX, 0 = unknown */
};

struct tw_time_change {
	uint64_t time; /* by the stream's clock, ns */
	uint16_t kind; /* enum tw_offset_kind: STEP, SUSPEND, LEAP, TAI, or unknown */
	int64_t step;  /* ns */
};

struct tw_time_changes {
	struct tw_time_change *items; /* @n of them */
	uint32_t n;
	uint64_t more; /* further changes */
};

/* Readings of a PTP hardware clock. */
struct tw_time_phc {
	uint16_t index;   /* /dev/ptpN */
	uint8_t method;   /* enum tw_phc_method of the last reading, or unknown */
	uint32_t sync_ns; /* of the last reading; 0 = unknown */
	struct tw_time_series series;
};

struct tw_stream_time {
	struct tw_stream *stream;
	struct tw_time_series series[TW_TIME_CLOCKS]; /* without samples if the capture has none */
	struct tw_time_phc *phcs;                     /* @n_phcs of them */
	uint32_t n_phcs;
	char phcs_text[256]; /* HOST's PHCS; "" = unknown */
	struct tw_time_stretch *stretches;
	uint32_t n_stretches;
	uint64_t more_stretches;
	struct tw_time_changes reported, seen; /* changes in OFFSET records; changes between CLOCK records */
	uint64_t offsets, clocks, events;      /* numbers of records */
	uint64_t first, last; /* earliest and latest time of a record or an event, by the stream's clock, ns */
	bool has_time;
	bool has_tai; /* a CLOCK had the TAI offset, which may be 0 */
	int32_t tai_offset;
	uint16_t leap;                /* enum tw_leap, or unknown; valid if has_tai */
	bool has_drift;               /* an OFFSET reported a drift */
	int32_t drift_min, drift_max; /* ns per s that the stream's clock gains on the capture's reference */
	bool has_host;                /* a HOST was read */
	/* The latest values, and the bound of the last OFFSET. The time of the next OFFSET or CLOCK begins a stretch. */
	struct tw_time_stretch now;
	struct tw_wall_clock wall;
};

/** tw_stream_time__record() - take a record of the stream. Return: 0, -ENOMEM */
int tw_stream_time__record(struct tw_stream_time *s, const struct tw_tlv_view *tlv);

/** tw_stream_time__event() - note the times of an event. Return: 0, -ENOMEM */
int tw_stream_time__event(struct tw_stream_time *s, const struct tw_read_event *event);

/** tw_stream_time__changes() - the changes in OFFSET records; if the capture has no OFFSET of the stream, those between CLOCK records */
const struct tw_time_changes *tw_stream_time__changes(const struct tw_stream_time *s);

/**
 * tw_stream_time__packet() - convert a time of the stream's clock, ns, to packet time, ns since 1970
 * Uses the last OFFSET; without one, the first CLOCK with CLOCK_REALTIME. Return: false if there is neither.
 */
bool tw_stream_time__packet(const struct tw_stream_time *s, uint64_t ns, uint64_t *ret);

/** tw_stream_time__fini() - free the members */
void tw_stream_time__fini(struct tw_stream_time *s);

#endif
