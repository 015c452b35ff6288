/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of a memory sink in order of arrival, like any receiver, and keeps their content in lists. Violations of the wire
 * format are counted, so that a test can require zero.
 */
#ifndef RECEIVER_H
#define RECEIVER_H

#include "memory_sink.h"
#include "schema/schema.h"
#include "schema/symbols.h"
#include "wire/decode.h"
#include "wire/parts.h"

/* All times by the stream's clock; frame: index in the memory sink. */
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
	uint64_t time, base; /* base time of the frame: its place in a merge */
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
	uint64_t address, base; /* base time of the frame: its place in a merge */
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
	uint64_t stats[32];       /* by enum tw_stat_id: of the last STATS */
	uint64_t recorded_at_end; /* of the last END's frame */

	/* violations */
	uint64_t malformed;  /* frames or TLVs */
	uint64_t gaps;       /* numbers never seen, of events and of control frames */
	uint64_t renumbered; /* frames that begin before the end of the last one's numbers */
	uint64_t unordered;  /* events older than the one before in their channel */
	uint64_t overtaken;  /* events, or control frames, older than a watermark, in frames not flagged */
	uint64_t revoked;    /* watermarks with a number before one that arrived */
	uint64_t flagged;    /* events older than a watermark, in flagged frames */
	uint64_t newest;     /* latest time of an event so far */
	uint64_t hasty;      /* counters in frames older than an event that arrived before them */
	uint64_t foreign;    /* frames of a stream other than the first */
	uint64_t undead;     /* frames after an END that are not copies of it, or have new counters */

	struct tw_parts *parts;
	uint8_t **wholes; /* reassembled values; events point to them */
	size_t n_wholes;
};

/** receiver__read() - read all frames of the memory sink, which must outlive the receiver */
void receiver__read(struct receiver *receiver, const struct memory_sink *memory);

/** receiver__lost() - sum of the LOST records of a place */
uint64_t receiver__lost(const struct receiver *receiver, uint16_t where);

/**
 * receiver__name_of() - the task name of an event at that time
 *
 * Uses only COMM records before the event in time order. NULL if no COMM has it.
 */
const struct got_name *receiver__name_of(const struct receiver *receiver, uint32_t pid, uint64_t time);

/** receiver__unnamed() - events whose task's name no COMM has */
uint64_t receiver__unnamed(const struct receiver *receiver);

/** receiver__assert_sound() - there were no violations; gaps are permitted only if @gaps says so */
void receiver__assert_sound(const struct receiver *receiver, uint64_t gaps);

/** receiver__schema() - the formats of all SCHEMA records; caller frees */
struct tw_schema *receiver__schema(const struct receiver *receiver);

void receiver__fini(struct receiver *receiver);

#endif
