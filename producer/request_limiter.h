/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metadata requests of receivers that joined late (METADATA_REQUEST), passed from the thread that receives them to the one that sends
 * the control channel. Strangers can send requests too. Therefore the rate is limited, however many arrive: HOST and CLOCK are sent a
 * few times in a row and then at most twenty times a second; all metadata twice in a row and then at most once in half a second for each
 * 256 KiB of it. The sender is woken at most twice for each of these times. A request that cannot be answered yet is kept; one answer
 * serves all who requested it.
 */
#ifndef TW_REQUEST_LIMITER_H
#define TW_REQUEST_LIMITER_H

#include <stdint.h>

#include "wire/tracewire.h"

struct tw_request_limiter;

/**
 * tw_request_limiter__new() - a limiter without requests. Return: NULL with errno set, without memory or without a file descriptor
 */
struct tw_request_limiter *tw_request_limiter__new(void);

/** tw_request_limiter__free() - NULL is fine */
void tw_request_limiter__free(struct tw_request_limiter *limiter);

/**
 * tw_request_limiter__add() - add a request; makes the descriptor readable if there was no such request yet
 * @what: enum tw_metadata_request, not 0
 */
void tw_request_limiter__add(struct tw_request_limiter *limiter, uint16_t what);

/** tw_request_limiter__fd() - an eventfd to poll and then read; reading it does not take the requests */
int tw_request_limiter__fd(const struct tw_request_limiter *limiter);

/**
 * tw_request_limiter__take() - get what may be sent now, and remove that request. This and the two functions below are called by one
 * thread
 * @now: CLOCK_MONOTONIC, ns, because a stream's clock may be set back
 * Return: enum tw_metadata_request; 0 = nothing.
 */
uint16_t tw_request_limiter__take(struct tw_request_limiter *limiter, uint64_t now);

/** tw_request_limiter__set_metadata_size() - set the size of all metadata, bytes: more is sent less often */
void tw_request_limiter__set_metadata_size(struct tw_request_limiter *limiter, uint64_t bytes);

/** tw_request_limiter__pause() - time until a request can be answered, ns; UINT64_MAX = there is none */
uint64_t tw_request_limiter__pause(const struct tw_request_limiter *limiter, uint64_t now);

#endif
