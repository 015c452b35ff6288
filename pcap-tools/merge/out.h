/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes out of a merge is made and counted here; whose turn it is, others decide. All return 0, or what emit returned. */
#ifndef TW_MERGE_OUT_H
#define TW_MERGE_OUT_H

#include "pcap-tools/merge/state.h"

/**
 * tw_out__head() - the head's next item, or all of it if frames come out whole, goes out, is counted and gone, or is dropped
 * A hole before it is given up first.
 */
int tw_out__head(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_out__rest() - nothing more of the head goes out: numbers that it did not use are damaged */
int tw_out__rest(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_out__control() - the first control frame goes out, as of @time */
int tw_out__control(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time);

/** tw_out__owed() - the end: what was promised and did not come is missing */
int tw_out__owed(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/* For item.c and whole.c. */

/** tw_item__out() - the head's next item */
int tw_item__out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_whole__out() - all of the head */
int tw_whole__out(struct tw_merge *m, struct tw_merge_stream *s, struct tw_channel *c);

/** tw_out__is_late() - whether something newer went out before what goes out now */
bool tw_out__is_late(struct tw_merge *m, struct tw_merge_stream *s, uint64_t time);

/** tw_out__emit() - with its counts */
int tw_out__emit(struct tw_merge *m, struct tw_merge_stream *s, const struct tw_merged *out);

#endif
