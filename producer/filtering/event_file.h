/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event's files in a trace instance: its filter, its switch. */
#ifndef TW_EVENT_FILE_H
#define TW_EVENT_FILE_H

#include "producer/events.h"
#include "producer/instance.h"

/**
 * tw_event_file__filter() - set an event's filter
 * @filter: as tracefs has it; NULL = none
 *
 * Return: 0; -EINVAL where the kernel refuses it, with the column and what it says; another -errno.
 */
int tw_event_file__filter(const struct tw_instance *instance, const struct tw_event_name *event, const char *filter,
			  struct tw_error *err);

/** tw_event_file__has_filter() - whether that is its filter; NULL = none */
bool tw_event_file__has_filter(const struct tw_instance *instance, const struct tw_event_name *event,
			       const char *filter);

/** tw_event_file__enable() - let the event be recorded. Return: 0 or -errno */
int tw_event_file__enable(const struct tw_instance *instance, const struct tw_event_name *event, struct tw_error *err);

#endif
