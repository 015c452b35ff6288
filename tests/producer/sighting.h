/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two trace instances saw of the same events. Each has its own times and places in the rings, so an event is known by its
 * CPU, task, flags and the text of its fields; an event of one is in the other, or it is not, by how often such a one was seen.
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

/** sighting_schema() - the formats that a stream told; tw_schema__free() */
struct tw_schema *sighting_schema(const struct receiver *got);

/**
 * sightings__of() - events of a run
 * @beside: the run that it is compared with: what either knows to be left out is left out of both
 * @filter: only those that the evaluator finds matching; NULL = all
 *
 * Leaves out what this process did and what was done with it: of its own readers an instance sees nothing. What has to
 * do with threads of another tracewire, which may run beside, is left out, too.
 */
void sightings__of(const struct run *run, const struct run *beside, const struct tw_filter *filter,
		   struct sightings *ret);

/** sightings__within() - how many of the stretch, without its slack */
size_t sightings__within(const struct sightings *sightings, const struct stretch *stretch);

/** sightings__missing() - those of @mine within the stretch that @other has not, slack included; says the first few */
size_t sightings__missing(const struct sightings *mine, const struct sightings *other, const struct stretch *stretch,
			  const char *what);

void sightings__fini(struct sightings *sightings);

#endif
