/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names and format texts of socket events. The texts have the syntax of tracefs, so all that reads formats needs no special support. */
#ifndef TW_SOCKETS_FORMATS_H
#define TW_SOCKETS_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "producer/sockets/record.h"

/** tw_sockts__name() - the name of an event, such as "drop" */
const char *tw_sockts__name(enum tw_sockts_event event);

/** tw_sockts__names() - the names of events, for people, as "sockts:tcp_reset and sockts:drop". @events: bits 1 << enum. Return: @ret */
const char *tw_sockts__names(uint32_t events, char *ret, size_t size);

/** tw_sockts__find() - Return: the event of the system `sockts` with a name; TW_SOCKTS_EVENTS if there is none */
enum tw_sockts_event tw_sockts__find(const char *name);

/**
 * tw_sockts_format__make() - make the format text of an event
 * @tracing_dir: the names of reasons are taken from the formats of this kernel's own events
 * @ret: to be freed
 * Return: 0 or -ENOMEM
 */
int tw_sockts_format__make(const char *tracing_dir, enum tw_sockts_event event, char **ret);

#endif
