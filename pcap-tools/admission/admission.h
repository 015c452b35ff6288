/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission decides which streams a capture host takes, once for each frame, on arrival. Strangers can invent streams as fast as the
 * network carries them. Therefore nothing is done for a stream before it has proved something:
 *
 * - The first frames of a stream wait in a ring of bytes until one of them continues the numbers of another. Then the stream is admitted
 * with these frames, if there is a place (stream/eviction.h).
 * - If there is no place, the stream is asked a question. The question contains all state (like a SYN cookie), so questions need no
 * memory. A stream that answers has proved that its address is not forged, and is admitted before those that did not answer.
 * - Streams that do not answer may be forged. So only a limited number a second is admitted, and their bytes are limited.
 * - Frames that are not admitted are counted by address, and the next question tells the sender.
 *
 * Belongs to one thread. Memory is bounded, whatever arrives.
 */
#ifndef TW_ADMISSION_H
#define TW_ADMISSION_H

#include "clocks/clock_poller.h"
#include "pcap-tools/merge/merge.h"

#define TW_ADMISSION_UNANSWERED     ((uint64_t)4 << 20) /* default, bytes a second */
#define TW_ADMISSION_UNANSWERED_MAX ((uint64_t)1 << 40)
#define TW_ADMISSION_BURST_TIMES    8 /* a burst may have the bytes of this number of seconds */

/* Refused frames and events of streams that were not admitted, by source address. */

#define TW_REFUSALS_SOURCES 64 /* rows reported one by one; further ones are added up */

/* The reasons; the sender is told those of TW_REFUSED_LIST. */
#define TW_REFUSED_UNPROVEN 0 /* no frame continued the numbers of another frame of the stream */
#define TW_REFUSED_REASONS  (TW_REFUSED_RATE + 1)

struct tw_refusals_row {
	struct tw_peer_address source;
	uint64_t frames, events;
};

struct tw_refusals {
	uint64_t frames, events;              /* the row of all addresses */
	uint64_t reasons[TW_REFUSED_REASONS]; /* number of frames */
	uint64_t gave_way;                    /* streams that were admitted and then replaced */
	uint16_t first;                       /* reason of the first refusal */
	size_t n;
	struct tw_refusals_row rows[TW_REFUSALS_SOURCES]; /* in order of arrival */
	struct tw_refusals_row others;
	uint8_t index[4 * TW_REFUSALS_SOURCES]; /* internal: number of the row + 1, by hash of the source */
};

struct tw_admission_options {
	size_t of_one_source; /* streams of one address, or of one IPv6 /64 network; 0 = TW_STREAMS_OF_SOURCE_MAX */
	uint64_t unanswered;  /* bytes a second of all streams that never answered; 0 = no limit */
	/*
	 * Called with the earlier frames of a stream that is admitted now, before tw_admission__frame() returns for the current one; all
	 * from the same sender.
	 */
	void (*admitted)(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival);
	/* Called when an admitted stream is replaced: no more of its frames follow. */
	void (*gave_way)(void *ctx, uint64_t stream_id);
	void *ctx;
};

struct tw_admission;

/** tw_admission__new() - without streams. Return: NULL without memory */
struct tw_admission *tw_admission__new(const struct tw_admission_options *options);

/** tw_admission__free() - NULL is fine */
void tw_admission__free(struct tw_admission *a);

/**
 * tw_admission__streams() - the table of the admitted streams, live, for users that keep data about them; freed with the admission
 */
struct tw_streams *tw_admission__streams(const struct tw_admission *a);

/**
 * tw_admission__begin() - set the arrival time of the next frames: CLOCK_MONOTONIC, ns. Refuses frames that have waited too long
 */
void tw_admission__begin(struct tw_admission *a, uint64_t now);

/**
 * tw_admission__frame() - decide about a frame that is not out-of-band
 *
 * Return: whether to take it. An unreadable frame is taken, so that the caller counts it.
 */
bool tw_admission__frame(struct tw_admission *a, const struct tw_received_frame *frame,
			 const struct tw_arrival *arrival);

/**
 * tw_admission__answered() - the clock poller has received an answer of an admitted stream from that address, which now counts as the
 * stream's
 */
void tw_admission__answered(struct tw_admission *a, uint64_t stream_id, const struct tw_peer_address *from);

/**
 * tw_admission__answer() - decide about an out-of-band frame. Return: whether it answers a question of tw_admission__next(); nobody else
 * needs it then
 */
bool tw_admission__answer(struct tw_admission *a, const struct tw_received_frame *frame);

/** tw_admission__next() - get a question to be sent at once; call it until there is none. Return: false if there is none */
bool tw_admission__next(struct tw_admission *a, struct tw_time_sync_request *ret);

/** tw_admission__finish() - no more frames will arrive: refuses those that wait */
void tw_admission__finish(struct tw_admission *a);

/** tw_admission__refusals() - what was refused so far; borrowed until the next call */
const struct tw_refusals *tw_admission__refusals(const struct tw_admission *a);

/** tw_refusals__why() - text of a reason, and how to repair it */
const char *tw_refusals__why(uint16_t why);

#endif
