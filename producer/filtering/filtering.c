/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/filtering/filtering.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "filter/evaluate.h"
#include "producer/filtering/event_file.h"
#include "producer/filtering/placing.h"
#include "producer/filtering/stages.h"

void tw_filtering__init(struct tw_filtering *f, const struct tw_producer_options *options)
{
	struct utsname uts;

	*f = (struct tw_filtering){ .options = options };
	pthread_mutex_init(&f->places_lock, NULL);
	if (!uname(&uts))
		snprintf(f->host, sizeof(f->host), "%s", uts.nodename);
}

static int make_room(struct tw_filtering *f, size_t n, struct tw_error *err)
{
	struct tw_filtered *events = n > f->n ? reallocarray(f->events, n, sizeof(*events)) : f->events;

	if (n > f->n && !events)
		return tw_error__set(err, -ENOMEM, "no memory for the filters of the events");
	f->events = events;
	while (f->n < n)
		events[f->n++] = (struct tw_filtered){ .off = true };
	return 0;
}

/* Each event, also behind one that failed: what is wrong with the first is told. */
static int place_all(struct tw_placing *p)
{
	struct tw_error *const err = p->err;
	int first = 0;

	p->places = (struct tw_filter_places){ 0 };
	for (size_t i = 0; i < p->selection->events.n; i++) {
		const int rc = tw_placing__event(p, i);

		p->places.left_out += rc != 0;
		first = first ? first : rc;
		p->err = first ? NULL : err;
	}
	if (!first && p->bound)
		first = tw_placing__others(p);
	p->err = err;
	return first;
}

static uint8_t verdict_of(const struct tw_bound *bound, uint16_t id)
{
	switch (tw_bound__is_certain(bound, id)) {
	case 0:
		return TW_VERDICT_REJECT;
	case 1:
		return TW_VERDICT_PASS;
	default:
		return TW_VERDICT_EVALUATE;
	}
}

static bool has_stacks(const struct tw_bound *bound)
{
	for (size_t i = 0; i < bound->n_events; i++)
		if (tw_placing__is_stack(bound->events[i].format))
			return true;
	return false;
}

static void set_verdicts(struct tw_event_filter *gate)
{
	const uint8_t noted = has_stacks(gate->bound) ? TW_VERDICT_NOTED : 0;

	for (uint32_t id = 0; id < TW_EVENT_FILTER_IDS; id++)
		gate->verdicts[id] = verdict_of(gate->bound, (uint16_t)id) | noted;
	for (size_t i = 0; i < gate->bound->n_events; i++)
		if (tw_placing__is_stack(gate->bound->events[i].format))
			gate->verdicts[gate->bound->events[i].format->id] = TW_VERDICT_STACK;
}

/* Takes the bound filter and its schema over; they are not needed if nothing is left for the gate. */
static int put_gate(struct tw_placing *p, struct tw_schema *schema)
{
	struct tw_filtering *f = p->filtering;
	struct tw_event_filter *gate = calloc(1, sizeof(*gate));
	int rc;

	if (!gate) {
		tw_bound__free(p->bound);
		tw_schema__free(schema);
		return tw_error__set(p->err, -ENOMEM, "no memory for the producer's part of the filter");
	}
	gate->bound = p->bound;
	gate->schema = schema;
	gate->host = f->host;
	gate->host_len = strlen(f->host);
	rc = p->gate ? tw_bound__prepare(p->bound, p->err) : 0;
	if (rc || !p->gate) {
		tw_event_filter__free(gate);
		gate = NULL;
	}
	if (gate)
		set_verdicts(gate);
	if (!rc)
		tw_event_filters__replace(&f->gates, gate);
	return rc;
}

/* Ids without a format are not expected; what can be said of them is. */
static int split_unknown(struct tw_placing *p)
{
	struct tw_stages stages;

	if (tw_stages__split(p->bound->unknown, false, p->bound->arena, &stages))
		return tw_error__set(p->err, -ENOMEM, "no memory for the filter of so many events");
	p->bound->unknown = stages.producer;
	return 0;
}

static int bind(struct tw_placing *p, const struct tw_schema *schema)
{
	const struct tw_bind_options options = {
		.schema = schema,
		.big_endian = TW_HOST_BE,
		.unknown_is_absent = !p->first,
	};
	const int rc = tw_filter__bind(p->filtering->options->filter, &options, &p->bound, p->err);

	return rc == -E2BIG ? -EINVAL : rc; /* it was typed so */
}

