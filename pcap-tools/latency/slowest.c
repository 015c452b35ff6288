/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/slowest.h"

#include <errno.h>
#include <stdlib.h>

int tw_latency_slowest__init(struct tw_latency_slowest *slowest, size_t max)
{
	*slowest = (struct tw_latency_slowest){ .max = max < TW_LATENCY_TOP_MAX ? max : TW_LATENCY_TOP_MAX };
	if (!max)
		return 0;
	slowest->items = calloc(slowest->max, sizeof(*slowest->items));
	return slowest->items ? 0 : -ENOMEM;
}

bool tw_latency_slowest__takes(const struct tw_latency_slowest *slowest, uint64_t ns)
{
	const struct tw_latency_slow *items = slowest->items;

	if (slowest->n < slowest->max)
		return true;
	return slowest->n && ns > items[slowest->is_sorted ? slowest->n - 1 : 0].ns;
}

/* Moves the item at @i down until none below it is faster. */
static void sink(struct tw_latency_slowest *slowest, size_t i)
{
	const struct tw_latency_slow item = slowest->items[i];
	size_t child;

	while ((child = 2 * i + 1) < slowest->n) {
		if (child + 1 < slowest->n && slowest->items[child + 1].ns < slowest->items[child].ns)
			child++;
		if (slowest->items[child].ns >= item.ns)
			break;
		slowest->items[i] = slowest->items[child];
		i = child;
	}
	slowest->items[i] = item;
}

/* Moves the last item up until the one above it is not slower. */
static void rise(struct tw_latency_slowest *slowest)
{
	size_t i = slowest->n - 1;
	const struct tw_latency_slow item = slowest->items[i];

	for (; i && slowest->items[(i - 1) / 2].ns > item.ns; i = (i - 1) / 2)
		slowest->items[i] = slowest->items[(i - 1) / 2];
	slowest->items[i] = item;
}

static void make_heap(struct tw_latency_slowest *slowest)
{
	for (size_t i = slowest->n / 2; i-- > 0;)
		sink(slowest, i);
	slowest->is_sorted = false;
}

static void free_texts(struct tw_latency_slow *slow)
{
	free(slow->begin.text);
	free(slow->end.text);
}

void tw_latency_slowest__add(struct tw_latency_slowest *slowest, const struct tw_latency_slow *slow)
{
	if (slowest->is_sorted)
		make_heap(slowest);
	if (slowest->n < slowest->max) {
		slowest->items[slowest->n++] = *slow;
		rise(slowest);
		return;
	}
	free_texts(&slowest->items[0]);
	slowest->items[0] = *slow;
	sink(slowest, 0);
}

static int compare(const void *left, const void *right)
{
	const struct tw_latency_slow *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->begin.time < b->begin.time ? -1 : a->begin.time > b->begin.time;
}

void tw_latency_slowest__sort(struct tw_latency_slowest *slowest)
{
	if (slowest->n)
		qsort(slowest->items, slowest->n, sizeof(*slowest->items), compare);
	slowest->is_sorted = true;
}

void tw_latency_slowest__clear(struct tw_latency_slowest *slowest)
{
	for (size_t i = 0; i < slowest->n; i++)
		free_texts(&slowest->items[i]);
	slowest->n = 0;
	slowest->is_sorted = false;
}

void tw_latency_slowest__fini(struct tw_latency_slowest *slowest)
{
	tw_latency_slowest__clear(slowest);
	free(slowest->items);
	slowest->items = NULL;
}
