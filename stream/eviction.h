/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of the stream that leaves a full table, to make room for a new stream. All tables of streams use this policy.
 *
 * Streams leave in this order: streams that ended, streams without a proof that they are not forged, streams with consecutive numbers, and
 * streams that answered a time synchronisation request. Among equal streams, the stream that was silent for longest leaves first. A stream
 * may leave if it ended, has no proof, has a weaker proof than the new stream, or was silent for so long that its producer may have died
 * without END.
 *
 * If no stream may leave by this rule, and the new stream has answered a request, a second rule shares the table between the addresses: a
 * stream of the address with the most streams leaves. The condition is that this address afterwards has at least as many streams as the
 * address of the new stream, including the new stream. By the second rule, no address loses its only stream, and two addresses do not
 * displace each other's streams in turn.
 *
 * If the address of the new stream already has its maximum of streams (of_one_source), only a stream of this address may leave, by the
 * first rule.
 */
#ifndef TW_STANDING_H
#define TW_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/limits.h"
#include "wire/decode.h"

/* Evidence that a stream is not forged. Each proof is harder to forge than the proof before it. */
enum tw_proof {
	TW_PROOF_NONE,
	TW_PROOF_NUMBERS, /* a frame continued the numbers of an earlier frame of its channel */
	TW_PROOF_ANSWER,  /* the producer answered a request sent to the source address of its frames */
};

/* The properties of a stream that determine whether it leaves. */
struct tw_standing {
	uint64_t heard;  /* when the latest frame was received, in the table's unit: a time, or a number of frames */
	uint64_t source; /* the caller's number for the stream's address; equal numbers mean the same address */
	enum tw_proof proof;
	bool ended; /* END was received */
};

/* The limits of a table of streams. */
struct tw_places {
	size_t n;             /* largest number of streams */
	size_t of_one_source; /* largest number of streams from one address */
	uint64_t silence;     /* limit in the table's unit: a stream that was silent for longer counts as dead */
};

#define TW_STANDING_NOBODY SIZE_MAX /* instead of an index: no stream leaves */

/** tw_standing__goes_before() - whether the stream @s leaves before the stream @other */
bool tw_standing__goes_before(const struct tw_standing *s, const struct tw_standing *other);

/**
 * tw_standing__choose() - choose the stream that leaves for a new stream
 * @there: the @n streams in the table, at most TW_STREAMS_LIVE_MAX, in any order
 * @newcomer: the new stream; its member heard has the current time
 * @ret: index in @there of the stream that leaves; TW_STANDING_NOBODY = there is room
 *
 * Return: 0; -EDQUOT if the newcomer's address has of_one_source streams, and none of them may leave; -ENOSPC if the table is full, and no
 * stream may leave.
 */
int tw_standing__choose(const struct tw_standing *there, size_t n, const struct tw_places *places,
			const struct tw_standing *newcomer, size_t *ret);

/*
 * The expected numbers of a stream, all zero at the start. Index 0 is for control frames, index 1 for the frames of one other channel: at
 * first, the channel of the first received frame that is not a control frame. If TW_OTHERS_MAX consecutive frames of other channels follow,
 * the row changes to the channel of the next frame. This is necessary because a task may leave a CPU after its first event, and then the
 * channel of this CPU may have no further frames.
 */
struct tw_number_row {
	uint64_t next[2];              /* next expected number; 0 = unknown */
	uint16_t channel;              /* the channel of index 1; 0 = not received yet */
	uint16_t others;               /* number of frames of other channels since the last frame of this channel */
} __attribute__((packed, aligned(4))); /* without padding, because there are many rows */

/* Fewer than the frames that pcap-tools/admission can keep of a stream without proof: 1 MiB, or about 116 frames of 9000 bytes. */
#define TW_OTHERS_MAX 64

/**
 * tw_number_row__see() - note a frame
 * Return: whether the frame begins with the number after those of the previous frame of its channel. False if the previous frame used no
 * number, or if the row does not have this channel.
 */
bool tw_number_row__see(struct tw_number_row *row, const struct tw_frame_info *info);

#endif
