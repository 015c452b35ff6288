/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sequence numbers: what is missing, doubled or late in each channel. Found in the first pass, kept for the frames concerned. */
#ifndef TW_SEQUENCE_H
#define TW_SEQUENCE_H

#include "dissector/capture.h"

enum tw_sequence_kind { TW_SEQUENCE_GAP, TW_SEQUENCE_REORDERED, TW_SEQUENCE_DUPLICATE };

struct tw_sequence_note {
	uint8_t kind;     /* enum tw_sequence_kind */
	uint64_t missing; /* TW_SEQUENCE_GAP: numbers missing before this frame */
};

/**
 * tw_stream__check_sequence() - compare a frame's numbers with what its channel had so far; first pass only
 * Return: what is to be said about it, living as long as the capture; NULL if all is well.
 */
const struct tw_sequence_note *tw_stream__check_sequence(struct tw_stream *stream, const struct tw_frame_info *frame);

#endif
