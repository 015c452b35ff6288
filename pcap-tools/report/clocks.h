/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. Where streams stand on one time line: what the first CLOCK of each says of the wall clock, for the merge. */
#ifndef TW_REPORT_CLOCKS_H
#define TW_REPORT_CLOCKS_H

#include "pcap-tools/merge/merge.h"
#include "wire/decode.h"

struct tw_report_clock {
	uint64_t stream_id;
	uint64_t mult, shift; /* as HOST has them; mult 0 = the clock counts ns */
	bool dated;
};

struct tw_report_clocks {
	struct tw_report_clock of[TW_STREAMS_LIVE_MAX]; /* more are left to the merge's guess */
	size_t n;
};

/** tw_report_clocks__look() - a control frame is about to go into the merge. Return: 0, or what the merge's emit returned */
int tw_report_clocks__look(struct tw_report_clocks *clocks, struct tw_merge *merge, uint64_t stream_id,
			   struct tw_cursor tlvs);

#endif
