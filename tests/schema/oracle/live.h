/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tracefs instance of our own, and a mixed load recorded in it. */
#ifndef LIVE_H
#define LIVE_H

#include <tracefs.h>

#include "schema/schema.h"

typedef int (*live_test)(struct tracefs_instance *instance);

/**
 * live__run() - have a child process test with an instance, which is removed however the test ends
 * Return: the program's exit status; SKIPPED if there is nothing to record with
 */
int live__run(live_test test);

/** live__record() - some two hundred thousand events or more, if the machine is quick enough. Return: 0, or -1, said why */
int live__record(struct tracefs_instance *instance);

/** live__format() - of a record's event; taken into the schema when first seen. Return: NULL, said why */
const struct tw_format *live__format(struct tw_schema *schema, const struct tep_event *event);

/* Systems of which every recording has events; NULL behind the last. */
extern const char *const live__systems[];

#define LIVE_EVENTS_MIN 200000

#endif
