/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the time source to which this machine's wall clock is synchronised, and the clock's error bound, as reported by ptp4l, or by an
 * NTP daemon to the kernel (adjtimex(2)). A producer sends the time source as SYNC of HOST, and the error bound as sync_ns of CLOCK. A
 * capture host uses both for its own clock.
 *
 * - The bound from ptp4l is the largest of its last offsets from the master, plus the path delay, because the asymmetry of the path is
 * unknown. If ptp4l adjusts a network card's clock, the measured distance of the system clock from the card's clock is added.
 * - The bound from the kernel is maxerror, if a daemon maintains it. NTP daemons set maxerror together with esterror. systemd-timesyncd
 * sets both to 0, and phc2sys sets only maxerror, to 0. After this, the kernel increases maxerror, but maxerror is not a bound. Therefore
 * maxerror is used only if esterror is above 0 and at most maxerror.
 *
 * A struct tw_sync belongs to one thread.
 */
#ifndef TW_SYNC_H
#define TW_SYNC_H

#include <stdint.h>

#include "wire/decode.h"

#define TW_SYNC_HOW 96

struct tw_sync_state {
	uint32_t ns;           /* error bound of REALTIME relative to its time source, ns; 0 = unknown */
	char how[TW_SYNC_HOW]; /* description of the time source; "" = no synchronisation is known */
};

struct tw_sync;

/** tw_sync__new() - find ptp4l: send the first requests, and wait at most 20 ms for an answer. Return: NULL if out of memory */
struct tw_sync *tw_sync__new(void);

/** tw_sync__look() - get the current state; to be called once a second. It never waits: the next call reads ptp4l's answers */
void tw_sync__look(struct tw_sync *sync, struct tw_sync_state *ret);

/** tw_sync__complete() - add sync_ns to a CLOCK sample, and, if ptp4l adjusts a network card's clock, a reading of that clock */
void tw_sync__complete(struct tw_sync *sync, struct tw_clock_view *sample);

/** tw_sync__free() - free @sync, which may be NULL */
void tw_sync__free(struct tw_sync *sync);

#endif
