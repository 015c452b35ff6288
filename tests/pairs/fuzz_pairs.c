/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Untrusted text of pairs, parsed twice into a table that has the built-in pairs. Then all strings of the table are read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pairs/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

static size_t read_pair(const struct tw_pair *pair)
{
	size_t n = length(pair->name) + length(pair->text) + length(pair->source);

	for (size_t i = 0; i < pair->n_by; i++)
		n += length(pair->by[i]);
	for (size_t i = 0; i < pair->n_events; i++) {
		const struct tw_pair_event *event = &pair->events[i];

		n += length(event->system) + length(event->event) + length(event->condition);
		for (size_t key = 0; key < event->n_keys; key++)
			n += length(event->keys[key]);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_pair_table *table = tw_pair_table__new();
	struct tw_error error;
	size_t before, n = 0;

	if (!table || tw_pair_table__ship(table, &error))
		abort();
	before = tw_pair_table__count(table);
	for (int i = 0; i < 2; i++) {
		if (tw_pair_table__parse(table, (const char *)data, size, "fuzz", &error) &&
		    tw_pair_table__count(table) != before)
			abort(); /* a refused text adds no pair */
	}
	for (size_t i = 0; i < tw_pair_table__count(table); i++)
		n += read_pair(tw_pair_table__at(table, i));
	if (!n)
		abort();
	tw_pair_table__free(table);
	return 0;
}
