/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the metadata of untrusted frames. The input is a byte for the memory limit, a byte for the size of replayed frames, then frames,
 * each after a 16-bit big-endian length. Replayed frames must be valid. They must be no news to the object that replayed them, and another
 * object that takes them must replay as many bytes.
 */
#include "replayed.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int ignore(void *ctx, const void *frame, size_t len)
{
	(void)ctx;
	(void)frame;
	check(len <= TW_FRAME_MAX);
	return 0;
}

static void take_frame(struct tw_metadata *m, const uint8_t *data, size_t len)
{
	struct tw_metadata_frames frames = { .max = TW_FRAME_MAX, .emit = ignore };
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	status = tw_frame__parse(data, len, &info, &tlvs);
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tw_metadata__take(m, &info, &tlv) == TW_METADATA_WHOLE)
			check(!tw_metadata__emit_whole(m, &frames));
	}
}

static struct replayed replay(struct tw_metadata *m, size_t max)
{
	struct replayed r = { 0 };
	struct tw_metadata_frames frames = replayed__frames(&r, 0, max);

	check(!tw_metadata__replay(m, &frames));
	check(!r.unreadable && r.largest <= max);
	return r;
}

/*
 * Pass replayed records to @to. If @to @knows them, only clocks, counters and pieces may be news. Return: length of all records, bytes
 */
static size_t tell(const struct replayed *r, struct tw_metadata *to, bool knows)
{
	struct tw_frame_info info = { 0 };
	struct tw_cursor tlvs = { 0 };
	struct tw_tlv_view tlv;
	size_t at = 0, bytes = 0;

	while (replayed__next(r, &at, &info, &tlvs, &tlv)) {
		const bool may_be = tlv.type == TW_TLV_CLOCK || tlv.type == TW_TLV_STATS || tlv.type == TW_TLV_PART;
		const enum tw_metadata_verdict verdict = tw_metadata__take(to, &info, &tlv);

		check(!knows || may_be || verdict == TW_METADATA_SKIP);
		bytes += tlv.len;
	}
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_cursor input = { .at = data, .left = size };
	const uint8_t *p = tw_cursor__take(&input, 2);
	const size_t memory = p ? 2048 + 64 * (size_t)p[0] : 0, max = p ? TW_METADATA_FRAME_MIN + 16 * (size_t)p[1] : 0;
	struct tw_metadata *m, *other;
	struct tw_metadata_stats stats;
	struct replayed pieces, whole, again;

	if (!p)
		return 0;
	m = tw_metadata__new(memory, NULL);
	other = tw_metadata__new(0, NULL);
	check(m && other);
	while ((p = tw_cursor__take(&input, sizeof(uint16_t)))) {
		size_t len = tw_load_be16(p);

		len = len < input.left ? len : input.left;
		take_frame(m, tw_cursor__take(&input, len), len);
	}
	tw_metadata__stats(m, &stats);
	check(stats.memory <= memory);
	pieces = replay(m, max);
	whole = replay(m, TW_FRAME_MAX);
	tell(&pieces, other, false);
	tell(&pieces, m, true);
	again = replay(other, TW_FRAME_MAX);
	check(tell(&whole, m, true) == tell(&again, other, true));
	tw_metadata__free(m);
	tw_metadata__free(other);
	free(pieces.bytes);
	free(whole.bytes);
	free(again.bytes);
	return 0;
}
