/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions and answers: frames beside a stream that carry an EXCHANGE. */
#ifndef TW_EXCHANGE_H
#define TW_EXCHANGE_H

#include "wire/decode.h"

#define TW_EXCHANGE_BYTES (sizeof(struct tw_frame_hdr) + sizeof(struct tw_exchange))
#define TW_EXCHANGE_ROOM  (TW_EXCHANGE_BYTES + TW_COPY_STEP)

/** tw_exchange_frame__write() - a frame beside the stream, into TW_EXCHANGE_ROOM bytes. Return: its length */
size_t tw_exchange_frame__write(uint8_t *buf, uint64_t stream_id, const struct tw_exchange_view *exchange);

/** tw_exchange_frame__read() - the first EXCHANGE of a frame beside a stream. Return: false if there is none */
bool tw_exchange_frame__read(const uint8_t *data, size_t len, uint64_t *ret_stream, struct tw_exchange_view *ret);

#endif