static int check_able(const struct tw_placing *p)
{
	if (p->able || !p->first)
		return 0;
	return tw_error__set(p->err, -EINVAL,
			     "no event that is asked for can match the filter '%s': what it wants, none of them has",
			     tw_filter__text(p->filtering->options->filter));
}

/* With a filter: one pass, everything placed, the filter files set, the gate put. Takes the schema over. */
static int place_filter(struct tw_placing *p, struct tw_schema *schema)
{
	int rc = bind(p, schema);

	if (!rc) {
		rc = place_all(p);
		rc = p->first ? rc : 0;
	}
	if (!rc)
		rc = check_able(p);
	if (!rc)
		rc = split_unknown(p);
	if (!rc)
		return put_gate(p, schema);
	tw_bound__free(p->bound);
	tw_schema__free(schema);
	return rc;
}

/* At the top level the instance's own files serve to ask the kernel: what is set there would outlive us if we were killed now. */
static int place(struct tw_placing *p, struct tw_schema *schema)
{
	p->top_level = tw_instance__is_top_level(p->instance);
	p->instance = tw_instance__own_files(p->instance);
	return p->filtering->options->filter ? place_filter(p, schema) : place_all(p);
}

/* A thread that asks sees the places of all events, never of some. */
static void publish(struct tw_filtering *f, const struct tw_filter_places *places)
{
	pthread_mutex_lock(&f->places_lock);
	f->places = *places;
	pthread_mutex_unlock(&f->places_lock);
}

int tw_filtering__begin(struct tw_filtering *f, const struct tw_selection *selection, struct tw_instance *instance,
			struct tw_schema *schema, struct tw_error *err)
{
	struct tw_placing placing = {
		.filtering = f,
		.selection = selection,
		.instance = instance,
		.first = true,
		.later = f->options->later_stage,
		.err = err,
	};
	int rc = make_room(f, selection->events.n, err);

	if (rc) {
		tw_schema__free(schema);
		return rc;
	}
	rc = place(&placing, schema);
	f->later = placing.places.later;
	publish(f, &placing.places);
	return rc;
}

void tw_filtering__renew(struct tw_filtering *f, const struct tw_selection *selection, struct tw_instance *instance,
			 struct tw_schema *schema)
{
	const size_t before = f->n;
	struct tw_placing placing = {
		.filtering = f,
		.selection = selection,
		.instance = instance,
		.later = f->later,
	};

	if (make_room(f, selection->events.n, NULL)) {
		tw_schema__free(schema);
		return;
	}
	if (place(&placing, schema) && f->options->filter) {
		placing.places.left_out = f->n - before; /* the gate is the old one, which does not know them */
		for (size_t i = before; i < f->n; i++)
			f->events[i].off = true;
	}
	publish(f, &placing.places);
}

void tw_filtering__places(struct tw_filtering *f, struct tw_filter_places *ret)
{
	pthread_mutex_lock(&f->places_lock);
	*ret = f->places;
	pthread_mutex_unlock(&f->places_lock);
}

static int enable_one(const struct tw_filtered *event, const struct tw_event_name *name,
		      const struct tw_instance *instance, struct tw_error *err)
{
	int rc = 0;

	if (tw_instance__is_top_level(instance) && event->text &&
	    !tw_event_file__has_filter(instance, name, event->text))
		rc = tw_event_file__filter(instance, name, event->text, err);
	return rc ? rc : tw_event_file__enable(instance, name, err);
}

int tw_filtering__enable(const struct tw_filtering *f, const struct tw_selection *selection,
			 const struct tw_instance *instance, struct tw_error *err)
{
	int first = 0;

	for (size_t i = 0; i < selection->events.n && i < f->n; i++) {
		int rc;

		if (f->events[i].off)
			continue;
		rc = enable_one(&f->events[i], &selection->events.names[i], instance, first ? NULL : err);
		first = first ? first : rc;
	}
	return first;
}

void tw_filtering__fini(struct tw_filtering *f)
{
	tw_event_filters__fini(&f->gates);
	for (size_t i = 0; i < f->n; i++) {
		free(f->events[i].text);
		free(f->events[i].refused);
	}
	free(f->events);
	pthread_mutex_destroy(&f->places_lock);
	*f = (struct tw_filtering){ 0 };
}
