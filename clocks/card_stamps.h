/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time stamps that network cards make of frames, and the choice between these and the kernel's stamps (clocks/stamps.h). A card makes them
 * if another program, such as ptp4l or chronyd, has told it to; neither cards nor clocks are ever changed here.
 *
 * A stamp is a time of the card's PTP hardware clock (PHC). It is converted to CLOCK_BOOTTIME by a reading of the PHC that is made when the
 * program gets the stamp. The error bound is that of the reading, plus TW_DRIFT_MAX for the age of the stamp, plus TW_CARD_STAMP_ERROR. A
 * stamp is used only if it was made between two readings that show no step of the PHC between them: each reading must be inside of the
 * bounds that the readings before it permit (clocks/readings.h). A step that is smaller than these bounds is not noticed.
 *
 * All PHCs are opened at the start, because only root may open them, and a program may give up its privileges later. A struct
 * tw_card_stamps is used by one thread at a time.
 */
#ifndef TW_CARD_STAMPS_H
#define TW_CARD_STAMPS_H

#include "clocks/phc.h"
#include "clocks/readings.h"
#include "clocks/stamps.h"
#include "transport/receiver.h"

#define TW_CARD_INTERFACES 32 /* limit of interfaces whose stamps are used */
/*
 * Largest error of a stamp itself, ns: the step of the clock, and delays between wire and stamp that vary. Steps of common cards are 16 ns
 * or less; the delay of the I210 varies by 80 ns at 100 Mb/s (docs/time.md).
 */
#define TW_CARD_STAMP_ERROR 100
/* The stamps that the kernel and the card make of a frame are at most this far apart, ns. Otherwise, one is likely to be wrong. */
#define TW_CARD_APART (10 * TW_NS_PER_MS)

/* The PHC of a card. */
struct tw_card_clock {
	struct tw_phc_device phc;
	struct tw_readings readings; /* PHC - CLOCK_BOOTTIME, at times of CLOCK_BOOTTIME */
	struct tw_phc_reading last;  /* with CLOCK_BOOTTIME; valid if there are readings */
	uint64_t steady_since;       /* CLOCK_BOOTTIME of the first reading after the last step, or later, ns */
	bool stamps_late; /* the card stamps a sent frame when its transmission is complete: the stamp may be too late */
};

struct tw_card_stamps {
	struct tw_card_clock clocks[TW_PHC_MAX];
	unsigned int n_clocks;
	struct {
		uint32_t index;     /* of the network interface */
		unsigned int clock; /* index in @clocks */
	} interfaces[TW_CARD_INTERFACES];
	unsigned int n_interfaces;
	int (*read)(struct tw_phc_device *phc, clockid_t on,
		    struct tw_phc_reading *ret); /* tw_phc__read(); tests replace it */
};

/** tw_card_stamps__open() - open the PHCs of all network interfaces, as far as there are any and the process may */
void tw_card_stamps__open(struct tw_card_stamps *cards);

/** tw_card_stamps__close() - close all PHCs */
void tw_card_stamps__close(struct tw_card_stamps *cards);

/**
 * tw_card_stamps__convert() - convert a recent stamp of a card to CLOCK_BOOTTIME
 * Return: false, with @ret unchanged, if there is no stamp, its PHC is unknown, cannot be read, or may have been set in between, or the
 * stamp is in the future or older than a second.
 */
bool tw_card_stamps__convert(struct tw_card_stamps *cards, const struct tw_card_stamp *stamp,
			     struct tw_stamp_bounds *ret);

/**
 * tw_frame__arrived() - when a recently received frame arrived: CLOCK_BOOTTIME, ns, by the stamp that gives the earliest valid time
 * @cards: NULL = use only the kernel's stamp
 *
 * The time is never too early; it may be too late by the error of the conversion. Return: with TW_STAMP_READING, the current time: no stamp
 * could be converted.
 */
struct tw_stamped_time tw_frame__arrived(struct tw_stamps *kernel, struct tw_card_stamps *cards,
					 const struct tw_received_frame *frame);

/**
 * tw_frame__sent() - when a frame was sent: CLOCK_BOOTTIME, ns
 * @stamp: one of its transmit stamps. Of the times by several stamps, the latest one is the most precise.
 * @since: CLOCK_BOOTTIME before the frame was passed to the kernel
 *
 * The time is never too late; it may be too early by the error of the conversion. Return: with TW_STAMP_READING, @since: the stamp could
 * not be converted.
 */
struct tw_stamped_time tw_frame__sent(struct tw_stamps *kernel, struct tw_card_stamps *cards,
				      const struct tw_sent_stamp *stamp, uint64_t since);

#endif
