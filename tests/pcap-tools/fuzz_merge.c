/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted frames for the merge. The input is a byte of options, then records, each after a 16-bit big-endian head. A head below COMMAND
 * is the length of the frame that follows. Other heads are commands: this machine's time passes, the receiver drops frames, or a stream
 * gets an offset or a scale. Emitted frames must be valid, with one TLV unless they are packed or control frames, and the numbers of each
 * stream and of all streams must balance.
 */
#include <stdlib.h>

#include "lent.h"
#include "pcap-tools/merge/merge.h"
#include "wire/decode.h"

#define COMMAND 0xf000
#define STREAM  0x1122334455667788ull /* id of the seeds' first stream; the ids of further streams follow it */

enum { FROM_START = 1, LITTLE_MEMORY = 2, ACROSS = 4, PACKED = 8, TELL_GAPS = 16, LIVE = 32 };

static uint8_t frame[TW_FRAME_MAX + TW_MERGE_SLACK];
static uint8_t options_byte;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_event(const struct tw_merged *out, const struct tw_frame_info *info, const struct tw_tlv_view *tlv)
{
	struct tw_event_view event;

	check(tlv->type == TW_TLV_EVENT && tw_event__parse(tlv, info->base_time, &event));
	check(event.time == out->time && info->base_time == out->time);
	check(info->events == 1 && out->delivered == 1);
}

static int emit(void *ctx, const struct tw_merged *out)
{
	struct tw_frame_info info;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	struct tw_cursor rest;

	(void)ctx;
	check(tw_merged__len(out) <= TW_FRAME_MAX);
	tw_merged__copy(out, frame);
	check(tw_frame__parse(frame, tw_merged__len(out), &info, &rest) == TW_FRAME_OK);
	check(info.length == tw_merged__len(out) && info.stream_id == out->stream_id);
	check(tw_cursor__next_tlv(&rest, &tlv, &status));
	check(out->is_control || out->delivered <= out->events);
	if (out->is_control || (options_byte & PACKED && !out->at_base))
		return 0;
	check(!rest.left && tlv.type != TW_TLV_WATERMARK && tlv.type != TW_TLV_PAD && tlv.type != TW_TLV_FILTERED);
	if (out->is_event)
		check_event(out, &info, &tlv);
	return 0;
}

static void retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *s)
{
	(void)ctx;
	(void)stream_id;
	check(s->events_in == s->events_out + s->filtered + s->duplicates + s->incomplete + s->malformed_events);
	check(s->numbers == s->before + s->received + s->gaps);
	check(s->received == s->events_out + s->filtered + s->incomplete + s->damaged);
	check(s->gaps == s->gaps_wire + s->gaps_receiver + s->gaps_reported);
}

static void command(struct tw_merge *m, unsigned int head, struct tw_cursor *input, struct tw_arrival *arrival)
{
	const uint8_t *number;

	switch (head >> 8 & 3) {
	case 0:
		arrival->now += head & 0xff;
		check(!tw_merge__tick(m, arrival->now));
		break;
	case 1:
		arrival->now += (head & 0xff) << 8;
		break;
	case 2:
		arrival->dropped += head & 0xff;
		break;
	default:
		number = tw_cursor__take(input, sizeof(uint64_t));
		if (number && head & 4)
			check(!tw_merge__set_scale(m, STREAM + (head & 3),
						   &(struct tw_clock_scale){ tw_load_be64(number), head >> 3 & 31 }));
		else if (number)
			check(!tw_merge__set_offset(m, STREAM + (head & 3), (int64_t)tw_load_be64(number)));
	}
}

static void take(void *m, const uint8_t *bytes, size_t len, const struct tw_arrival *arrival)
{
	check(!tw_merge__frame(m, bytes, len, arrival));
}

static void feed(struct tw_merge *m, struct tw_cursor *input)
{
	struct tw_arrival arrival = { .now = 1 };
	const uint8_t *p;

	while ((p = tw_cursor__take(input, sizeof(uint16_t)))) {
		size_t len = tw_load_be16(p);

		if (len >= COMMAND) {
			command(m, (unsigned int)len, input, &arrival);
			continue;
		}
		if (len > input->left)
			len = input->left;
		p = tw_cursor__take(input, len);
		if (options_byte & LIVE)
			lend(take, m, p, len, arrival);
		else
			take(m, p, len, NULL);
	}
}

static void check_books(const struct tw_merge *m)
{
	struct tw_stream_numbers sums = { .frames = 0 };
	struct tw_merge_stats stats;

	tw_merge__stats(m, &stats);
	check(!stats.queued);
#define X(name, what) sums.name = stats.name;
	TW_STREAM_NUMBERS(X)
#undef X
	retired(NULL, 0, &sums);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_cursor input = { .at = data, .left = size };
	const uint8_t *first = tw_cursor__take(&input, 1);
	struct tw_merge_options options = { .wait_ns = 1000, .retire_ns = 20000, .emit = emit, .retired = retired };
	struct tw_merge *m;

	if (!first)
		return 0;
	options_byte = *first;
	options.from_start = *first & FROM_START;
	options.memory = *first & LITTLE_MEMORY ? 4096 : 0;
	options.one_order = *first & ACROSS;
	options.packed = *first & PACKED;
	options.report_gaps = *first & TELL_GAPS;
	if (tw_merge__new(&options, &m, NULL))
		return 0;
	feed(m, &input);
	check(!tw_merge__flush(m));
	check_books(m);
	tw_merge__free(m);
	return 0;
}
