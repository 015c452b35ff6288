/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/counters.h"

#include <errno.h>

void tw_stream_counters__fini(struct tw_stream_counters *counters)
{
	tw_alloc__free(counters->alloc, counters->rows, counters->n_rows * sizeof(*counters->rows));
}

static enum tw_stream_counter counter_of_place(unsigned int where)
{
	switch (where) {
	case TW_LOST_RING:
		return TW_STREAM_RING;
	case TW_LOST_SHED:
		return TW_STREAM_SHED;
	case TW_LOST_TX:
		return TW_STREAM_TX;
	default:
		return TW_STREAM_COUNT;
	}
}

static enum tw_stream_counter counter_of_stat(unsigned int stat)
{
	switch (stat) {
	case TW_STAT_RECORDED:
		return TW_STREAM_RECORDED;
	case TW_STAT_READ:
		return TW_STREAM_READ;
	case TW_STAT_FILTERED:
		return TW_STREAM_FILTERED;
	case TW_STAT_OVERRUN:
		return TW_STREAM_RING;
	case TW_STAT_SHED:
		return TW_STREAM_SHED;
	case TW_STAT_TX_DROP_EVENTS:
		return TW_STREAM_TX;
	case TW_STAT_TX_DROPS_UNSEEN:
		return TW_STREAM_TX_FRAMES;
	case TW_STAT_UNSURE_RINGS:
		return TW_STREAM_UNSURE_RINGS;
	default:
		return TW_STREAM_COUNT;
	}
}

void tw_stream_counters__lost(struct tw_stream_counters *counters, const struct tw_tlv_view *tlv)
{
	enum tw_stream_counter counter;
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, 0, &lost))
		return;
	counters->unknown += lost.unknown;
	counter = counter_of_place(lost.where);
	if (counter != TW_STREAM_COUNT)
		counters->lost[counter] = tw_count__plus(counters->lost[counter], lost.count);
}

/* Find the row of @channel, or add it. Return: 0, with *ret NULL if there are too many channels; -ENOMEM */
static int counters__row(struct tw_stream_counters *counters, uint16_t channel, struct tw_stream_counter_row **ret)
{
	struct tw_stream_counter_row *rows;

	*ret = NULL;
	for (size_t i = 0; i < counters->n_rows; i++) {
		if (counters->rows[i].channel == channel) {
			*ret = &counters->rows[i];
			return 0;
		}
	}
	if (counters->n_rows == TW_STREAM_CHANNELS_MAX)
		return 0;
	rows = tw_alloc__resize(counters->alloc, counters->rows, counters->n_rows * sizeof(*rows),
				(counters->n_rows + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	counters->rows = rows;
	rows[counters->n_rows] = (struct tw_stream_counter_row){ .channel = channel };
	*ret = &rows[counters->n_rows++];
	return 0;
}

static void row__take(struct tw_stream_counter_row *row, enum tw_stream_counter counter, uint64_t value)
{
	if (!row->reported[counter])
		row->first[counter] = value;
	row->reported[counter] = true;
	if (value > row->value[counter])
		row->value[counter] = value;
}

int tw_stream_counters__stats(struct tw_stream_counters *counters, const struct tw_tlv_view *tlv)
{
	struct tw_cursor list = { .at = tlv->value, .left = tlv->len };
	struct tw_stat_view stat;

	while (tw_stats__next(&list, &stat)) {
		const enum tw_stream_counter counter = counter_of_stat(stat.stat);
		struct tw_stream_counter_row *row;

		if (counter == TW_STREAM_COUNT)
			continue;
		if (counters__row(counters, stat.channel, &row))
			return -ENOMEM;
		if (row)
			row__take(row, counter, stat.value);
	}
	return 0;
}

bool tw_stream_counters__reported(const struct tw_stream_counters *counters, enum tw_stream_counter counter)
{
	for (size_t i = 0; i < counters->n_rows; i++) {
		if (counters->rows[i].reported[counter])
			return true;
	}
	return false;
}

/*
 * Return: a counter as reported by STATS: the value of the whole stream or the sum of its channels, whichever is larger.
 * @since_first: subtract the values of the first STATS
 */
static uint64_t by_stats(const struct tw_stream_counters *counters, enum tw_stream_counter counter, bool since_first)
{
	uint64_t stream = 0, channels = 0;

	for (size_t i = 0; i < counters->n_rows; i++) {
		const struct tw_stream_counter_row *row = &counters->rows[i];
		const uint64_t value = row->value[counter] - (since_first ? row->first[counter] : 0);

		if (row->channel == TW_CHANNEL_CONTROL)
			stream = tw_count__plus(stream, value);
		else
			channels = tw_count__plus(channels, value);
	}
	return tw_count__larger(stream, channels);
}

static bool is_final(const struct tw_stream_counters *counters, enum tw_stream_counter counter)
{
	return counters->ended && tw_stream_counters__reported(counters, counter);
}

uint64_t tw_stream_counters__total(const struct tw_stream_counters *counters, enum tw_stream_counter counter)
{
	const uint64_t reported = by_stats(counters, counter, false);

	return is_final(counters, counter) ? reported : tw_count__larger(reported, counters->lost[counter]);
}

uint64_t tw_stream_counters__since(const struct tw_stream_counters *counters, enum tw_stream_counter counter)
{
	const uint64_t total = tw_stream_counters__total(counters, counter),
		       since = tw_count__larger(by_stats(counters, counter, true), counters->lost[counter]);

	return counters->from_start || since > total ? total : since;
}
