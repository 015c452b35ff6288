/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that two trace instances recorded. Each has different times and places in the rings, so an event is identified by its CPU,
 * task, flags and the text of its fields; the numbers of such events in both are compared.
 */
#ifndef SIGHTING_H
#define SIGHTING_H

#include "filter/filter.h"
#include "run.h"

struct sighting {
	char *key; /* what makes the event the same in both */
	uint64_t time;
};

struct sightings {
	struct sighting *items; /* by key and time */
	size_t n;
};

/* A stretch of time by the stream's clock, with a quiet moment of slack around it. */
struct stretch {
	uint64_t from, to, slack;
};

/**
 * sightings__of() - events of a run
 * @beside: the run to compare with: events that either has left out are left out of both
 * @filter: only those that the evaluator matches; NULL = all
 *
 * Leaves out events of this process: an instance does not record its own readers. Events of threads of another tracewire, which may run
 * in parallel, are left out, too.
 */
void sightings__of(const struct run *run, const struct run *beside, const struct tw_filter *filter,
		   struct sightings *ret);

/** sightings__within() - number of events in the period, without its slack */
size_t sightings__within(const struct sightings *sightings, const struct stretch *stretch);

/** sightings__missing() - events of @mine in the period that @other does not have, slack included; prints the first few */
size_t sightings__missing(const struct sightings *mine, const struct sightings *other, const struct stretch *stretch,
			  const char *what);

void sightings__fini(struct sightings *sightings);

#endif
