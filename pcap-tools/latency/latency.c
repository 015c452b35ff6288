/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/latency.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/latency/begun.h"
#include "pcap-tools/latency/impl.h"

#define LIVE_NAME      "the trace" /* in messages about a live run */
#define STACK_CPUS_MAX 4096        /* limit of CPUs of all streams, for each of which the last event is remembered */

static const struct tw_event_reader_ops ops = { .event = tw_latency__take_event };

static int make_pair(const struct tw_latency *l, size_t i, struct tw_latency_pair *pair, struct tw_error *error)
{
	const struct tw_latency_options *options = l->options;
	const struct tw_pair *definition = options->pairs[i];
	const size_t of_begun =
		tw_latency__describes(l) ? sizeof(struct tw_latency_begun) : offsetof(struct tw_latency_begun, event);

	if (tw_pair__has_values(definition) && options->n_by == TW_PAIR_KEYS_MAX)
		return tw_error__set(error, -EINVAL, "pair %s can be divided by %d fields at most", definition->name,
				     TW_PAIR_KEYS_MAX - 1);
	tw_budget__init(&pair->budget, options->memory / options->n_pairs);
	tw_pair_figures__init(&pair->figures, definition, options->by, options->n_by, options->linear,
			      &pair->budget.alloc);
	if (options->no_groups)
		pair->figures.n_by = 0;
	pair->pairing =
		tw_pairing__new(definition->events[0].n_keys, of_begun, definition->keeps_first, &pair->budget.alloc);
	if (!pair->pairing || tw_latency_slowest__init(&pair->slowest, options->top) ||
	    (options->stacks && tw_latency_stacks__init(&pair->stacks)))
		return tw_error__set(error, -ENOMEM, "no memory for pair %s", definition->name);
	return tw_latency_pair__parse_conditions(pair, error);
}

static int make_pairs(struct tw_latency *l, struct tw_error *error)
{
	const size_t n = l->options->n_pairs;
	int err = 0;

	l->types.pairs = calloc(n, sizeof(*l->types.pairs));
	l->shown = calloc(n, sizeof(*l->shown));
	l->names = tw_pair_names__new();
	if (!l->types.pairs || !l->shown || !l->names)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", n);
	for (; l->types.n_pairs < n && !err; l->types.n_pairs++)
		err = make_pair(l, l->types.n_pairs, &l->types.pairs[l->types.n_pairs], error);
	return err;
}

int tw_latency__new(const struct tw_latency_options *options, struct tw_latency **ret, struct tw_error *error)
{
	struct tw_latency *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", options->n_pairs);
	l->options = options;
	l->types.skips_invalid = options->skips_invalid;
	l->last = (struct tw_hash_table){ .key_size = sizeof(struct tw_latency_cpu),
					  .value_size = sizeof(struct tw_latency_last),
					  .max = STACK_CPUS_MAX };
	err = make_pairs(l, error);
	if (!err && options->filter)
		err = tw_capture_filter__check(options->filter, error);
	if (err)
		tw_latency__free(l);
	else
		*ret = l;
	return err;
}

static void free_pair(struct tw_latency_pair *pair)
{
	for (size_t i = 0; i < TW_PAIR_EVENTS_MAX; i++)
		tw_filter__free(pair->conditions[i]);
	tw_pairing__free(pair->pairing);
	tw_latency_slowest__fini(&pair->slowest);
	tw_latency_stacks__fini(&pair->stacks);
	tw_pair_figures__fini(&pair->figures);
}

void tw_latency__free(struct tw_latency *l)
{
	if (!l)
		return;
	tw_latency_types__fini(&l->types);
	for (size_t i = 0; i < l->types.n_pairs; i++)
		free_pair(&l->types.pairs[i]);
	tw_capture_filter__free(l->filter);
	tw_event_reader__free(l->reader);
	tw_pair_names__free(l->names);
	tw_hash_table__fini(&l->last);
	free(l->types.pairs);
	free(l->shown);
	free(l);
}

/* Finds the events of a pair that have no format in the capture. */
static void find_missing(struct tw_pair_figures *figures, const struct tw_schema *formats)
{
	for (size_t f = 0; f < tw_schema__count(formats); f++) {
		for (size_t i = 0; i < figures->pair->n_events; i++) {
			if (tw_pair_binding__is_of(&figures->pair->events[i], tw_schema__at(formats, f)))
				figures->is_missing[i] = false;
		}
	}
}

