/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes metadata requests (METADATA_REQUEST) from the thread that receives them to the thread that sends the control channel. Receivers
 * that joined late send such requests. Any host can send them, so the rate of answers is limited. HOST and CLOCK are sent at most 8 times
 * in a row, then at most 20 times a second. All metadata is sent at most twice in a row, then at most once every 0.5 s. If the metadata has
 * more than 256 KiB, the interval of 0.5 s grows in proportion to the size. A request that cannot be answered yet is kept; one answer
 * serves all receivers that requested it. While a request is pending, further requests of the same kind do not wake the sender.
 */
#ifndef TW_REQUEST_LIMITER_H
#define TW_REQUEST_LIMITER_H

#include <stdint.h>

#include "wire/tracewire.h"

struct tw_request_limiter;

/** tw_request_limiter__new() - make a limiter without requests. Return: NULL with errno set if there is no memory or file descriptor */
struct tw_request_limiter *tw_request_limiter__new(void);

/** tw_request_limiter__free() - free the limiter and close its eventfd; NULL is fine */
void tw_request_limiter__free(struct tw_request_limiter *limiter);

/**
 * tw_request_limiter__add() - add a request. The eventfd becomes readable if no request of this kind is pending
 * @what: enum tw_metadata_request, but not 0
 */
void tw_request_limiter__add(struct tw_request_limiter *limiter, uint16_t what);

/** tw_request_limiter__fd() - an eventfd to poll and then read; the requests stay pending until tw_request_limiter__take() */
int tw_request_limiter__fd(const struct tw_request_limiter *limiter);

/**
 * tw_request_limiter__take() - get a request that may be answered now, and remove it
 * One thread calls this function and the two functions below.
 * @now: CLOCK_MONOTONIC, ns, and not the stream's clock, which may be set back
 * Return: enum tw_metadata_request; 0 = no request may be answered now.
 */
uint16_t tw_request_limiter__take(struct tw_request_limiter *limiter, uint64_t now);

/** tw_request_limiter__set_metadata_size() - set the size of all metadata, bytes; larger metadata is sent less often */
void tw_request_limiter__set_metadata_size(struct tw_request_limiter *limiter, uint64_t bytes);

/** tw_request_limiter__pause() - time until a pending request may be answered, ns; UINT64_MAX = no request is pending */
uint64_t tw_request_limiter__pause(const struct tw_request_limiter *limiter, uint64_t now);

#endif
