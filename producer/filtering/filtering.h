/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pushdown of a stream's filter. Each part is evaluated as early as it can be: by the kernel, in the filter files of the events; then
 * by the readers, in the event filter. Tests of a task's name that the kernel cannot make are left to the receiver of the frames.
 * Events of which none can match are not enabled.
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
	bool off;      /* not to be enabled: none can match, or no stage can decide it */
	char *text;    /* in its filter file: the request's own filter, what is pushed down, or both; NULL = none */
	char *refused; /* what the kernel did not take; NULL = nothing */
};

struct tw_filtering {
	const struct tw_producer_options *options;
	char host[65]; /* as HOST names it */
	struct tw_event_filters event_filters;
	struct tw_filtered *events; /* by the selection's index */
	size_t n;
	pthread_mutex_t places_lock; /* of what follows */
	struct tw_filter_places places;
	bool later; /* something is left for the receiver of the frames */
};

/** tw_filtering__init() - @options: borrowed */
void tw_filtering__init(struct tw_filtering *filtering, const struct tw_producer_options *options);

/**
 * tw_filtering__begin() - bind the filter, set the filter files, replace the event filter; before the readers run
 * @instance: nothing is enabled in it yet
 * @schema: with the selection's events, and no others but what tracers and trace_marker record; taken over, also on failure.
 * NULL without a filter
 *
 * Return: 0; -EINVAL for a filter that means nothing here, that no event can match or that the kernel refuses; another -errno.
 */
int tw_filtering__begin(struct tw_filtering *filtering, const struct tw_selection *selection,
			struct tw_instance *instance, struct tw_schema *schema, struct tw_error *error);

/**
 * tw_filtering__renew() - the same for a selection that has grown, while the readers run
 *
 * New events that cannot be filtered stay off, and are counted.
 */
void tw_filtering__renew(struct tw_filtering *filtering, const struct tw_selection *selection,
			 struct tw_instance *instance, struct tw_schema *schema);

/** tw_filtering__enable() - let all events be recorded that can match. Return: 0, or the first -errno met */
int tw_filtering__enable(const struct tw_filtering *filtering, const struct tw_selection *selection,
			 const struct tw_instance *instance, struct tw_error *error);

/** tw_filtering__places() - as tw_producer__filter_places() */
void tw_filtering__places(struct tw_filtering *filtering, struct tw_filter_places *ret);

/** tw_filtering__fini() - after the readers */
void tw_filtering__fini(struct tw_filtering *filtering);

#endif
