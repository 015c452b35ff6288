/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making the evaluator of a bound filter. Events share programs that are equal: the two thousand events of a kernel
 * have the same one for `cpu == 1`. It lies in the bound filter's memory, sized by the highest id: kernels give out a
 * few thousand.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/arena.h"
#include "filter/evaluate.h"
#include "filter/evaluate/evaluator.h"

/* A program that was made; looked up by its bytes. */
struct known {
	uint32_t hash, start, n; /* n = 0: an empty place */
};

struct making {
	struct tw_steps steps;
	struct known *known; /* a hash table with at least one empty place */
	size_t mask;         /* its size less 1, which is a power of two less 1 */
};

static uint32_t hash_of(const struct tw_step *steps, size_t n)
{
	const uint8_t *bytes = (const uint8_t *)steps;
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < n * sizeof(*steps); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

/* The place of a program that is equal to the last one, or the empty place that it goes to. */
static struct known *find(const struct making *m, uint32_t start, uint32_t n, uint32_t hash)
{
	const struct tw_step *steps = m->steps.steps;
	size_t at = hash & m->mask;

	for (; m->known[at].n; at = (at + 1) & m->mask)
		if (m->known[at].hash == hash && m->known[at].n == n &&
		    !memcmp(steps + m->known[at].start, steps + start, n * sizeof(*steps)))
			break;
	return &m->known[at];
}

/* @ret: where the program of a tree begins */
static int add(struct making *m, const struct tw_node *root, uint32_t *ret)
{
	const uint32_t start = (uint32_t)m->steps.n;
	struct known *known;
	uint32_t n, hash;
	int err;

	if (root->kind == TW_NODE_TRUE || root->kind == TW_NODE_FALSE) {
		*ret = root->kind == TW_NODE_TRUE ? TW_START_TRUE : TW_START_FALSE;
		return 0;
	}
	err = tw_steps__append(&m->steps, root);
	if (err)
		return err;
	n = (uint32_t)m->steps.n - start;
	hash = hash_of(m->steps.steps + start, n);
	known = find(m, start, n, hash);
	if (known->n)
		m->steps.n = start;
	else
		*known = (struct known){ hash, start, n };
	*ret = known->start;
	return 0;
}

static int add_all(struct making *m, const struct tw_bound *bound, struct tw_evaluator *evaluator)
{
	int err = add(m, bound->unknown, &evaluator->unknown);
	const struct tw_node *shared = bound->unknown; /* by the events that have none of the fields, mostly */
	uint32_t start = evaluator->unknown;

	for (uint32_t id = 0; id < evaluator->n_starts; id++)
		evaluator->starts[id] = evaluator->unknown;
	for (size_t i = 0; !err && i < bound->n_events; i++) {
		const struct tw_bound_event *event = &bound->events[i];

		if (event->root != shared)
			err = add(m, event->root, &start);
		shared = event->root;
		evaluator->starts[event->format->id] = start;
	}
	return err;
}

/* Steps move into the bound filter's memory once all are there. */
static int keep_steps(const struct making *m, struct tw_arena *arena, struct tw_evaluator *evaluator)
{
	const size_t size = m->steps.n * sizeof(*m->steps.steps);

	if (!size)
		return 0;
	evaluator->steps = tw_arena__copy(arena, m->steps.steps, size);
	return evaluator->steps ? 0 : -ENOMEM;
}

static int make(struct tw_bound *bound, struct making *m)
{
	const size_t n = bound->n_events ? bound->events[bound->n_events - 1].format->id + 1u : 0;
	struct tw_evaluator *evaluator =
		tw_arena__take(bound->arena, sizeof(*evaluator) + n * sizeof(evaluator->starts[0]));
	int err;

	if (!evaluator)
		return -ENOMEM;
	evaluator->n_starts = (uint32_t)n;
	err = add_all(m, bound, evaluator);
	if (!err)
		err = keep_steps(m, bound->arena, evaluator);
	if (!err)
		bound->evaluator = evaluator;
	return err;
}

int tw_bound__prepare(struct tw_bound *bound, struct tw_error *err)
{
	struct making m = { .mask = 1 };
	int ret = -ENOMEM;

	if (bound->evaluator)
		return 0;
	while (m.mask < 2 * (bound->n_events + 1))
		m.mask = 2 * m.mask + 1;
	m.known = calloc(m.mask + 1, sizeof(*m.known));
	if (m.known)
		ret = make(bound, &m);
	tw_steps__fini(&m.steps);
	free(m.known);
	if (ret == -E2BIG || (ret && tw_arena__is_full(bound->arena)))
		return tw_error__set(err, -E2BIG, "the filter is too large for all events that it is about");
	return ret ? tw_error__set(err, ret, "out of memory for the filter's programs") : 0;
}
