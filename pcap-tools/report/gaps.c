/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/gaps.h"

#include <stdbool.h>
#include <stdlib.h>

#define ROWS 16384 /* a power of two */
#define PROBES_MAX \
	32 /* a channel for which no row is near is not watched: there are thousands, or somebody chose them */

struct row {
	uint64_t stream_id, next;
	uint16_t channel;
	bool used;
};

struct tw_report_gaps {
	struct row rows[ROWS];
	struct row *last;
};

struct tw_report_gaps *tw_report_gaps__new(void)
{
	return calloc(1, sizeof(struct tw_report_gaps));
}

void tw_report_gaps__free(struct tw_report_gaps *gaps)
{
	free(gaps);
}

static bool is_of(const struct row *row, const struct tw_frame_info *frame)
{
	return row->used && row->stream_id == frame->stream_id && row->channel == frame->channel;
}

/* Its row, or the free one where it belongs; NULL if there is neither. */
static struct row *find(struct tw_report_gaps *gaps, const struct tw_frame_info *frame)
{
	const uint64_t hash = (frame->stream_id ^ (uint64_t)frame->channel << 48) * 0x9e3779b97f4a7c15u;
	size_t at = hash >> 50;

	if (gaps->last && is_of(gaps->last, frame))
		return gaps->last;
	for (int i = 0; i < PROBES_MAX; i++, at = (at + 1) % ROWS) {
		struct row *row = &gaps->rows[at];

		if (!row->used || is_of(row, frame))
			return gaps->last = row;
	}
	return NULL;
}

uint64_t tw_report_gaps__frame(struct tw_report_gaps *gaps, const struct tw_frame_info *frame)
{
	struct row *row;
	uint64_t missing = 0;

	if (frame->channel == TW_CHANNEL_CONTROL || frame->flags & TW_FLAG_LATE)
		return 0;
	row = find(gaps, frame);
	if (!row)
		return 0;
	if (!row->used)
		*row = (struct row){ .used = true, .stream_id = frame->stream_id, .channel = frame->channel };
	else if (frame->seq > row->next)
		missing = frame->seq - row->next;
	if (!row->next || frame->seq >= row->next)
		row->next = frame->seq + frame->events;
	return missing;
}
