/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a frame the way a receiver would: every TLV, every parse function, every byte that a view hands out. Aborts where
 * a view leaves the bytes given or a cursor stands still, so that it finds mistakes with and without a sanitizer.
 */
#ifndef WALK_H
#define WALK_H

#include "wire/decode.h"

/** walk__frame() - read all of it. Return: how the frame ended; @ret_tlvs: TLVs handed out */
enum tw_frame_status walk__frame(const uint8_t *data, size_t len, size_t *ret_tlvs);

#endif
