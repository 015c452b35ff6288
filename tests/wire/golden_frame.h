/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a golden frame with the frame that a test builds, and with the values that a reader gets. If a comparison fails, the function
 * fails the running cmocka test.
 */
#ifndef GOLDEN_FRAME_H
#define GOLDEN_FRAME_H

#include "golden.h"
#include "wire/decode.h"
#include "wire/encode.h"

struct golden_frame {
	struct golden golden;
	struct tw_frame frame; /* being built, with exactly the golden frame's size */
	uint8_t buf[sizeof(((struct golden *)NULL)->data) + TW_COPY_STEP];
};

/** golden__begin() - load the golden frame @name and begin to build the same frame */
void golden__begin(struct golden_frame *g, const char *name, const struct tw_frame_info *info);

/** golden__expect_built() - end the built frame, and check that it equals the golden frame byte by byte */
void golden__expect_built(struct golden_frame *g);

/** golden__expect_header() - check that the golden frame's header has the values of @info and @events. Return: its TLVs */
struct tw_cursor golden__expect_header(const struct golden_frame *g, const struct tw_frame_info *info, uint16_t events);

/** golden__next() - check that the next TLV has the type @type. Return: this TLV */
struct tw_tlv_view golden__next(struct tw_cursor *c, enum tw_tlv_type type);

/** golden__expect_end() - check that no TLV is left */
void golden__expect_end(struct tw_cursor *c);

#endif
