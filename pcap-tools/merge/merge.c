/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/merge/merge_impl.h"

#define MEMORY_DEFAULT (64u << 20)
#define WAIT_DEFAULT   1000000000ull
#define RETIRE_DEFAULT 300000000000ull
#define PARTS_BYTES    (4u << 20) /* of events in pieces, all streams together */
#define PARTS_COUNT    256

int tw_merge__new(const struct tw_merge_options *options, struct tw_merge **ret, struct tw_error *err)
{
	const struct tw_parts_limits limits = { .bytes = PARTS_BYTES, .count = PARTS_COUNT };
	struct tw_merge *m = calloc(1, sizeof(*m));

	if (!m)
		goto no_memory;
	m->options = *options;
	if (!m->options.memory)
		m->options.memory = MEMORY_DEFAULT;
	if (!m->options.wait_ns)
		m->options.wait_ns = WAIT_DEFAULT;
	if (!m->options.retire_ns)
		m->options.retire_ns = RETIRE_DEFAULT;
	m->parts = tw_parts__new(&limits);
	if (!m->parts || !tw_heap__grow(&m->order, TW_STREAMS_LIVE_MAX) || tw_merge_streams__init(m))
		goto no_memory;
	*ret = m;
	return 0;

no_memory:
	tw_merge__free(m);
	return tw_error__set(err, -ENOMEM, "merging events: no memory");
}

void tw_merge__free(struct tw_merge *m)
{
	if (!m)
		return;
	tw_merge_streams__fini(m);
	tw_heap__fini(&m->order);
	tw_frame_pool__fini(&m->pool);
	tw_parts__free(m->parts);
	free(m);
}

void tw_merge__stats(const struct tw_merge *m, struct tw_merge_stats *ret)
{
	struct tw_merge_stats stats = m->stats;

	stats.held = m->pool.held_bytes;
	stats.streams = tw_merge__n(m);
	stats.malformed += stats.unreadable;
	for (size_t i = 0; i < tw_merge__n(m); i++) {
		const struct tw_merge_stream_stats of = tw_merge_streams__stats(tw_merge__at(m, i));

#define X(name, what) stats.name += of.name;
		TW_MERGE_COUNTERS(X)
#undef X
	}
	*ret = stats;
}

void tw_merge__stream_stats(const struct tw_merge *m, uint64_t stream_id, struct tw_merge_stream_stats *ret)
{
	const struct tw_merge_stream *s = tw_merge_streams__find(m, stream_id);

	*ret = s ? tw_merge_streams__stats(s) : (struct tw_merge_stream_stats){ .frames = 0 };
}
