/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/sockets/figures.h"

#include <errno.h>
#include <stdlib.h>

const char *tw_socket_stage__name(enum tw_socket_stage stage)
{
	static const char *const names[] = {
#define X(stage, name, text) name,
		TW_SOCKET_STAGES(X)
#undef X
	};

	return names[stage];
}

const char *tw_socket_stage__text(enum tw_socket_stage stage)
{
	static const char *const texts[] = {
#define X(stage, name, text) text,
		TW_SOCKET_STAGES(X)
#undef X
	};

	return texts[stage];
}

int tw_socket_figures__sample(struct tw_socket_figures *figures, enum tw_socket_stage stage, uint64_t ns)
{
	static const struct tw_histogram_scale scale = { .unit = 1 };
	struct tw_histogram **histogram = &figures->stages[stage];

	if (!*histogram) {
		*histogram = malloc(sizeof(**histogram));
		if (!*histogram)
			return -ENOMEM;
		tw_histogram__init(*histogram, &scale);
	}
	tw_histogram__add(*histogram, ns);
	return 0;
}

struct tw_socket_held tw_socket_figures__held(const struct tw_socket_figures *figures)
{
	struct tw_socket_held all = { 0, 0 };

	for (size_t i = 0; i < TW_SOCKTS_HELD_END; i++) {
		all.n += figures->held[i].n;
		all.ns += figures->held[i].ns;
	}
	return all;
}

/* Adds the values of @from, which has some, to @to. */
static void add_histogram(struct tw_histogram *to, const struct tw_histogram *from)
{
	to->min = !to->n || from->min < to->min ? from->min : to->min;
	to->max = !to->n || from->max > to->max ? from->max : to->max;
	if (__builtin_add_overflow(to->sum, from->sum, &to->sum))
		to->sum = UINT64_MAX;
	to->n += from->n;
	to->beyond += from->beyond;
	for (size_t i = 0; i < TW_HISTOGRAM_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

void tw_socket_figures__take(struct tw_socket_figures *to, struct tw_socket_figures *from)
{
	for (size_t i = 0; i < TW_SOCKET_STAGE_COUNT; i++) {
		if (!to->stages[i]) {
			to->stages[i] = from->stages[i];
			from->stages[i] = NULL;
		} else if (from->stages[i]) {
			add_histogram(to->stages[i], from->stages[i]);
		}
	}
#define X(name) to->name += from->name;
	TW_SOCKET_COUNTERS(X)
#undef X
	for (size_t i = 0; i < TW_SOCKTS_HELD_END; i++) {
		to->held[i].n += from->held[i].n;
		to->held[i].ns += from->held[i].ns;
	}
	tw_socket_figures__clear(from);
}

void tw_socket_figures__clear(struct tw_socket_figures *figures)
{
	for (size_t i = 0; i < TW_SOCKET_STAGE_COUNT; i++)
		free(figures->stages[i]);
	*figures = (struct tw_socket_figures){ .events = 0 };
}
