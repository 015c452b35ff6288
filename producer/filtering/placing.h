/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filtering. One pass over all kinds of events: what of the filter goes where for each. */
#ifndef TW_PLACING_H
#define TW_PLACING_H

#include "filter/tree.h"
#include "producer/filtering/filtering.h"

struct tw_placing {
	struct tw_filtering *filtering;
	const struct tw_selection *selection;
	const struct tw_instance *instance;
	struct tw_bound *bound; /* its trees become what is left for the gate; NULL = no filter but the requests' own */
	bool first;             /* nothing is enabled yet: the filter files are empty */
	bool later;             /* what cannot be decided before the frames are sent is decided then */
	bool top_level;         /* events are enabled at the kernel's top level, not in the instance */
	bool gate;              /* something is left for it */
	size_t able;            /* kinds of events of which some can match */
	struct tw_filter_places places;
	struct tw_error *err;
};

/**
 * tw_placing__event() - place an event of the selection and set its filter file
 * @i: the selection's index; filtering->events has room for it
 *
 * Return: 0; -EINVAL if the event's own filter is refused or something is left that nobody would do, -ENOMEM; then it is off.
 */
int tw_placing__event(struct tw_placing *placing, size_t i);

/** tw_placing__others() - place what tracers and trace_marker record. Return: as tw_placing__event() */
int tw_placing__others(struct tw_placing *placing);

/** tw_placing__is_stack() - whether the kernel puts such records behind events */
bool tw_placing__is_stack(const struct tw_format *format);

#endif
