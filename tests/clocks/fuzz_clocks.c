/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target: clocks of an untrusted stream. The first byte of the input is the mode of packet times. A sequence of operations
 * follows, each a byte with its arguments.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clocks/clock_convert.h"
#include "clocks/clock_poller.h"
#include "clocks/stream_clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	struct tw_stream_clock clock;
	struct tw_streams *streams;
	struct tw_clock_poller *poller;
	uint64_t now; /* the capture host's clock */
	struct tw_clock_view samples[2];
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void take_clock(struct state *s, const uint8_t *value, size_t len)
{
	const struct tw_tlv_view tlv = { .type = TW_TLV_CLOCK, .value = value, .len = len };

	s->samples[0] = s->samples[1];
	if (tw_clock__parse(&tlv, &s->samples[1]))
		tw_stream_clock__sample(&s->clock, &s->samples[1]);
}

static void sample(struct state *s, const uint8_t *value)
{
	take_clock(s, value, 60);
}

/* A CLOCK with up to two readings of PTP hardware clocks. */
static void sample_with_phcs(struct state *s, const uint8_t *value)
{
	take_clock(s, value, 132);
}

/* The capture host's reference */
static void reference(struct state *s, const uint8_t *p)
{
	struct tw_own_clock own = { .sync_ns = p[0] };
	struct tw_reference_state *r = &own.reference;

	r->kind = (enum tw_reference_kind)(p[1] & 3);
	r->time = tw_load_be64(p + 8);
	r->bounds.low = (int64_t)tw_load_be64(p + 16);
	r->bounds.high = tw_saturate__plus(r->bounds.low, p[2]);
	r->rates = (struct tw_bounds){ -p[3] * 1000, p[4] * 1000 };
	r->stepped = (int64_t)tw_load_be64(p + 24);
	r->utc_ns = (int64_t)tw_load_be64(p + 32);
	r->sync_ns = p[5];
	strcpy(r->grandmaster, p[6] & 1 ? "a" : "");
	tw_stream_clock__own(&s->clock, &own);
}

static void exchange(struct state *s, const uint8_t *p)
{
	const struct tw_time_sync_sample sample = { .asked = tw_load_be64(p),
						    .received = tw_load_be64(p + 8),
						    .answered = tw_load_be64(p + 16),
						    .arrived = tw_load_be64(p + 24) };

	tw_stream_clock__exchange(&s->clock, &sample);
}

/* A time of each clock is converted by any two samples. The result has a bound: the sum of both is no larger than the largest time. */
static void convert(const struct state *s, uint64_t time)
{
	const struct tw_clock_samples samples = { &s->samples[0], &s->samples[1], "mono" };
	struct tw_clock_time to;

	for (int clock = TW_CLOCK_TRACE; clock <= TW_CLOCK_RAW; clock++)
		if (tw_clock_samples__convert(&samples, (enum tw_clock)clock, time, &to))
			check(to.ns + to.error_ns >= to.ns);
}

/* Dates a packet: the number of OFFSET records before it is limited, and a second query for the same time returns no record. */
static void packet(struct state *s, const uint8_t *p)
{
	const uint64_t time = tw_load_be64(p), last = time + (time & 0xfffffff);
	struct tw_stream_clock_summary summary;
	struct tw_offset_view record;
	unsigned int n = 0;

	while (tw_stream_clock__record(&s->clock, time, last, &record)) {
		check(++n <= TW_STREAM_CLOCK_RECORDS);
		check(record.kind >= TW_OFFSET_START && record.kind < TW_OFFSET_KINDS && record.time == time);
		check(record.method != TW_OFFSET_BY_NONE || record.error_ns == TW_ERROR_UNKNOWN);
	}
	check(!tw_stream_clock__record(&s->clock, time, last, &record));
	tw_stream_clock__packet_time(&s->clock, time);
	convert(s, time);
	tw_stream_clock__summary(&s->clock, &summary);
}

