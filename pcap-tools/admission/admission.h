/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission decides which streams a capture host takes, once for each frame, on arrival. Any host can invent streams as fast as the
 * network carries them. Therefore only the first frames of a stream are kept until it has a proof (enum tw_proof):
 *
 * - The first frames of a stream wait in a ring of bytes until one of them continues the numbers of another. Then the stream is admitted
 * with its waiting frames, if there is a place (stream/eviction.h).
 * - If it is not admitted, a question is sent to the stream: a time synchronisation request. The question contains all state (like a SYN
 * cookie), so questions need no memory. A stream that answers has proved that its address is not forged, and is admitted before streams
 * that did not answer.
 * - Streams that do not answer may be forged. So the number of them that is admitted per second is limited, and their bytes per second are
 *   limited.
 * - Refused frames are counted by source address. If a stream stays refused, its next questions contain the reason (REFUSED).
 *
 * An admission belongs to one thread. Its memory is bounded, whatever arrives.
 */
#ifndef TW_ADMISSION_H
#define TW_ADMISSION_H

#include "clocks/clock_poller.h"
#include "pcap-tools/merge/merge.h"

#define TW_ADMISSION_UNANSWERED     ((uint64_t)4 << 20) /* default of --unanswered, bytes per second */
#define TW_ADMISSION_UNANSWERED_MAX ((uint64_t)1 << 40)
#define TW_ADMISSION_BURST_TIMES    8 /* bytes of a burst: `unanswered` times this */

/* Refused frames and events of streams that were not admitted, by source address. */

#define TW_REFUSALS_SOURCES 64 /* addresses with a row of their own; further addresses are added up in `others` */

/* Reasons for a refusal: TW_REFUSED_UNPROVEN, and those of TW_REFUSED_LIST, which are sent to the producer. */
#define TW_REFUSED_UNPROVEN 0 /* no frame continued the numbers of another frame of the stream */
#define TW_REFUSED_REASONS  (TW_REFUSED_RATE + 1)

struct tw_refusals_row {
	struct tw_peer_address source;
	uint64_t frames, events;
};

struct tw_refusals {
	uint64_t frames, events;              /* totals of all addresses */
	uint64_t reasons[TW_REFUSED_REASONS]; /* number of frames, by reason */
	uint64_t gave_way; /* number of admitted streams that were evicted, for others or because of `unanswered` */
	uint16_t first;    /* reason of the first refusal */
	size_t n;
	struct tw_refusals_row rows[TW_REFUSALS_SOURCES]; /* one per address, in order of the first refusal */
	struct tw_refusals_row others;                    /* totals of the addresses without a row */
	uint8_t index[4 * TW_REFUSALS_SOURCES];           /* internal: number of the row + 1, by hash of the source */
};

struct tw_admission_options {
	size_t of_one_source; /* largest number of streams of one address, or of one IPv6 /64 network; 0 = TW_STREAMS_OF_SOURCE_MAX */
	uint64_t unanswered; /* limit of the bytes per second of all streams that never answered; 0 = no limit */
	/*
	 * Called when a stream is admitted, for each of its earlier frames that waited, before tw_admission__frame() or
	 * tw_admission__answer() returns. All have the sender of the current frame as `from`.
	 */
	void (*admitted)(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival);
	/* Called when an admitted stream leaves, because another takes its place or it exceeds `unanswered`. */
	void (*gave_way)(void *ctx, uint64_t stream_id);
	void *ctx;
};

struct tw_admission;

/** tw_admission__new() - make an admission with an empty table of streams. Return: NULL without memory */
struct tw_admission *tw_admission__new(const struct tw_admission_options *options);

/** tw_admission__free() - NULL is fine */
void tw_admission__free(struct tw_admission *a);

/** tw_admission__streams() - the table of the admitted streams, all live; freed with the admission */
struct tw_streams *tw_admission__streams(const struct tw_admission *a);

/**
 * tw_admission__begin() - set the arrival time of the next frames and refuse frames that have waited for more than 10 s
 * @now: CLOCK_MONOTONIC, ns
 */
void tw_admission__begin(struct tw_admission *a, uint64_t now);

/**
 * tw_admission__frame() - decide about a frame that is not out-of-band
 *
 * Return: whether the caller takes the frame. An unreadable frame is taken, so that the caller counts it.
 */
bool tw_admission__frame(struct tw_admission *a, const struct tw_received_frame *frame,
			 const struct tw_arrival *arrival);

/**
 * tw_admission__answered() - record that an admitted stream answered a request of the clock poller
 * @from: source address of the answer; becomes the address of the stream. If it is another address than before and already has its limit of
 * streams, the answer is ignored
 */
void tw_admission__answered(struct tw_admission *a, uint64_t stream_id, const struct tw_peer_address *from);

/** tw_admission__answer() - decide about an out-of-band frame. Return: true if it answers a question; the caller ignores such a frame */
bool tw_admission__answer(struct tw_admission *a, const struct tw_received_frame *frame);

/**
 * tw_admission__next() - get a question to be sent immediately; call it until it returns false
 * @ret: its `to` is borrowed until the next call of another function
 * Return: false if no question waits.
 */
bool tw_admission__next(struct tw_admission *a, struct tw_time_sync_request *ret);

/** tw_admission__finish() - refuse all waiting frames, at the end of the capture */
void tw_admission__finish(struct tw_admission *a);

/** tw_admission__refusals() - the frames and events refused so far; borrowed until the next call */
const struct tw_refusals *tw_admission__refusals(const struct tw_admission *a);

/** tw_refusals__why() - the text for a reason, with its remedy. @why: TW_REFUSED_* */
const char *tw_refusals__why(uint16_t why);

#endif