static int find_all_missing(struct tw_latency *l)
{
	const struct tw_stream *s = tw_streams__first(tw_event_reader__streams(l->reader));

	for (size_t i = 0; i < l->types.n_pairs; i++)
		memset(l->types.pairs[i].figures.is_missing, true, sizeof(l->types.pairs[i].figures.is_missing));
	for (; s; s = s->next) {
		for (const struct tw_stream_schema *schema = s->schemas; schema; schema = schema->next) {
			struct tw_schema *formats = tw_stream_schema__formats(schema);

			if (!formats)
				return -ENOMEM;
			for (size_t i = 0; i < l->types.n_pairs; i++)
				find_missing(&l->types.pairs[i].figures, formats);
			tw_schema__free(formats);
		}
	}
	return 0;
}

static int check_by(const struct tw_latency_pair *pair, struct tw_error *error)
{
	const struct tw_pair_figures *figures = &pair->figures;

	for (size_t i = 0; i < figures->n_by; i++) {
		if (!pair->has_by[i])
			return tw_error__set(error, -EINVAL,
					     "no event of pair %s has the field '%s', by which it is divided",
					     figures->pair->name, figures->by[i]);
	}
	return 0;
}

/* Refuses a capture that has no format of an event that a pair needs, no stacks, or no event with the field of a group. */
static int check_pairs(struct tw_latency *l, struct tw_error *error)
{
	struct tw_pairing_stats stats;
	int err = 0;

	if (l->options->counts_types)
		return 0;
	if (find_all_missing(l))
		return tw_error__set(error, -ENOMEM, "no memory to look for the events of %s", l->name);
	for (size_t i = 0; i < l->types.n_pairs && !err; i++) {
		const struct tw_pair_figures *figures = &l->types.pairs[i].figures;
		const struct tw_pair_event *missing = tw_pair__lacks(figures->pair, figures->is_missing);

		if (missing)
			return tw_error__set(error, -EINVAL,
					     "%s has no event %s%s%s, which pair %s needs: record it with the option "
					     "--event",
					     l->name, missing->system ? missing->system : "",
					     missing->system ? ":" : "", missing->event, figures->pair->name);
		tw_pairing__stats(l->types.pairs[i].pairing, &stats);
		if (stats.begun && l->options->stacks && !l->n_stacks)
			return tw_error__set(error, -EINVAL,
					     "%s has no kernel stacks: record it with the option --stacks", l->name);
		if (stats.begun || l->types.pairs[i].n_values)
			err = check_by(&l->types.pairs[i], error);
	}
	return err;
}

/* Makes the filter, which needs the table of streams. */
static int begin(struct tw_latency *l, const char *name, struct tw_error *error)
{
	l->name = name;
	return !l->options->filter ? 0
				   : tw_capture_filter__new(l->options->filter, tw_event_reader__streams(l->reader),
							    &l->filter, error);
}

/* Makes the ledgers, and completes the result. */
static void finish(struct tw_latency *l)
{
	tw_event_reader__finish(l->reader);
	if (l->filter)
		tw_capture_filter__undecided_predicates(l->filter, &l->result.undecided);
}

/* Chooses the failure to report: @err of tw_latency__take_event(), or else @more of reading. Return: it, with its text in @error */
static int judge(const struct tw_latency *l, int err, int more, struct tw_error *error)
{
	if (*l->refusal.text)
		return tw_error__set(error, err == -ENOMEM ? err : -EINVAL, "%s", l->refusal.text);
	if (err)
		return tw_error__set(error, err, "no memory to measure %s", l->name ? l->name : LIVE_NAME);
	return more;
}

int tw_latency__check(struct tw_latency *l, const struct tw_schema *formats, struct tw_error *error)
{
	int err = tw_latency_types__check(&l->types, formats, TW_HOST_BE);

	l->refusal = l->types.refusal;
	err = judge(l, err, 0, error);
	for (size_t i = 0; i < l->types.n_pairs && !err; i++)
		err = check_by(&l->types.pairs[i], error);
	return err;
}

