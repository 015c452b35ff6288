/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of time synchronisation: out-of-band frames with a TIME_SYNC, which is a request or a response. */
#ifndef TW_TIME_SYNC_H
#define TW_TIME_SYNC_H

#include "wire/encode.h"

#define TW_TIME_SYNC_BYTES     (sizeof(struct tw_frame_hdr) + sizeof(struct tw_time_sync))
#define TW_TIME_SYNC_BYTES_MIN (sizeof(struct tw_frame_hdr) + TW_TIME_SYNC_MIN) /* of a frame with a short TIME_SYNC */
/*
 * Size of a buffer for one frame, bytes. The longest frame has a TIME_SYNC and one more TLV, which contains one number: a METADATA_REQUEST
 * or a REFUSED. TW_COPY_STEP is the extra space that tw_frame__begin() requires.
 */
#define TW_TIME_SYNC_ROOM (TW_TIME_SYNC_BYTES + sizeof(struct tw_tlv) + 4 + TW_COPY_STEP)

/** tw_time_sync_frame__write() - write a frame with only a TIME_SYNC. @buf: TW_TIME_SYNC_ROOM bytes. Return: length of the frame, bytes */
size_t tw_time_sync_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *sync);

/** tw_time_sync_frame__request() - write a request. @metadata: enum tw_metadata_request; 0 = without a METADATA_REQUEST */
size_t tw_time_sync_frame__request(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *request,
				   uint16_t metadata);

/** tw_time_sync_frame__refuse() - write a request with a REFUSED; @why: enum tw_refused_why */
size_t tw_time_sync_frame__refuse(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *request,
				  uint16_t why);

/**
 * tw_time_sync_frame__read() - read the first TIME_SYNC of a frame
 * Return: false if the frame is not a complete out-of-band frame, or its TIME_SYNC is missing or malformed.
 */
bool tw_time_sync_frame__read(const uint8_t *data, size_t len, uint64_t *ret_stream, struct tw_time_sync_view *ret);

/** tw_time_sync_frame__metadata_request() - the largest enum tw_metadata_request in an out-of-band frame; 0 = none */
uint16_t tw_time_sync_frame__metadata_request(const uint8_t *data, size_t len);

/**
 * tw_time_sync_frame__refused() - the first reason in the REFUSED of an out-of-band frame
 * If the frame has several REFUSEDs, the result is the largest of their first reasons.
 * Return: enum tw_refused_why, or an unknown number; 0 = no REFUSED.
 */
uint16_t tw_time_sync_frame__refused(const uint8_t *data, size_t len);

#endif
