/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission decides which streams a capture host accepts. When a frame arrives, it is accepted, refused, or kept until its stream is
 * admitted. Any host can forge frames of new streams as fast as the network carries them. Therefore a stream is not accepted before it has
 * a proof (enum tw_proof):
 *
 * - The first frames of a stream wait in a ring of bytes until a frame continues the numbers of an earlier frame. Then the stream is
 *   admitted with its waiting frames, if the table of streams has room for it (stream/eviction.h).
 * - If the stream cannot be admitted, for example because the table has no room, a time synchronisation request is sent to the source
 *   address of the frame. An answer is verified by the id that it repeats from the request (like a SYN cookie), so no memory is needed for
 *   requests that were sent. A stream that answers has proved that its address is not forged. Such a stream takes precedence over streams
 *   that did not answer.
 * - Streams that do not answer may be forged. So the number of such streams admitted per second is limited, and so are their bytes per
 *   second.
 * - Refused frames are counted by source address. If a stream is refused repeatedly, later requests contain a REFUSED with the reason.
 *
 * An admission belongs to one thread. Its memory is bounded, whatever arrives.
 */
#ifndef TW_ADMISSION_H
#define TW_ADMISSION_H

#include "clocks/clock_poller.h"
#include "pcap-tools/merge/merge.h"

#define TW_ADMISSION_UNANSWERED     ((uint64_t)4 << 20) /* default of --unanswered, bytes per second */
#define TW_ADMISSION_UNANSWERED_MAX ((uint64_t)1 << 40)
#define TW_ADMISSION_BURST_TIMES    8 /* bytes of the largest burst, as a multiple of `unanswered` */

/* Refused frames, and the events in them, by source address. */

#define TW_REFUSALS_SOURCES 64 /* addresses with a row of their own; all further addresses share the row `others` */

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
	uint64_t gave_way; /* admitted streams that were evicted: for a new stream, or beyond the limit `unanswered` */
	uint16_t first;    /* reason of the first refusal */
	size_t n;
	struct tw_refusals_row rows[TW_REFUSALS_SOURCES]; /* one per address, in order of the first refusal */
	struct tw_refusals_row others;                    /* totals of the addresses without a row */
	uint8_t index[4 * TW_REFUSALS_SOURCES]; /* internal: hash table of the sources; index in `rows`, plus 1 */
};

struct tw_admission_options {
	size_t of_one_source; /* largest number of streams of one address, or of one IPv6 /64 network; 0 = TW_STREAMS_OF_SOURCE_MAX */
	uint64_t unanswered; /* limit of the bytes per second of all streams that never answered; 0 = no limit */
	/*
	 * Called when a stream is admitted, for each of its waiting frames, before tw_admission__frame() or tw_admission__answer()
	 * returns. The `from` of each waiting frame is the sender of the frame that was passed to that function.
	 */
	void (*admitted)(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival);
	/* Called when an admitted stream is evicted: a new stream needs its room, or the limit `unanswered` is exceeded. */
	void (*gave_way)(void *ctx, uint64_t stream_id);
	void *ctx;
};

struct tw_admission;

/** tw_admission__new() - make an admission with an empty table of streams. Return: NULL without memory or random bytes */
struct tw_admission *tw_admission__new(const struct tw_admission_options *options);

/** tw_admission__free() - free @a, which may be NULL */
void tw_admission__free(struct tw_admission *a);

/** tw_admission__streams() - the table of streams; the admitted streams are the live ones; freed with the admission */
struct tw_streams *tw_admission__streams(const struct tw_admission *a);

/**
 * tw_admission__begin() - set the arrival time of the next frames and refuse frames that have waited for more than 10 s
 * @now: CLOCK_MONOTONIC, ns
 */
void tw_admission__begin(struct tw_admission *a, uint64_t now);

/**
 * tw_admission__frame() - decide about a frame that is not out-of-band
 *
 * Return: true if the caller must process the frame. The result is also true for an unreadable frame, which the caller counts.
 */
bool tw_admission__frame(struct tw_admission *a, const struct tw_received_frame *frame,
			 const struct tw_arrival *arrival);

/**
 * tw_admission__answered() - record that an admitted stream answered a request of the clock poller
 * @from: source address of the answer, which becomes the address of the stream. If this address is new for the stream, and has reached its
 * limit of streams, the answer is ignored
 */
void tw_admission__answered(struct tw_admission *a, uint64_t stream_id, const struct tw_peer_address *from);

/**
 * tw_admission__answer() - take an out-of-band frame. If it answers a request from tw_admission__next(), its stream may be admitted.
 * Return: whether it is such an answer
 */
bool tw_admission__answer(struct tw_admission *a, const struct tw_received_frame *frame);

/**
 * tw_admission__next() - get a request to be sent immediately; called until it returns false
 * @ret: its `to` is borrowed until the next call of another function
 * Return: false if no request waits.
 */
bool tw_admission__next(struct tw_admission *a, struct tw_time_sync_request *ret);

/** tw_admission__finish() - refuse all waiting frames, at the end of the capture */
void tw_admission__finish(struct tw_admission *a);

/** tw_admission__refusals() - the frames and events refused so far; borrowed until tw_admission__free(), and updated by later calls */
const struct tw_refusals *tw_admission__refusals(const struct tw_admission *a);

/** tw_refusals__why() - the text for a reason, with a remedy. @why: TW_REFUSED_* */
const char *tw_refusals__why(uint16_t why);

#endif
