/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/integration/made/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t started, started_real;

/* Read both clocks many times, and keep the readings that took the shortest time. All true times are computed from these readings. */
__attribute__((constructor)) static void begin(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		const uint64_t before = tw_time__now(CLOCK_MONOTONIC), real = tw_time__now(CLOCK_REALTIME);
		const uint64_t passed = tw_time__now(CLOCK_MONOTONIC) - before;

		if (passed >= least)
			continue;
		least = passed;
		started = before + passed / 2;
		started_real = real;
	}
}

uint64_t made_now(void)
{
	return tw_time__now(CLOCK_MONOTONIC) - started;
}

uint64_t made_real(uint64_t now)
{
	return started_real + now;
}

void made_stream__join(struct made_stream *s, struct made_wire *w)
{
	if (w->n_streams == MADE_STREAMS || s->n_channels > MADE_CHANNELS) {
		fprintf(stderr, "made: more streams or channels than there is room for\n");
		exit(1);
	}
	s->wire = w;
	w->streams[w->n_streams++] = s;
}

uint64_t made_stream__time(const struct made_stream *s, uint64_t now)
{
	return MADE_EPOCH + now + (uint64_t)(int64_t)((double)now * s->drift);
}

uint64_t made_stream__real(const struct made_stream *s, uint64_t now)
{
	return made_stream__time(s, now) - MADE_EPOCH + started_real + (uint64_t)s->ahead;
}

void made_stream__begin(struct made_stream *s, uint16_t channel, uint64_t time)
{
	const struct tw_frame_info info = {
		.stream_id = s->id,
		.channel = channel,
		.cpu = channel ? (uint16_t)(channel - 1) : TW_CPU_NONE,
		.source = channel ? TW_SOURCE_FTRACE : TW_SOURCE_CONTROL,
		.seq = s->seqs[channel],
		.base_time = time,
	};

	tw_frame__begin(&s->frame, s->buf, 1400, &info);
	s->frame.info.events = !channel;
}

bool made_stream__event(struct made_stream *s, uint64_t time, uint32_t pid)
{
	uint8_t record[32 + TW_COPY_STEP] = { 1 };

	memcpy(record + 4, &pid, sizeof(pid));
	if (!tw_frame__add_event(&s->frame, record, 32, time))
		return false;
	s->recorded++;
	return true;
}

void made_stream__end(struct made_stream *s)
{
	const size_t len = tw_frame__end(&s->frame);

	s->seqs[s->frame.info.channel] += s->frame.info.events;
	made_wire__send(s->wire, s->buf, len);
}

void made_stream__host(struct made_stream *s, uint64_t time)
{
	const struct tw_attr_view attrs[] = {
		{ .attr = TW_HOST_NAME, .value = (const uint8_t *)s->name, .len = strlen(s->name) },
		{ .attr = TW_HOST_INSTANCE, .value = (const uint8_t *)"made", .len = 4 },
		{ .attr = TW_HOST_CLOCK, .value = (const uint8_t *)"mono", .len = 4 },
	};

	made_stream__begin(s, TW_CHANNEL_CONTROL, time);
	tw_host__emit(&s->frame, attrs, sizeof(attrs) / sizeof(attrs[0]));
	made_stream__end(s);
}

void made_stream__clock(struct made_stream *s, const struct tw_clock_view *clock)
{
	made_stream__begin(s, TW_CHANNEL_CONTROL, clock->reading[TW_CLOCK_TRACE]);
	tw_clock__emit(&s->frame, clock);
	made_stream__end(s);
}

void made_stream__clock_now(struct made_stream *s, uint64_t now)
{
	const uint64_t time = made_stream__time(s, now);
	const struct tw_clock_view clock = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL,
		.error_ns = 50,
		.reading = { [TW_CLOCK_TRACE] = time,
			     [TW_CLOCK_MONO] = time,
			     [TW_CLOCK_BOOT] = time,
			     [TW_CLOCK_REAL] = made_stream__real(s, now) },
	};

	made_stream__clock(s, &clock);
}

void made_stream__one_event(struct made_stream *s, uint16_t channel, uint64_t time, uint32_t pid)
{
	made_stream__begin(s, channel, time);
	made_stream__event(s, time, pid);
	made_stream__end(s);
}

/* Add a WATERMARK for all channels, including the control channel. */
static void add_watermark(struct made_stream *s, uint64_t time)
{
	uint16_t channels[MADE_CHANNELS + 1];
	uint64_t next[MADE_CHANNELS + 1];

	for (uint16_t i = 0; i <= s->n_channels; i++) {
		channels[i] = i;
		next[i] = s->seqs[i] + !i;
	}
	tw_watermark__emit(&s->frame, time, channels, next, s->n_channels + 1u);
}

void made_stream__watermark(struct made_stream *s, uint64_t time)
{
	made_stream__begin(s, TW_CHANNEL_CONTROL, time);
	add_watermark(s, time);
	made_stream__end(s);
}

void made_stream__stop(struct made_stream *s, uint64_t time)
{
	const struct tw_stat_view stats[] = { { TW_STAT_RECORDED, 0, s->recorded },
					      { TW_STAT_READ, 0, s->recorded },
					      { TW_STAT_SENT_EVENTS, 0, s->recorded } };

	for (int i = 0; i < 5; i++) {
		made_stream__begin(s, TW_CHANNEL_CONTROL, time);
		tw_stats__emit(&s->frame, stats, sizeof(stats) / sizeof(stats[0]));
		add_watermark(s, time);
		tw_end__emit(&s->frame);
		made_stream__end(s);
	}
}
