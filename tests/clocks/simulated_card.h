/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network card that stamps all packets of the loopback interface, for tests: no emulated card does this. The card's stamps are those of
 * the kernel, as times of the card's clock, in the messages in which the kernel reports stamps of cards. The kernel's stamps are then
 * changed as if its driver was slow: it stamps received frames when they are read, and sent ones a little too early.
 *
 * Link the test with --wrap=recvmsg and --wrap=recvmmsg. The clock of the card counts as CLOCK_BOOTTIME does.
 */
#ifndef TW_SIMULATED_CARD_H
#define TW_SIMULATED_CARD_H

#include <stdatomic.h>
#include <stdint.h>

#include "clocks/card_stamps.h"

#define SIMULATED_CARD_INTERFACE 1 /* the loopback interface */

extern atomic_bool simulated_card; /* whether there are stamps of the card */

/** simulated_card__time() - convert a time of CLOCK_BOOTTIME to the card's clock */
uint64_t simulated_card__time(uint64_t boot);

/** simulated_card__init() - the clock of the card, for a program that converts its stamps */
void simulated_card__init(struct tw_card_stamps *ret);

#endif
