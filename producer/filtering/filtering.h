/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pushdown of a stream's filter. Each part of the filter is evaluated at the earliest stage that supports it: the kernel, through the
 * filter files of the events, or in the programs that make socket events; then the reader threads, in the event filter; then the
 * receiver of the frames. Only comparisons of task names are left to the receiver, if the kernel does not support them. Events that
 * cannot match are not enabled.
 */
#ifndef TW_FILTERING_H
#define TW_FILTERING_H

#include <pthread.h>

#include "filter/tree.h"
#include "producer/events.h"
#include "producer/filtering/event_filter.h"
#include "producer/filtering/own_events.h"
#include "producer/instance.h"
#include "producer/producer.h"
#include "producer/sockets/record.h"

/* The state of one event of the selection. */
struct tw_filtered {
	bool off;      /* the event is not to be enabled: it cannot match, or cannot be filtered */
	char *text;    /* filter of the request, the kernel's part of the stream's filter, or both; NULL = none */
	char *file;    /* content of the filter file: @text, and the filter against own events; NULL = none */
	char *refused; /* a filter text that the kernel refused; NULL = none */
};

struct tw_filtering {
	const struct tw_producer_options *options;
	const struct tw_selection *selection;
	const struct tw_instance *instance;
	char host[65]; /* host name, as in HOST */
	struct tw_own_events own;
	struct tw_event_filters event_filters;
	struct tw_filtered *events; /* same index as in the selection */
	size_t n;
	/* The parts of the filter that the programs of socket events evaluate, too */
	struct tw_sockts_conditions conditions[TW_SOCKTS_EVENTS];
	struct tw_error note;        /* see tw_producer__filter_note(); made for the first schema */
	pthread_mutex_t places_lock; /* protects the members below */
	struct tw_filter_places places;
	bool later; /* the receiver has to evaluate a part of the filter */
};

/** tw_filtering__init() - initialise; @options: borrowed */
void tw_filtering__init(struct tw_filtering *filtering, const struct tw_producer_options *options);

/**
 * tw_filtering__begin() - bind the filter to the formats (tw_filter__bind()), write the filter files, set the event filter
 * Call it before the readers run.
 * @selection: borrowed, like @instance; call tw_filtering__renew() when the selection has grown
 * @instance: no event is enabled in it yet
 * @schema: the formats of the selected events and of the records of tracers and trace_marker; taken over, also on failure. NULL if there is
 * no filter
 * Return: 0; -EINVAL for a filter that names unknown fields, that no event can match, or that has a part which no stage can evaluate; also
 * -EINVAL if the kernel refuses the filter of a request; another -errno.
 */
int tw_filtering__begin(struct tw_filtering *filtering, const struct tw_selection *selection,
			const struct tw_instance *instance, struct tw_schema *schema, struct tw_error *error);

/**
 * tw_filtering__leave_out_own() - make the kernel leave out the run's own events (filtering->own), also among the events that
 * tw_filtering__renew() adds later
 * Call it after tw_filtering__begin(), when all threads of the run exist. If the kernel refuses such a filter, the run's own events are
 * recorded.
 */
void tw_filtering__leave_out_own(struct tw_filtering *filtering);

/**
 * tw_filtering__renew() - do the work of tw_filtering__begin() again, after the selection has grown. New events that cannot be filtered
 * stay off, and are counted in left_out of struct tw_filter_places
 */
void tw_filtering__renew(struct tw_filtering *filtering, struct tw_schema *schema);

/** tw_filtering__enable() - enable all events except those with @off set. Return: 0, or the first -errno */
int tw_filtering__enable(const struct tw_filtering *filtering, struct tw_error *error);

/** tw_filtering__places() - as tw_producer__filter_places() */
void tw_filtering__places(struct tw_filtering *filtering, struct tw_filter_places *ret);

/** tw_filtering__fini() - free all members; call it after the readers have ended */
void tw_filtering__fini(struct tw_filtering *filtering);

#endif
