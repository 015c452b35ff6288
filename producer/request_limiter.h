/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What receivers that joined late have asked to be said again (WANT): from the thread that hears it to the one that keeps the control
 * channel. Who asks is a stranger, so however much he asks, HOST and CLOCK are said a few times in a row and then twenty times a second,
 * all of it twice in a row and then once in half a second for each 256 KiB of it, and who says it is woken no more often than twice for each
 * time. What may not be said yet is remembered, and is said once for all who asked.
 */
#ifndef TW_WANTS_H
#define TW_WANTS_H

#include <stdint.h>

#include "wire/tracewire.h"

struct tw_wants;

/** tw_wants__new() - nothing is wanted yet. Return: NULL with errno set, without memory or without a file descriptor */
struct tw_wants *tw_wants__new(void);

/** tw_wants__free() - NULL is fine */
void tw_wants__free(struct tw_wants *wants);

/**
 * tw_wants__add() - something is wanted, and makes the descriptor readable if it was not wanted already
 * @what: enum tw_want_what, not 0
 */
void tw_wants__add(struct tw_wants *wants, uint16_t what);

/** tw_wants__fd() - an eventfd, to be waited for and then read; what was wanted is still to be taken */
int tw_wants__fd(const struct tw_wants *wants);

/**
 * tw_wants__take() - what is to be said now, and then is wanted no longer. One thread may call it, and the next
 * @now: CLOCK_MONOTONIC, ns: a clock of a stream may be set back
 * Return: enum tw_want_what; 0 = nothing.
 */
uint16_t tw_wants__take(struct tw_wants *wants, uint64_t now);

/** tw_wants__weigh_all() - so much it was when all was said: much is said less often. By who takes */
void tw_wants__weigh_all(struct tw_wants *wants, uint64_t bytes);

/** tw_wants__pause() - how long until something can be taken; UINT64_MAX = nothing is wanted */
uint64_t tw_wants__pause(const struct tw_wants *wants, uint64_t now);

#endif
