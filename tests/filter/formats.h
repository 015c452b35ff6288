/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small schema with events like a kernel's, which have at least one field of each kind. */
#ifndef TESTS_FILTER_FORMATS_H
#define TESTS_FILTER_FORMATS_H

#include <stdio.h>

#include "schema/schema.h"

/* Ids of sched_switch, sched_wakeup, softirq_raise, irq_handler_entry, kmalloc, inet_sock_set_state, tiny, large, and of no event. */
enum {
	SWITCH = 316,
	WAKEUP = 318,
	SOFTIRQ = 125,
	HANDLER = 128,
	KMALLOC = 442,
	SOCK = 1504,
	TINY = 2000,
	LARGE = 2001,
	UNKNOWN = 9999,
};

/** formats__schema() - make the schema; the caller frees it */
struct tw_schema *formats__schema(void);

/* The schema for a cmocka group, with set-up and tear-down. */
extern struct tw_schema *formats;

int formats__set_up(void **state);
int formats__tear_down(void **state);

/** formats__print() - print the format texts in the form that the plugin's preference accepts */
void formats__print(FILE *file);

#endif
