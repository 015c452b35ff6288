/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small schema of events as kernels have them, one of each kind of field at least. */
#ifndef TESTS_FILTER_FORMATS_H
#define TESTS_FILTER_FORMATS_H

#include <stdio.h>

#include "schema/schema.h"

/** formats__schema() - sched_switch 316, sched_wakeup 318, softirq_raise 125, kmalloc 442, inet_sock_set_state 1504, others */
struct tw_schema *formats__schema(void);

/** formats__print() - their texts, as the plugin's preference takes them */
void formats__print(FILE *file);

#endif