static void host(struct state *s, const uint8_t *p)
{
	struct tw_identity identity = { .scale.mult = tw_load_be64(p), .scale.shift = p[8] & 63 };
	struct tw_own_clock own = { .sync_ns = p[8], .stepped = (int64_t)tw_load_be64(p) };

	strcpy(identity.clock, p[8] & 64 ? "mono" : "local");
	strcpy(identity.grandmaster, p[8] & 128 ? "a" : "");
	identity.has_sync_utc = p[8] & 16;
	identity.sync_utc = p[7];
	own.root = (struct tw_time_root){ .is_utc = p[8] & 32, .utc_ns = p[6] };
	strcpy(own.root.grandmaster, p[5] & 1 ? "a" : "");
	tw_stream_clock__host(&s->clock, &identity);
	tw_stream_clock__own(&s->clock, &own);
}

static void exchanged(struct state *s, const struct tw_time_sync_sample *sample)
{
	struct tw_time_sync_sample best = *sample;

	if (tw_clock_poller__better(s->poller, &best))
		check(best.by.answered && best.asked <= best.arrived);
	tw_stream_clock__exchange(&s->clock, &best);
}

/* A frame arrives. Then all requests that are due are taken from the poller. */
static void frame(struct state *s, const uint8_t *p)
{
	const struct tw_peer peer = { .len = 1, .bytes = { p[0] & 1 } };
	const struct tw_received_frame frame = { .data = p + 1, .len = TW_TIME_SYNC_BYTES, .from = &peer };
	struct tw_time_sync_sample sample;
	struct tw_time_sync_request question;
	struct tw_stream *live;
	uint64_t stream;

	s->now += (uint64_t)p[0] << 20;
	tw_streams__live(s->streams, tw_load_be64(frame.data + offsetof(struct tw_frame_hdr, stream_id)), s->now,
			 &live);
	if (!tw_clock_poller__is_response(&frame))
		tw_clock_poller__saw(s->poller, &frame, s->now);
	else if (tw_clock_poller__response(s->poller, &frame, (struct tw_stamped_time){ s->now, TW_STAMP_SOFTWARE },
					   &stream, &sample))
		exchanged(s, &sample);
	for (unsigned int n = 0; tw_clock_poller__next(s->poller, s->now, &question); n++) {
		check(question.len >= TW_TIME_SYNC_BYTES && question.len <= TW_TIME_SYNC_ROOM - TW_COPY_STEP);
		check(question.to->len == 1 && n < 8);
		check(tw_clock_poller__asked(s->poller, question.cookie) == s->now);
		tw_clock_poller__sent(s->poller, question.cookie,
				      (struct tw_stamped_time){ s->now + p[0], TW_STAMP_SOFTWARE });
	}
	check(tw_clock_poller__due(s->poller) > s->now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		size_t takes;
		void (*run)(struct state *s, const uint8_t *p);
	} operations[] = {
		{ 60, sample },
		{ 32, exchange },
		{ 8, packet },
		{ 9, host },
		{ 1 + TW_TIME_SYNC_BYTES, frame },
		{ 132, sample_with_phcs },
		{ 40, reference },
	};
	struct state s = { .streams = tw_streams__new(&(struct tw_streams_options){ .silence = 1000000000 }),
			   .now = 1 };

	check(s.streams);
	s.poller = tw_clock_poller__new(s.streams, 1);
	check(s.poller);
	if (!size)
		goto out;
	tw_stream_clock__init(&s.clock, data[0] & 1 ? TW_ALIGN_HOST : TW_ALIGN_NONE, data[0] & 2);
	for (size_t at = 1; at < size;) {
		const size_t which = data[at++] % (sizeof(operations) / sizeof(operations[0]));

		if (operations[which].takes > size - at)
			break;
		operations[which].run(&s, data + at);
		at += operations[which].takes;
	}
out:
	tw_clock_poller__free(s.poller);
	tw_streams__free(s.streams);
	return 0;
}
