/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeps this machine's wall clock, and how well, as those say who do it: ptp4l, or what an NTP daemon has told the kernel
 * (adjtimex(2)). For CLOCK's sync_ns and HOST's SYNC, and for a capture host to know the same of itself.
 *
 * - ptp4l: the largest of its last offsets from the master, and the path delay, as nobody knows how the ways there and back differ. Where
 *   it keeps a network card's clock, also how far the system's is from that, as read here.
 * - Kernel: its maxerror, if whoever keeps the clock means it: NTP daemons set it with esterror. systemd-timesyncd sets both to 0,
 *   phc2sys only maxerror, also to 0; then the kernel lets it grow, but that bounds nothing.
 *
 * Belongs to one thread.
 */
#ifndef TW_SYNC_H
#define TW_SYNC_H

#include <stdint.h>

#include "wire/decode.h"

#define TW_SYNC_HOW 96

struct tw_sync_state {
	uint32_t ns;           /* REALTIME is no further than this from what keeps it; 0 = not known */
	char how[TW_SYNC_HOW]; /* "" = nothing keeps it, as far as anybody says */
};

struct tw_sync;

/** tw_sync__new() - begin to ask; waits 20 ms for ptp4l, if there is one. Return: NULL without memory */
struct tw_sync *tw_sync__new(void);

/** tw_sync__look() - how it stands; for once a second. Never waits: what ptp4l is asked now, it has answered by the next call */
void tw_sync__look(struct tw_sync *sync, struct tw_sync_state *ret);

/** tw_sync__complete() - put the state as last seen, and the reading of the network card's clock that ptp4l keeps, into a sample */
void tw_sync__complete(struct tw_sync *sync, struct tw_clock_view *sample);

/** tw_sync__free() - NULL is fine */
void tw_sync__free(struct tw_sync *sync);

#endif
