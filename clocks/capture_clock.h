/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The capture clock, with which the clocks of all streams are compared: CLOCK_REALTIME at the start of the capture, continued by
 * CLOCK_BOOTTIME. It follows NTP's rate corrections, continues during suspends, and is never set. A capture clock belongs to one thread.
 */
#ifndef TW_CAPTURE_CLOCK_H
#define TW_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "clocks/card_stamps.h"
#include "clocks/stamps.h"
#include "transport/receiver.h"

struct tw_capture_clock {
	int64_t begun; /* REALTIME - BOOTTIME when the capture began, ns */
	struct tw_stamps stamps;
};

/** tw_capture_clock__begin() - initialise the clock at the start of the capture */
static inline void tw_capture_clock__begin(struct tw_capture_clock *clock)
{
	clock->stamps = tw_stamps__measure(TW_STAMPS_FIRST_TRIES);
	clock->begun = clock->stamps.distance;
}

/** tw_capture_clock__now() - read the capture clock, ns since 1970 */
static inline uint64_t tw_capture_clock__now(const struct tw_capture_clock *clock)
{
	return tw_time__now(CLOCK_BOOTTIME) + (uint64_t)clock->begun;
}

/**
 * tw_capture_clock__arrived() - when a recently received frame arrived, by the capture clock, ns
 * @cards: for stamps of network cards; NULL = use only the kernel's stamp
 *
 * The time is never too early, so that bounds derived from it are valid; it may be too late by the error of the conversion. If no stamp can
 * be converted, because REALTIME was set, for example, the result is the current time.
 */
static inline struct tw_stamped_time tw_capture_clock__arrived(struct tw_capture_clock *clock,
							       struct tw_card_stamps *cards,
							       const struct tw_received_frame *frame)
{
	struct tw_stamped_time ret = tw_frame__arrived(&clock->stamps, cards, frame);

	ret.time += (uint64_t)clock->begun;
	return ret;
}

/**
 * tw_capture_clock__sent() - when a frame was sent, by the capture clock, ns
 * @cards: as above
 * @stamp: one of its transmit stamps
 * @since: time of the capture clock before the frame was passed to the kernel
 *
 * The time is never too late; it may be too early by the error of the conversion. If the stamp cannot be converted, the result is @since.
 */
static inline struct tw_stamped_time tw_capture_clock__sent(struct tw_capture_clock *clock,
							    struct tw_card_stamps *cards,
							    const struct tw_sent_stamp *stamp, uint64_t since)
{
	struct tw_stamped_time ret = tw_frame__sent(&clock->stamps, cards, stamp, since - (uint64_t)clock->begun);

	ret.time += (uint64_t)clock->begun;
	return ret;
}

/** tw_capture_clock__notice() - notice whether REALTIME was set since the last conversion or call, for tw_capture_clock__stepped() */
static inline void tw_capture_clock__notice(struct tw_capture_clock *clock)
{
	const struct tw_stamps now = tw_stamps__measure(TW_STAMPS_TRIES);

	tw_stamps__notice(&clock->stamps, &now, tw_time__now(CLOCK_BOOTTIME));
}

/** tw_capture_clock__stepped() - sum of the steps of REALTIME from the start of the capture to the last conversion, ns */
static inline int64_t tw_capture_clock__stepped(const struct tw_capture_clock *clock)
{
	return clock->stamps.distance - clock->begun;
}

#endif
