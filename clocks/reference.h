/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference: the clock to which the error bounds of packet times refer and, with TW_ALIGN_HOST, to which packet times are aligned.
 *
 * Requests, responses and arrivals are measured with the capture clock (clocks/capture_clock.h). The reference is described by its distance
 * from the capture clock, which is read once a second and has bounds:
 *
 * - HOST: the capture clock itself; the distance is 0.
 * - REALTIME: CLOCK_REALTIME of the capture host. It has the rate of the capture clock, and may be set.
 * - TAI: CLOCK_TAI minus the kernel's TAI offset at the start. As REALTIME, without leap seconds.
 * - PHC: a network card's clock, minus TAI - UTC if ptp4l says that the clock has the PTP timescale; otherwise minus the number of seconds
 * that brings it nearest to REALTIME at the start, until ptp4l says so. Between readings, and if the clock is gone, the bounds grow
 * (clocks/readings.h).
 *
 * If REALTIME, TAI or the PHC is set, the reference follows, and the step is recorded. It is also a step if ptp4l says another TAI - UTC
 * than the number of seconds that was assumed.
 */
#ifndef TW_REFERENCE_H
#define TW_REFERENCE_H

#include "base/error.h"
#include "clocks/capture_clock.h"
#include "clocks/phc.h"
#include "clocks/readings.h"
#include "clocks/sync.h"

enum tw_reference_kind {
	TW_REFERENCE_HOST,
	TW_REFERENCE_REALTIME,
	TW_REFERENCE_TAI,
	TW_REFERENCE_PHC,
};

/* What a stream clock must know about the reference. All zero = HOST. */
struct tw_reference_state {
	enum tw_reference_kind kind;
	uint64_t time;           /* when it was read, capture clock, ns */
	struct tw_bounds bounds; /* of reference - capture clock at @time, ns */
	struct tw_bounds rates;  /* bounds of the growth of this distance, ns per s; 0 = same rate */
	int64_t stepped;         /* sum of the steps of the reference since the start, ns */
	/* PHC only */
	int64_t utc_ns;                        /* PHC - reference, ns */
	uint32_t sync_ns;                      /* error bound of the PHC relative to the grandmaster, ns; 0 = unknown */
	char grandmaster[TW_SYNC_GRANDMASTER]; /* "" = unknown */
};

struct tw_reference {
	struct tw_phc_device phc;
	struct tw_readings readings; /* PHC: PHC - capture clock */
	int64_t tai_ns;              /* TAI: the kernel's TAI offset at the start, ns */
	bool utc_is_known;           /* PHC: utc_ns is from ptp4l */
	bool lost;                   /* PHC: the last reading failed */
	struct tw_reference_state state;
};

/**
 * tw_reference__open() - begin to use a reference
 * @phc: name of a PHC (tw_phc__is_name()); otherwise unused
 * @sync, @clock: current state of this host's clocks; the capture clock has begun
 * Return: 0; -errno, with @error filled, if the PHC cannot be read. The reference is HOST then.
 */
int tw_reference__open(struct tw_reference *reference, enum tw_reference_kind kind, const char *phc,
		       const struct tw_sync_state *sync, const struct tw_capture_clock *clock, struct tw_error *error);

/** tw_reference__look() - read the reference, about once a second, into reference->state. @sync, @clock: as above */
void tw_reference__look(struct tw_reference *reference, const struct tw_sync_state *sync,
			const struct tw_capture_clock *clock);

/** tw_reference__describe() - write what the reference is, for people */
void tw_reference__describe(const struct tw_reference *reference, char *ret, size_t size);

/** tw_reference__close() - close it; a reference that is all zero is fine */
void tw_reference__close(struct tw_reference *reference);

/** tw_reference_state__at() - bounds of reference - capture clock, ns, at @time of the capture clock */
struct tw_bounds tw_reference_state__at(const struct tw_reference_state *state, uint64_t time);

#endif
