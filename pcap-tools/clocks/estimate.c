/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/clocks/estimate.h"

#include "base/time.h"
#include "pcap-tools/clocks/saturate.h"

#define KEPT_NS (4 * TW_NS_PER_SECOND) /* a CLOCK says each second how well it is kept; some may be lost */

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* A clock of its own rate may have drifted away from the one that is kept. */
static bool kept_at(const struct tw_stream_clock *c, uint64_t ns, struct tw_bounds *ret)
{
	const uint64_t since = apart(ns, c->kept.time);

	if (!c->kept.any || since > KEPT_NS)
		return false;
	*ret = c->disciplined ? c->kept.bounds : tw_bounds__grown(c->kept.bounds, since);
	return true;
}

static uint64_t width(struct tw_bounds bounds)
{
	return (uint64_t)bounds.high - (uint64_t)bounds.low;
}

bool tw_clock_estimate__make(const struct tw_stream_clock *c, uint64_t ns, struct tw_clock_estimate *ret)
{
	const bool exchanged = tw_distance__known(&c->distance);
	struct tw_bounds kept;
	const bool is_kept = kept_at(c, ns, &kept);

	if (!exchanged && !is_kept)
		return false;
	if (exchanged)
		*ret = (struct tw_clock_estimate){ .bounds = tw_distance__at(&c->distance, ns),
						   .drift = tw_distance__drift(&c->distance),
						   .method = TW_OFFSET_BY_TIME_SYNC };
	if (is_kept && exchanged) {
		const struct tw_bounds both = tw_bounds__meet(kept, ret->bounds);

		if (both.low > both.high || width(kept) >= width(ret->bounds))
			return true;
	}
	if (is_kept)
		*ret = (struct tw_clock_estimate){ .bounds = kept, .method = TW_OFFSET_BY_SYNC };
	return true;
}

int64_t tw_clock_estimate__offset(const struct tw_stream_clock *c, uint64_t ns)
{
	const struct tw_clock_line *line = &c->line;
	const double since = (double)(int64_t)(ns - line->from);
	const double turning = since < 0 ? 0 : since < line->turn_ns ? since : line->turn_ns;

	return tw_saturate__plus(line->offset, (int64_t)(since * line->drift + turning * line->turn));
}

uint64_t tw_clock_estimate__error(const struct tw_clock_estimate *estimate, int64_t offset)
{
	const uint64_t low = tw_saturate__size(tw_saturate__plus(offset, estimate->bounds.low));
	const uint64_t high = tw_saturate__size(tw_saturate__plus(offset, estimate->bounds.high));

	return low > high ? low : high;
}

uint64_t tw_clock_estimate__lasts(const struct tw_stream_clock *c, const struct tw_clock_estimate *estimate)
{
	return estimate->method == TW_OFFSET_BY_SYNC ? c->kept.time + KEPT_NS : UINT64_MAX;
}
