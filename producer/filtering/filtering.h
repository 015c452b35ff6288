/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pushdown of a stream's filter. Each part is evaluated at the earliest stage that can: the kernel, in the filter files of the events;
 * then the readers, in the event filter. Tests of a task name that the kernel cannot make are left to the receiver of the frames. Events
 * that cannot match are not enabled.
 */
#ifndef TW_FILTERING_H
#define TW_FILTERING_H

#include <pthread.h>

#include "filter/tree.h"
#include "producer/events.h"
#include "producer/filtering/event_filter.h"
#include "producer/instance.h"
#include "producer/producer.h"

/* An event of the selection. */
struct tw_filtered {
	bool off;   /* not to be enabled: it cannot match, or no stage can decide it */
	char *text; /* content of the filter file: the request's filter, the pushed-down part, or both; NULL = none */
	char *refused; /* the part that the kernel did not take; NULL = nothing */
};

struct tw_filtering {
	const struct tw_producer_options *options;
	char host[65]; /* as in HOST */
	struct tw_event_filters event_filters;
	struct tw_filtered *events; /* same index as in the selection */
	size_t n;
	struct tw_error note;        /* tw_filter__ambiguous_key() of the first schema */
	pthread_mutex_t places_lock; /* protects the members below */
	struct tw_filter_places places;
	bool later; /* the receiver has something to evaluate */
};

/** tw_filtering__init() - @options: borrowed */
void tw_filtering__init(struct tw_filtering *filtering, const struct tw_producer_options *options);

/**
 * tw_filtering__begin() - bind the filter, set the filter files, replace the event filter; call it before the readers run
 * @instance: no event is enabled in it yet
 * @schema: the events of the selection, and those of tracers and trace_marker; taken over, also on failure. NULL without a filter
 *
 * Return: 0; -EINVAL for a filter that has no meaning here, that no event can match or that the kernel refuses; another -errno.
 */
int tw_filtering__begin(struct tw_filtering *filtering, const struct tw_selection *selection,
			struct tw_instance *instance, struct tw_schema *schema, struct tw_error *error);

/**
 * tw_filtering__renew() - the same for a selection that has grown, while the readers run
 *
 * New events that cannot be filtered stay disabled and are counted.
 */
void tw_filtering__renew(struct tw_filtering *filtering, const struct tw_selection *selection,
			 struct tw_instance *instance, struct tw_schema *schema);

/** tw_filtering__enable() - enable all events that can match. Return: 0, or the first -errno */
int tw_filtering__enable(const struct tw_filtering *filtering, const struct tw_selection *selection,
			 const struct tw_instance *instance, struct tw_error *error);

/** tw_filtering__places() - as tw_producer__filter_places() */
void tw_filtering__places(struct tw_filtering *filtering, struct tw_filter_places *ret);

/** tw_filtering__fini() - call it after the readers have ended */
void tw_filtering__fini(struct tw_filtering *filtering);

#endif