int tw_latency__read(struct tw_latency *l, int in, const char *name, struct tw_error *error)
{
	int err = tw_event_reader__new(in, name, &ops, l, &l->result.read, &l->reader, error), more;

	if (!err)
		err = begin(l, name, error);
	if (err)
		return err;
	more = tw_event_reader__run(l->reader, &err, error);
	err = judge(l, err, more, error);
	if (!err)
		err = tw_event_reader__check(l->reader, error);
	if (!err)
		err = check_pairs(l, error);
	finish(l);
	return err;
}

int tw_latency__begin(struct tw_latency *l, struct tw_error *error)
{
	const int err = tw_event_reader__new_live(&ops, l, &l->result.read, &l->reader, error);

	return err ? err : begin(l, LIVE_NAME, error);
}

int tw_latency__frame(struct tw_latency *l, const void *data, size_t len, struct tw_error *error)
{
	return judge(l, tw_event_reader__frame(l->reader, data, len), 0, error);
}

int tw_latency__end(struct tw_latency *l, struct tw_error *error)
{
	int err = judge(l, tw_event_reader__flush(l->reader), 0, error);

	if (!err)
		err = check_pairs(l, error);
	finish(l);
	return err;
}

enum tw_selected tw_latency__selects(const struct tw_latency *l, const char *system, const char *event)
{
	return tw_event_reader__records(l->reader, system, event);
}

/* Makes the counters those since tw_latency__clear(); @stats->open stays the present number. */
static void subtract(struct tw_pairing_stats *stats, const struct tw_pairing_stats *before)
{
	stats->begun -= before->begun;
	stats->paired -= before->paired;
	stats->across_loss -= before->across_loss;
	stats->backwards -= before->backwards;
	stats->again -= before->again;
	stats->cancelled -= before->cancelled;
	stats->evicted -= before->evicted;
	stats->no_begin -= before->no_begin;
}

const struct tw_latency_result *tw_latency__result(struct tw_latency *l)
{
	for (size_t i = 0; i < l->types.n_pairs; i++) {
		struct tw_latency_pair *pair = &l->types.pairs[i];

		tw_pairing__stats(pair->pairing, &pair->figures.stats);
		subtract(&pair->figures.stats, &pair->before);
		pair->figures.stats.begun += pair->n_values;
		pair->figures.stats.paired += pair->n_values;
		tw_pair_figures__sort(&pair->figures);
		tw_latency_slowest__sort(&pair->slowest);
		l->shown[i] =
			(struct tw_latency_measured){ pair->figures, &pair->slowest, &pair->stacks, pair->is_invalid };
	}
	if (l->filter)
		tw_capture_filter__stats(l->filter, &l->result.filtered);
	l->result.names = l->names;
	l->result.pairs = l->shown;
	l->result.n_pairs = l->types.n_pairs;
	return &l->result;
}

/* A pair to which the times of open beginnings are added. */
struct passing {
	struct tw_latency *l;
	struct tw_pair_figures *figures;
	int err;
};

static void add_time(void *ctx, const void *extra, uint64_t ns)
{
	struct passing *passing = ctx;
	uint64_t names[TW_PAIR_KEYS_MAX];

	memcpy(names, extra, sizeof(names));
	for (size_t i = 0; i < passing->figures->n_by; i++)
		if (names[i] == TW_PAIR_NO_NAME)
			names[i] = tw_pair_names__add(passing->l->names, "", 0);
	if (tw_pair_figures__add_time(passing->figures, ns, names))
		passing->err = -ENOMEM;
}

int tw_latency__pass(struct tw_latency *l)
{
	struct passing passing = { .l = l };

	for (size_t i = 0; i < l->types.n_pairs; i++) {
		passing.figures = &l->types.pairs[i].figures;
		tw_pairing__pass(l->types.pairs[i].pairing, l->latest, add_time, &passing);
	}
	return passing.err;
}

void tw_latency__clear(struct tw_latency *l)
{
	for (size_t i = 0; i < l->types.n_pairs; i++) {
		struct tw_latency_pair *pair = &l->types.pairs[i];

		tw_pair_figures__clear(&pair->figures);
		pair->n_values = 0;
		tw_latency_slowest__clear(&pair->slowest);
		tw_pairing__stats(pair->pairing, &pair->before);
	}
}
