/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of a memory sink in order of arrival, like any receiver, and keeps their content in lists. It counts violations of the
 * wire format, so that a test can require that there are none.
 */
#ifndef RECEIVER_H
#define RECEIVER_H

#include "memory_sink.h"
#include "schema/schema.h"
#include "schema/symbols.h"
#include "wire/decode.h"
#include "wire/parts.h"

/* All times are in the stream's clock; frame: index of the frame in the memory sink. */
struct got_event {
	uint64_t time, seq, schema_id;
	const uint8_t *record;
	uint32_t pid, len;
	uint16_t id, channel;
	size_t frame;
};

struct got_lost {
	uint64_t count;
	uint16_t channel, where;
	bool unknown;
	size_t frame;
};

struct got_name {
	uint64_t time, base; /* base: the frame's base time, at which a merge emits it */
	uint32_t pid, tgid;
	uint8_t origin;
	char name[TW_COMM_MAX + 1];
	size_t frame;
};

struct got_text {
	uint64_t schema_id;
	uint32_t index, total;
	uint16_t id;
	uint8_t kind;
	char *system, *text;
	size_t frame;
};

struct got_symbol {
	uint64_t address, base; /* base: the frame's base time, at which a merge emits it */
	uint32_t size;
	char name[TW_SYMBOL_NAME_MAX + 1];
	size_t frame;
};

struct got_clock {
	struct tw_clock_view view;
	size_t frame;
};

struct receiver {
	struct got_event *events;
	struct got_lost *lost;
	struct got_name *names; /* by pid and time */
	struct got_text *texts;
	struct got_symbol *symbols;
	struct got_clock *clocks;
	size_t n_events, n_lost, n_names, n_texts, n_symbols, n_clocks, n_watermarks, n_hosts, n_parts, n_stats, n_ends;
	size_t n_releases;  /* watermarks that let a merge write more events, because all channels had reached them */
	uint64_t stats[32]; /* from the last STATS, by enum tw_stat_id */
	uint64_t recorded_at_end; /* TW_STAT_RECORDED after the last frame */

	/* violations */
	uint64_t malformed;  /* frames or TLVs */
	uint64_t gaps;       /* missing numbers of events and of control frames */
	uint64_t renumbered; /* frames whose first number was already used by an earlier frame of the channel */
	uint64_t unordered;  /* events older than the previous event of their channel */
	uint64_t overtaken;  /* events and control frames older than a watermark, in frames without TW_FLAG_LATE */
	uint64_t revoked;    /* watermarks whose next number of a channel was already used */
	uint64_t flagged;    /* events older than a watermark, in frames with TW_FLAG_LATE (no violation) */
	uint64_t newest;     /* latest time of an event so far */
	uint64_t hasty;      /* STATS in frames that are older than an event before them */
	uint64_t foreign;    /* frames of a stream other than the first one */
	uint64_t undead;     /* frames after an END that are not copies of the END frame, or have new counters */

	struct tw_parts *parts;
	uint8_t **wholes; /* reassembled values; events point to them */
	size_t n_wholes;
};

/** receiver__read() - read all frames of the memory sink, which must outlive the receiver */
void receiver__read(struct receiver *receiver, const struct memory_sink *memory);

/** receiver__lost() - sum of the LOST records of a place */
uint64_t receiver__lost(const struct receiver *receiver, uint16_t where);

/**
 * receiver__name_of() - get the name of the task @pid for an event at @time
 *
 * Uses only COMM records before the event in time order. NULL if no COMM has it.
 */
const struct got_name *receiver__name_of(const struct receiver *receiver, uint32_t pid, uint64_t time);

/** receiver__unnamed() - number of events whose task has no name in a COMM */
uint64_t receiver__unnamed(const struct receiver *receiver);

/** receiver__assert_sound() - assert that there were no violations, except @gaps missing numbers; does not check hasty */
void receiver__assert_sound(const struct receiver *receiver, uint64_t gaps);

/** receiver__schema() - make a schema with the formats of all SCHEMA records; caller frees */
struct tw_schema *receiver__schema(const struct receiver *receiver);

void receiver__fini(struct receiver *receiver);

#endif
