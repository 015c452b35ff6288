/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cap on the bandwidth that a run takes: a token bucket that its sinks share. A sink behind it is as one of a slower interface: while the
 * bucket is empty there is no room, so the kernel's rings fill, and only what they cannot hold is lost, and counted.
 */
#ifndef TW_LIMIT_H
#define TW_LIMIT_H

#include <stdint.h>

#include "base/error.h"
#include "transport/sink.h"

struct tw_limit;

/** tw_limit__new() - @rate: bits per second, more than 0. Return: NULL without memory */
struct tw_limit *tw_limit__new(uint64_t rate);

/**
 * tw_limit__sink() - a sink that takes what the limit allows, and hands it on
 * @sink: the new sink's from here on, also after a failure
 *
 * Headers and padding count. What the bucket, of a few ms, has admitted is not held back.
 *
 * Return: 0 or -ENOMEM.
 */
int tw_limit__sink(struct tw_limit *limit, struct tw_sink *sink, struct tw_sink **ret, struct tw_error *error);

/** tw_limit__free() - after all of its sinks; NULL is fine */
void tw_limit__free(struct tw_limit *limit);

#endif
