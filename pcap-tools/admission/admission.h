/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which streams a capture host takes, decided once for each frame, where it arrives. Strangers can invent streams as fast as the network
 * carries them, so nothing is done for a stream before it has proved something:
 *
 *  - Its first frames wait in a ring of bytes, until one of them goes on where another one ended. Then the stream is admitted, with
 *    these frames, if there is a place (stream/eviction.h).
 *  - If there is none it is asked a question. What would have to be remembered of that is in the question (as in a SYN cookie), so
 *    however many are asked, nothing is kept. One that answers has proved that its address is not forged, and is admitted before
 *    those that did not answer.
 *  - Streams that do not answer can still be forged. So only some a second are admitted, and what they bring is bounded.
 *  - What is not admitted is counted, by address, and its sender is told with the next question.
 *
 * Belongs to one thread. Memory is bounded, whatever comes.
 */
#ifndef TW_ADMISSION_H
#define TW_ADMISSION_H

#include "clocks/clock_poller.h"
#include "pcap-tools/merge/merge.h"

#define TW_ADMISSION_UNANSWERED     ((uint64_t)4 << 20) /* default, bytes a second */
#define TW_ADMISSION_UNANSWERED_MAX ((uint64_t)1 << 40)
#define TW_ADMISSION_BURST_TIMES    8 /* so many seconds' worth may come at once */

/* How much was refused of streams that were not admitted, by the address that it came from. */

#define TW_REFUSALS_SOURCES 64 /* told one by one; more are added up */

/* Why; those of TW_REFUSED_LIST a sender is told. */
#define TW_REFUSED_UNPROVEN 0 /* no frame went on where another one of the stream had ended */
#define TW_REFUSED_REASONS  (TW_REFUSED_RATE + 1)

struct tw_refusals_row {
	struct tw_peer_address source;
	uint64_t frames, events;
};

struct tw_refusals {
	uint64_t frames, events;              /* of all */
	uint64_t reasons[TW_REFUSED_REASONS]; /* frames */
	uint64_t gave_way;                    /* streams that were admitted and had to make room */
	uint16_t first;                       /* why the first was refused */
	size_t n;
	struct tw_refusals_row rows[TW_REFUSALS_SOURCES]; /* in the order in which they came */
	struct tw_refusals_row others;
	uint8_t index[4 * TW_REFUSALS_SOURCES]; /* internal: a row's number + 1, by the source's */
};

struct tw_admission_options {
	size_t of_one_source; /* streams of one address, or of one IPv6 network of 64 bits; 0 = TW_STREAMS_OF_SOURCE_MAX */
	uint64_t unanswered; /* bytes a second, of all streams that never answered; 0 = no limit */
	/* Frames of a stream that is admitted now, before the one that tw_admission__frame() is called with; all from the sender of that. */
	void (*admitted)(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival);
	/* A stream that was admitted has to make room: no more of its frames come. */
	void (*gave_way)(void *ctx, uint64_t stream_id);
	void *ctx;
};

struct tw_admission;

/** tw_admission__new() - no stream yet. Return: NULL without memory */
struct tw_admission *tw_admission__new(const struct tw_admission_options *options);

/** tw_admission__free() - NULL is fine */
void tw_admission__free(struct tw_admission *a);

/** tw_admission__streams() - those that are admitted, live; for who keeps something of them. It goes with the admission */
struct tw_streams *tw_admission__streams(const struct tw_admission *a);

/** tw_admission__begin() - frames that follow arrived then: CLOCK_MONOTONIC, ns. What waited too long is refused */
void tw_admission__begin(struct tw_admission *a, uint64_t now);

/**
 * tw_admission__frame() - a frame came that is not out of band
 *
 * Return: whether it is to be taken. One that cannot be read is: whoever reads it counts it.
 */
bool tw_admission__frame(struct tw_admission *a, const struct tw_received_frame *frame,
			 const struct tw_arrival *arrival);

/** tw_admission__answered() - the poller has had an answer of a stream that was admitted, from that address: it counts as this one's */
void tw_admission__answered(struct tw_admission *a, uint64_t stream_id, const struct tw_peer_address *from);

/** tw_admission__answer() - an out-of-band frame came. Return: whether it answers a question of tw_admission__next(): then nobody else needs it */
bool tw_admission__answer(struct tw_admission *a, const struct tw_received_frame *frame);

/** tw_admission__next() - a question to be sent at once; call again until there is none. Return: false if there is none */
bool tw_admission__next(struct tw_admission *a, struct tw_time_sync_request *ret);

/** tw_admission__finish() - no frame comes any more: those that wait are refused */
void tw_admission__finish(struct tw_admission *a);

/** tw_admission__refusals() - up to now; borrowed until the next call */
const struct tw_refusals *tw_admission__refusals(const struct tw_admission *a);

/** tw_refusals__why() - a reason in words, and how to mend it */
const char *tw_refusals__why(uint16_t why);

#endif
