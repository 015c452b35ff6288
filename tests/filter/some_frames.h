/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames with one event of formats.h. Their values are often those of some_expressions(). The frames are the same in every run. */
#ifndef TESTS_FILTER_SOME_FRAMES_H
#define TESTS_FILTER_SOME_FRAMES_H

#include "filter/evaluate.h"
#include "wire/encode.h"

#define SOME_SCHEMA_ID 0x1122334455667788ull
#define SOME_ETH       14 /* bytes of the packet before the frame */

struct some_frame {
	uint8_t bytes[512 + TW_COPY_STEP]; /* from the Ethernet header on */
	size_t len;
	struct tw_filter_event event; /* points into bytes */
};

/** some_frame__make() - make frame number @n of an event. @cut: one in four records is truncated; @big_endian: byte order of the record */
void some_frame__make(struct some_frame *frame, const struct tw_format *format, uint32_t n, bool cut, bool big_endian);

/** some_expressions() - call @cb with expressions on each field of each event, and on the properties of all events */
void some_expressions(const struct tw_schema *schema, void (*cb)(void *ctx, const char *text), void *ctx);

/* The context of a comparison of a back end with the evaluator, for all expressions. */
struct some_run {
	bool big_endian;
	unsigned int expressions, frames, matched; /* counted by the callback */
};

/**
 * some_run__in_both_orders() - call @compare with all expressions on `formats`, for bodies of both byte orders; @ctx is a struct some_run
 * @part: the test fails unless more than one of @part frames matched
 */
void some_run__in_both_orders(void (*compare)(void *ctx, const char *text), unsigned int part);

#endif
