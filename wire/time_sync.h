/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions and answers: out-of-band frames that carry a TIME_SYNC. */
#ifndef TW_TIME_SYNC_H
#define TW_TIME_SYNC_H

#include "wire/encode.h"

#define TW_TIME_SYNC_BYTES (sizeof(struct tw_frame_hdr) + sizeof(struct tw_time_sync))
#define TW_TIME_SYNC_ROOM                                 \
	(TW_TIME_SYNC_BYTES + sizeof(struct tw_tlv) + 4 + \
	 TW_COPY_STEP) /* with a METADATA_REQUEST or a REFUSED of one */

/** tw_time_sync_frame__write() - an out-of-band frame, into TW_TIME_SYNC_ROOM bytes. Return: its length */
size_t tw_time_sync_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *exchange);

/** tw_time_sync_frame__ask() - the same, a question with a METADATA_REQUEST. @want: enum tw_metadata_request; 0 = nothing is wanted besides the answer */
size_t tw_time_sync_frame__ask(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *question,
			       uint16_t want);

/** tw_time_sync_frame__refuse() - a question that tells the producer that its stream is refused. @why: enum tw_refused_why */
size_t tw_time_sync_frame__refuse(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *question,
				  uint16_t why);

/** tw_time_sync_frame__read() - the first TIME_SYNC of an out-of-band frame. Return: false if there is none */
bool tw_time_sync_frame__read(const uint8_t *data, size_t len, uint64_t *ret_stream, struct tw_time_sync_view *ret);

/** tw_time_sync_frame__metadata_request() - the most that is wanted by such a frame. Return: enum tw_metadata_request; 0 = nothing */
uint16_t tw_time_sync_frame__metadata_request(const uint8_t *data, size_t len);

/** tw_time_sync_frame__refused() - why the receiver refuses the stream, as such a frame says. Return: enum tw_refused_why, or unknown; 0 = it does not */
uint16_t tw_time_sync_frame__refused(const uint8_t *data, size_t len);

#endif
