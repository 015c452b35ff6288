/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this machine's wall clock is synchronised to, and its error bound, as reported by ptp4l, or by an NTP daemon to the kernel
 * (adjtimex(2)). For CLOCK's sync_ns and HOST's SYNC, and for the capture host's own clock.
 *
 * - ptp4l: the largest of its last offsets from the master, plus the path delay, because the difference of both directions is unknown.
 * If it adjusts a network card's clock, plus the distance of the system's clock from that, as read here.
 * - Kernel: its maxerror, if a daemon maintains it: NTP daemons set it with esterror. systemd-timesyncd sets both to 0, phc2sys only
 * maxerror, also to 0; the kernel then lets it grow, but that is no bound.
 *
 * Belongs to one thread.
 */
#ifndef TW_SYNC_H
#define TW_SYNC_H

#include <stdint.h>

#include "wire/decode.h"

#define TW_SYNC_HOW 96

struct tw_sync_state {
	uint32_t ns;           /* error bound of REALTIME against its time source; 0 = unknown */
	char how[TW_SYNC_HOW]; /* "" = not synchronised, as far as known */
};

struct tw_sync;

/** tw_sync__new() - send the first requests; waits 20 ms for ptp4l, if there is one. Return: NULL without memory */
struct tw_sync *tw_sync__new(void);

/** tw_sync__look() - the current state; called once a second. Never waits: ptp4l's answers are read by the next call */
void tw_sync__look(struct tw_sync *sync, struct tw_sync_state *ret);

/** tw_sync__complete() - add the last state to a sample, and a reading of the network card's clock that ptp4l adjusts */
void tw_sync__complete(struct tw_sync *sync, struct tw_clock_view *sample);

/** tw_sync__free() - free it; NULL is fine */
void tw_sync__free(struct tw_sync *sync);

#endif
