/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of receivers that joined late for metadata (WANT): from the thread that receives them to the one that sends the control
 * channel. Strangers can send requests. So however many come, HOST and CLOCK are sent a few times in a row and then twenty times a second,
 * all metadata twice in a row and then once in half a second for each 256 KiB of it, and the sender is woken at most twice for each
 * time. A request that cannot be answered yet is remembered; one answer is for all who requested it.
 */
#ifndef TW_REQUEST_LIMITER_H
#define TW_REQUEST_LIMITER_H

#include <stdint.h>

#include "wire/tracewire.h"

struct tw_request_limiter;

/** tw_request_limiter__new() - no requests yet. Return: NULL with errno set, without memory or without a file descriptor */
struct tw_request_limiter *tw_request_limiter__new(void);

/** tw_request_limiter__free() - NULL is fine */
void tw_request_limiter__free(struct tw_request_limiter *limiter);

/**
 * tw_request_limiter__add() - a request; makes the descriptor readable if there was no such request yet
 * @what: enum tw_metadata_request, not 0
 */
void tw_request_limiter__add(struct tw_request_limiter *limiter, uint16_t what);

/** tw_request_limiter__fd() - an eventfd, to be waited for and then read; the requests are still to be taken */
int tw_request_limiter__fd(const struct tw_request_limiter *limiter);

/**
 * tw_request_limiter__take() - what to send now; its request is answered then. One thread may call this and the two functions below
 * @now: CLOCK_MONOTONIC, ns: a clock of a stream may be set back
 * Return: enum tw_metadata_request; 0 = nothing.
 */
uint16_t tw_request_limiter__take(struct tw_request_limiter *limiter, uint64_t now);

/** tw_request_limiter__set_metadata_size() - bytes of all metadata when it was sent last: much is sent less often */
void tw_request_limiter__set_metadata_size(struct tw_request_limiter *limiter, uint64_t bytes);

/** tw_request_limiter__pause() - how long until a request can be answered, ns; UINT64_MAX = there is none */
uint64_t tw_request_limiter__pause(const struct tw_request_limiter *limiter, uint64_t now);

#endif
