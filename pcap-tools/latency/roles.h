/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to latency and time. The roles of an event type: what its events do to the pairs, such as begin or end one. The roles are made at the
 * first event of the type, when its format is known.
 */
#ifndef TW_LATENCY_ROLES_H
#define TW_LATENCY_ROLES_H

#include "base/budget.h"
#include "filter/evaluate.h"
#include "pairs/binding.h"
#include "pairs/figures.h"
#include "pairs/pairing.h"
#include "pcap-tools/events/reader.h"
#include "pcap-tools/latency/slowest.h"
#include "pcap-tools/latency/stacks.h"
#include "stream/streams.h"

/* A pair while its events are read. */
struct tw_latency_pair {
	struct tw_budget budget; /* the pair's part of the memory of the options */
	struct tw_pair_figures figures;
	struct tw_pairing *pairing;
	struct tw_pairing_stats before;                   /* counters at the last tw_latency__clear() */
	struct tw_filter *conditions[TW_PAIR_EVENTS_MAX]; /* of its events; NULL = none */
	struct tw_latency_slowest slowest;
	struct tw_latency_stacks stacks;
	uint64_t n_values; /* samples that are values of events, since the figures were cleared */
	bool is_invalid;   /* the pair does not fit an event, which was left out: see skips_invalid */
	bool has_key_kinds, key_is_text[TW_PAIR_KEYS_MAX]; /* kinds of the keys; all events must have the same */
	bool has_kind;                                     /* figures.is_named is known */
	bool has_by[TW_PAIR_KEYS_MAX];                     /* an event of the pair has the field figures.by[i] */
};

/* What the events of one type do to a pair. */
struct tw_latency_role {
	struct tw_latency_pair *pair;
	struct tw_pair_binding binding;
	struct tw_bound *condition; /* NULL = none */
};

/* All roles of an event type, in the order in which they are carried out: end, cancel, begin, value. */
struct tw_latency_roles {
	struct tw_latency_roles *next; /* roles of another event type */
	struct tw_schema *formats;     /* a view of the event type's format, for the conditions */
	size_t n;
	struct tw_latency_role roles[];
};

/* All roles of a run. */
struct tw_latency_types {
	struct tw_latency_pair *pairs; /* @n_pairs of them */
	size_t n_pairs;
	struct tw_latency_roles *roles; /* list of the roles of all event types */
	bool skips_invalid; /* a pair whose key or condition does not fit a format is measured without this event */
	unsigned int n;     /* number of event types with roles */
	size_t memory;      /* of all bound conditions, bytes */
	struct tw_error refusal; /* why an event type was refused; "" = no memory */
};

/** tw_latency_pair__parse_conditions() - parse the conditions of a pair. Return: 0, -EINVAL, -E2BIG, -ENOMEM */
int tw_latency_pair__parse_conditions(struct tw_latency_pair *pair, struct tw_error *error);

/**
 * tw_latency_types__of() - the roles of an event type
 * @ret: NULL if its events do nothing
 * Return: 0; -EINVAL, -E2BIG with types->refusal filled; -ENOMEM. A failure is final.
 */
int tw_latency_types__of(struct tw_latency_types *types, struct tw_stream_event *known, bool big_endian,
			 const struct tw_latency_roles **ret);

/** tw_latency_types__check() - whether the pairs can be measured in events of these formats. Return: as tw_latency_types__of() */
int tw_latency_types__check(struct tw_latency_types *types, const struct tw_schema *formats, bool big_endian);

/** tw_latency_input__of() - an event as the input of its roles, without @print; its texts are borrowed until the next event */
struct tw_pair_input tw_latency_input__of(const struct tw_read_event *event);

/** tw_latency_role__applies() - whether the event matches the condition of a role; counts conditions that reached a limit */
bool tw_latency_role__applies(const struct tw_latency_role *role, const struct tw_read_event *event,
			      const struct tw_pair_input *input);

/** tw_latency_types__fini() - free the roles */
void tw_latency_types__fini(struct tw_latency_types *types);

#endif
