/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a frame like a receiver: every TLV, every parse function, every byte of a view. Aborts if a view extends beyond the given bytes
 * or a cursor does not advance, so that it finds bugs with and without a sanitizer.
 */
#ifndef WALK_H
#define WALK_H

#include "wire/decode.h"

/** walk__frame() - read all of it. Return: how the frame ended; @ret_tlvs: number of TLVs */
enum tw_frame_status walk__frame(const uint8_t *data, size_t len, size_t *ret_tlvs);

#endif
