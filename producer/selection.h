/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a stream: asked for by specifications, watched for new ones. */
#ifndef TW_SELECTION_H
#define TW_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/events.h"
#include "producer/producer.h"

struct tw_selection {
	const char *tracing_dir;               /* borrowed */
	const struct tw_event_request *wanted; /* borrowed */
	size_t n_wanted;
	struct tw_event_list events;
	size_t *request; /* for each of the events: index of the request that brought it, of several with filters the last */
	size_t n_requests;
	uint64_t fingerprint; /* of what the kernel has */
};

/**
 * tw_selection__init() - resolve what is wanted
 * @n: may be 0
 *
 * Return: 0; -ENOENT for an event that is not there.
 */
int tw_selection__init(struct tw_selection *sel, const char *tracing_dir, const struct tw_event_request *wanted,
		       size_t n, struct tw_error *err);

/** tw_selection__filter() - the tracefs filter that was given for the @i-th of the events, or NULL */
const char *tw_selection__filter(const struct tw_selection *sel, size_t i);

/**
 * tw_selection__renew() - look whether the kernel has other events than before; if so take in what is wanted
 * Return: whether it has; new events are at the end and not enabled.
 */
bool tw_selection__renew(struct tw_selection *sel);

void tw_selection__fini(struct tw_selection *sel);

#endif
