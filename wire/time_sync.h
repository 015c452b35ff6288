/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests and responses of time synchronisation: out-of-band frames with a TIME_SYNC. */
#ifndef TW_TIME_SYNC_H
#define TW_TIME_SYNC_H

#include "wire/encode.h"

#define TW_TIME_SYNC_BYTES (sizeof(struct tw_frame_hdr) + sizeof(struct tw_time_sync))
/* The same with a METADATA_REQUEST or a REFUSED of one number, and the slack that building a frame needs. */
#define TW_TIME_SYNC_ROOM (TW_TIME_SYNC_BYTES + sizeof(struct tw_tlv) + 4 + TW_COPY_STEP)

/** tw_time_sync_frame__write() - a frame with a TIME_SYNC alone, into TW_TIME_SYNC_ROOM bytes. Return: its length */
size_t tw_time_sync_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *sync);

/** tw_time_sync_frame__request() - a request with a METADATA_REQUEST. @metadata: enum tw_metadata_request; 0 = without */
size_t tw_time_sync_frame__request(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *request,
				   uint16_t metadata);

/** tw_time_sync_frame__refuse() - a request with a REFUSED. @why: enum tw_refused_why */
size_t tw_time_sync_frame__refuse(uint8_t *buf, uint64_t stream_id, const struct tw_time_sync_view *request,
				  uint16_t why);

/** tw_time_sync_frame__read() - the first TIME_SYNC of an out-of-band frame. Return: false if there is none */
bool tw_time_sync_frame__read(const uint8_t *data, size_t len, uint64_t *ret_stream, struct tw_time_sync_view *ret);

/** tw_time_sync_frame__metadata_request() - the largest METADATA_REQUEST of such a frame. Return: enum tw_metadata_request; 0 = none */
uint16_t tw_time_sync_frame__metadata_request(const uint8_t *data, size_t len);

/** tw_time_sync_frame__refused() - the largest first reason of its REFUSEDs. Return: enum tw_refused_why, or unknown; 0 = none */
uint16_t tw_time_sync_frame__refused(const uint8_t *data, size_t len);

#endif
