/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A separate tracefs instance, with a mixed load recorded in it. */
#ifndef LIVE_H
#define LIVE_H

#include <tracefs.h>

#include "schema/schema.h"

typedef int (*live_test)(struct tracefs_instance *instance);

/**
 * live__run() - call @test with a new instance in a child process, and remove the instance however the child ends
 * Return: the program's exit status; SKIPPED if recording is impossible
 */
int live__run(live_test test);

/** live__record() - record LIVE_EVENTS_MIN events or more, if the machine is fast enough. Return: 0, or -1 after printing why */
int live__record(struct tracefs_instance *instance);

/** live__format() - get the format of an event; the first call for an event adds it to the schema. Return: NULL after printing why */
const struct tw_format *live__format(struct tw_schema *schema, const struct tep_event *event);

/* Systems with events in every recording; NULL at the end. */
extern const char *const live__systems[];

#define LIVE_EVENTS_MIN 200000

#endif
