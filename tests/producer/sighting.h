/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the events that two trace instances recorded. An event has different times and places in the rings of the two instances, so it
 * is identified by its CPU, task, flags and the text of its fields. The numbers of events with the same identity are compared.
 */
#ifndef SIGHTING_H
#define SIGHTING_H

#include "filter/filter.h"
#include "run.h"

struct sighting {
	char *key; /* identifies the event in both instances */
	uint64_t time;
};

struct sightings {
	struct sighting *items; /* by key and time */
	size_t n;
};

/* A stretch of time in the stream's clock. No load runs during @slack before and after it. */
struct stretch {
	uint64_t from, to, slack;
};

/**
 * sightings__of() - list the events of a run
 * @beside: the run to compare with; its readers are left out, too
 * @filter: list only events that the evaluator matches; NULL = all
 *
 * Leaves out events of this process, because an instance does not record its own readers. Also leaves out events of threads of another
 * tracewire, which may run in parallel.
 */
void sightings__of(const struct run *run, const struct run *beside, const struct tw_filter *filter,
		   struct sightings *ret);

/** sightings__within() - number of events in the stretch of time, without its slack */
size_t sightings__within(const struct sightings *sightings, const struct stretch *stretch);

/** sightings__missing() - number of events of @mine in the stretch that @other lacks, even with slack; prints the first few */
size_t sightings__missing(const struct sightings *mine, const struct sightings *other, const struct stretch *stretch,
			  const char *what);

void sightings__fini(struct sightings *sightings);

#endif
