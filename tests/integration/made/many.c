/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many simultaneous streams, for many.sh: `remote_many PORT STREAMS EVENTS [at-once]`. EVENTS is the number of events of each stream. With
 * at-once, the program does not wait for the capture host. All streams have the same clock, and their events alternate: event n of stream i
 * has the pid n * STREAMS + i, which is its position among all events.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/made/made.h"

#define CHANNELS 3
#define IN_FRAME 24
#define STEP     TW_NS_PER_MS /* time between two events of a stream, ns */

static struct made_wire wire;
static struct made_stream streams[MADE_STREAMS];
static uint64_t n_streams, n_events;
static bool at_once;

static void let_catch_up(void)
{
	if (!at_once)
		made_wire__let_catch_up(&wire);
}

static void begin(uint64_t i)
{
	static char names[MADE_STREAMS][16];
	struct made_stream *s = &streams[i];

	snprintf(names[i], sizeof(names[i]), "host%03u", (unsigned int)i);
	s->id = 0x9000000000000000 + i * 0x10001;
	s->name = names[i];
	s->n_channels = CHANNELS;
	s->ahead = -(int64_t)(n_events * STEP); /* so that the wall clock times of all events are in the past */
	made_stream__join(s, &wire);
	made_stream__host(s, MADE_EPOCH);
	made_stream__clock_now(s, 0);
	made_stream__watermark(s, MADE_EPOCH); /* lists the channels of the stream */
}

/* Send events @from to @to - 1 of stream @i, in one frame for each channel. Return: time of the newest event */
static uint64_t send_some(uint64_t i, uint64_t from, uint64_t to)
{
	struct made_stream *s = &streams[i];

	for (uint16_t channel = 0; channel < CHANNELS; channel++) {
		made_stream__begin(s, (uint16_t)(channel + 1), MADE_EPOCH + from * STEP);
		for (uint64_t n = from + channel; n < to; n += CHANNELS)
			made_stream__event(s, MADE_EPOCH + n * STEP + i * 1000, (uint32_t)(n * n_streams + i));
		made_stream__end(s);
	}
	return MADE_EPOCH + (to - 1) * STEP + i * 1000;
}

int main(int argc, char **argv)
{
	const uint64_t events = argc >= 4 ? strtoull(argv[3], NULL, 10) : 0;

	n_events = events;
	n_streams = argc >= 4 ? strtoull(argv[2], NULL, 10) : 0;
	if (!n_streams || n_streams > MADE_STREAMS || !events) {
		fprintf(stderr, "usage: %s PORT STREAMS EVENTS [at-once]\n", argv[0]);
		return 2;
	}
	at_once = argc > 4;
	made_wire__udp(&wire, (uint16_t)atoi(argv[1]));
	for (uint64_t i = 0; i < n_streams; i++)
		begin(i);
	for (uint64_t from = 0; from < events; from += CHANNELS * IN_FRAME) {
		const uint64_t to = from + CHANNELS * IN_FRAME < events ? from + CHANNELS * IN_FRAME : events;

		for (uint64_t i = 0; i < n_streams; i++) {
			made_stream__watermark(&streams[i], send_some(i, from, to));
			if (i % 8 == 7 || i + 1 == n_streams)
				let_catch_up();
		}
	}
	for (uint64_t i = 0; i < n_streams; i++) {
		made_stream__stop(&streams[i], MADE_EPOCH + events * STEP);
		let_catch_up();
	}
	made_wire__arrive();
	return 0;
}
