/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a frame: passes every TLV to every parse function, and reads every byte of their results. Aborts if a result extends beyond the
 * given bytes or if a cursor does not advance. It therefore finds bugs even without a sanitizer.
 */
#ifndef WALK_H
#define WALK_H

#include "wire/decode.h"

/** walk__frame() - read a frame. Return: how the frame ended; @ret_tlvs: number of TLVs */
enum tw_frame_status walk__frame(const uint8_t *data, size_t len, size_t *ret_tlvs);

#endif
