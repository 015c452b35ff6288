/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What receivers that joined late have asked to be said again (WANT): from the thread that hears it to the one that keeps the control
 * channel. Who asks is a stranger, so however much he asks, he is heard a hundred times a second, and all of it is said a few times in a
 * row and then once in half a second.
 */
#ifndef TW_WANTS_H
#define TW_WANTS_H

#include <stdint.h>

#include "wire/tracewire.h"

struct tw_wants;

/** tw_wants__new() - nothing is wanted yet. Return: NULL without memory, or without a file descriptor */
struct tw_wants *tw_wants__new(void);

/** tw_wants__free() - NULL is fine */
void tw_wants__free(struct tw_wants *wants);

/**
 * tw_wants__add() - something is wanted, and makes the descriptor readable if nothing did shortly before. One thread may call it
 * @what: enum tw_want_what
 */
void tw_wants__add(struct tw_wants *wants, uint16_t what);

/** tw_wants__fd() - an eventfd, to be waited for and then read; what was wanted is still to be taken */
int tw_wants__fd(const struct tw_wants *wants);

/** tw_wants__take() - what is to be said now, by who takes it. @now: ns of a clock of his. Return: enum tw_want_what; 0 = nothing */
uint16_t tw_wants__take(struct tw_wants *wants, uint64_t now);

#endif
