/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit of the bandwidth of a run: a token bucket shared by all sinks of the run. A limited sink behaves like the sink of a slower
 * interface: while the bucket is empty, the sink has no room. The kernel's rings then hold the events. Events that do not fit in the rings
 * are lost and counted.
 */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include <stdint.h>

#include "base/error.h"
#include "transport/sink.h"

struct tw_limit;

/** tw_limit__new() - make a limit; @rate: bits per second, more than 0. Return: NULL without memory */
struct tw_limit *tw_limit__new(uint64_t rate);

/**
 * tw_limit__sink() - a sink that admits frames up to the limit and passes them to @sink
 * @sink: owned by the new sink; closed after a failure
 *
 * Headers and padding count too. The bucket admits bursts of a few ms; admitted frames are not delayed.
 *
 * Return: 0 or -ENOMEM.
 */
int tw_limit__sink(struct tw_limit *limit, struct tw_sink *sink, struct tw_sink **ret, struct tw_error *error);

/** tw_limit__free() - free the limit, after all its sinks were closed; NULL is fine */
void tw_limit__free(struct tw_limit *limit);

#endif
