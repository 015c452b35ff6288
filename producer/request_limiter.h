/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What receivers that joined late have asked to be said again (WANT): from the thread that hears it to the one that keeps the control
 * channel. Who asks is a stranger, so however much he asks, HOST and CLOCK are said a few times in a row and then twenty times a second,
 * all of it twice in a row and then once in half a second for each 256 KiB of it, and who says it is woken no more often than twice for each
 * time. What may not be said yet is remembered, and is said once for all who asked.
 */
#ifndef TW_REQUEST_LIMITER_H
#define TW_REQUEST_LIMITER_H

#include <stdint.h>

#include "wire/tracewire.h"

struct tw_request_limiter;

/** tw_request_limiter__new() - nothing is wanted yet. Return: NULL with errno set, without memory or without a file descriptor */
struct tw_request_limiter *tw_request_limiter__new(void);

/** tw_request_limiter__free() - NULL is fine */
void tw_request_limiter__free(struct tw_request_limiter *wants);

/**
 * tw_request_limiter__add() - something is wanted, and makes the descriptor readable if it was not wanted already
 * @what: enum tw_metadata_request, not 0
 */
void tw_request_limiter__add(struct tw_request_limiter *wants, uint16_t what);

/** tw_request_limiter__fd() - an eventfd, to be waited for and then read; what was wanted is still to be taken */
int tw_request_limiter__fd(const struct tw_request_limiter *wants);

/**
 * tw_request_limiter__take() - what is to be said now, and then is wanted no longer. One thread may call it, and the next
 * @now: CLOCK_MONOTONIC, ns: a clock of a stream may be set back
 * Return: enum tw_metadata_request; 0 = nothing.
 */
uint16_t tw_request_limiter__take(struct tw_request_limiter *wants, uint64_t now);

/** tw_request_limiter__set_metadata_size() - so much it was when all was said: much is said less often. By who takes */
void tw_request_limiter__set_metadata_size(struct tw_request_limiter *wants, uint64_t bytes);

/** tw_request_limiter__pause() - how long until something can be taken; UINT64_MAX = nothing is wanted */
uint64_t tw_request_limiter__pause(const struct tw_request_limiter *wants, uint64_t now);

#endif
