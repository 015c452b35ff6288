/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the time source to which this machine's clocks are synchronised, and their error bounds. A producer sends the time source as SYNC,
 * SYNC_SINCE, SYNC_UTC and GRANDMASTER of HOST, and the error bounds as sync_ns of CLOCK and of its PHCs. A capture host uses both for its
 * own clocks. The first of these sources that answers is used:
 *
 * - ptp4l: the bound is the largest of its last offsets from the master, plus the path delay, because the asymmetry of the path is
 * unknown. If ptp4l adjusts a network card's clock, this is the bound of that clock (PHC); for the bound of the system clock, its measured
 * distance from the card's clock is added.
 * - chronyd: the bound is its own: |offset| + root delay / 2 + root dispersion.
 * - the kernel (adjtimex(2)): the bound is maxerror, if a daemon maintains it. NTP daemons set maxerror together with esterror.
 * systemd-timesyncd sets both to 0, and phc2sys sets only maxerror, to 0. After this, the kernel increases maxerror, but maxerror is not a
 * bound. Therefore maxerror is used only if esterror is above 0 and at most maxerror. If no daemon synchronises the clock, it is free
 * running; it is unknown if there is a ptp4l that this process may not ask.
 *
 * NTP is traceable to UTC, except a reference clock of chronyd that is a PHC, because chronyd does not know what that clock follows. PTP is
 * traceable if the grandmaster says so, by its time properties, its clock class and its accuracy (clocks/ptp4l.h).
 *
 * A struct tw_sync belongs to one thread.
 */
#ifndef TW_SYNC_H
#define TW_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#define TW_SYNC_HOW         96
#define TW_SYNC_GRANDMASTER 24

/*
 * The clock at the root of a machine's time source. The error bounds of two machines can be added only if they refer to the same time
 * (clocks/clock_estimate.c).
 */
struct tw_time_root {
	char grandmaster[TW_SYNC_GRANDMASTER]; /* PTP grandmaster, as ptp4l prints it; "" = the source is not ptp4l */
	bool is_utc;                           /* the source says that its time is traceable to UTC */
	uint32_t utc_ns; /* largest distance of the root from UTC that the source states, ns; valid if @is_utc */
};

/* A network card's clock that ptp4l adjusts, or that is the grandmaster. */
struct tw_sync_phc {
	bool any;       /* ptp4l uses such a clock: the other members are valid */
	uint16_t index; /* N of /dev/ptpN */
	uint32_t ns;    /* error bound relative to the grandmaster, ns */
	bool is_tai;    /* the clock has the PTP timescale: @utc_ns is TAI - UTC, ns */
	int64_t utc_ns;
};

struct tw_sync_state {
	uint32_t ns;           /* error bound of REALTIME relative to its time source, ns; 0 = unknown */
	char how[TW_SYNC_HOW]; /* description of the time source; it does not change with each measurement */
	struct tw_time_root root;
	uint64_t since; /* time since which the source is the same, as far as this process knows, CLOCK_REALTIME, ns */
	struct tw_sync_phc phc;
	bool is_denied; /* there is a socket of ptp4l, only root may ask it, and no other source reports a bound */
	/*
	 * Whether to request transmit stamps of network cards. Many cards can stamp only one packet at a time, and a ptp4l that does not
	 * get a stamp stops for some seconds. So stamps are requested only if no ptp4l that uses stamps of cards has ever answered; at
	 * first, this is false until ptp4l has answered, or has not answered a few times.
	 */
	bool card_stamps;
};

/* What to say to the user if is_denied of struct tw_sync_state is true */
#define TW_SYNC_DENIED                                                                                       \
	"only root may ask ptp4l how exact this machine's clock is, so the source of the clock is unknown; " \
	"run the command as root to use the error bounds that ptp4l reports"

struct tw_sync;

/** tw_sync__new() - find ptp4l and chronyd: wait at most 20 ms for the first answer of each. Return: NULL if out of memory */
struct tw_sync *tw_sync__new(void);

/** tw_sync__look() - get the current state; to be called once a second. It never waits: the next call reads the answers */
void tw_sync__look(struct tw_sync *sync, struct tw_sync_state *ret);

/** tw_sync__free() - free @sync, which may be NULL */
void tw_sync__free(struct tw_sync *sync);

#endif
