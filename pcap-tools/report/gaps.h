/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. Events that are missing by their numbers, where frames come in order. */
#ifndef TW_REPORT_GAPS_H
#define TW_REPORT_GAPS_H

#include <stdint.h>

#include "wire/encode.h"

struct tw_report_gaps;

/** tw_report_gaps__new() - Return: NULL without memory */
struct tw_report_gaps *tw_report_gaps__new(void);

/** tw_report_gaps__free() - NULL is fine */
void tw_report_gaps__free(struct tw_report_gaps *gaps);

/** tw_report_gaps__frame() - take a frame's numbers in. Return: how many are missing before them */
uint64_t tw_report_gaps__frame(struct tw_report_gaps *gaps, const struct tw_frame_info *frame);

#endif
