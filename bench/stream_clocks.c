/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_clocks SENDERS -- measures the CPU time of a capture host for the clocks of senders nearby. Each sender answers 80 requests a
 * second, in runs of four, and each exchange is followed by a packet, whose time is before that of the latest exchanges, because the merge
 * waits. Prints the CPU time in ns of an exchange, that of a packet, and the share of a CPU that all senders use, in percent.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "clocks/stream_clock.h"

#define START    (1000000 * TW_NS_PER_SECOND)
#define PAUSE_NS (50 * TW_NS_PER_MS)
#define RUN      4
#define APART_NS 200000
#define LAG_NS   (20 * TW_NS_PER_MS) /* of a packet */
#define WARM     200                 /* runs until the rates are learnt: 10 s */
#define RUNS     60                  /* that are measured: 3 s */

/* Delays of a few us, which are mostly short */
static uint64_t delay(void)
{
	const uint64_t random = (uint64_t)rand() % 1000;

	return 8000 + 2000000 / (random + 100);
}

/* The clock of sender @i drifts by up to 50 ppm against that of the capture host. */
static uint64_t stream_time(size_t i, uint64_t now)
{
	const int64_t ppm = (int64_t)(i % 101) - 50;

	return now - START / 2 + (uint64_t)((int64_t)(now - START) * ppm / 1000000);
}

static void exchange_all(struct tw_stream_clock *clocks, size_t n, uint64_t now, struct tw_time_sync_sample *samples)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t there = now + delay(), back = there + 5000;

		samples[i] = (struct tw_time_sync_sample){
			.asked = now,
			.received = stream_time(i, there),
			.answered = stream_time(i, back),
			.arrived = back + delay(),
		};
	}
	for (size_t i = 0; i < n; i++)
		if (!tw_stream_clock__exchange(&clocks[i], &samples[i]))
			exit(1);
}

static void packet_all(struct tw_stream_clock *clocks, size_t n, uint64_t now)
{
	struct tw_offset_view record;

	for (size_t i = 0; i < n; i++) {
		const uint64_t time = stream_time(i, now - LAG_NS);

		while (tw_stream_clock__record(&clocks[i], time, time, &record))
			;
	}
}

/* What was measured, ns of CPU time. */
struct figures {
	uint64_t exchanges, packets, n;
};

static void measure(struct tw_stream_clock *clocks, size_t n, struct tw_time_sync_sample *samples, struct figures *ret)
{
	for (uint64_t i = 0; i < (WARM + RUNS) * RUN; i++) {
		const uint64_t now = START + i / RUN * PAUSE_NS + i % RUN * APART_NS;
		uint64_t begun = tw_time__now(CLOCK_THREAD_CPUTIME_ID), between;

		exchange_all(clocks, n, now, samples);
		between = tw_time__now(CLOCK_THREAD_CPUTIME_ID);
		packet_all(clocks, n, now);
		if (i < WARM * RUN)
			continue;
		ret->exchanges += between - begun;
		ret->packets += tw_time__now(CLOCK_THREAD_CPUTIME_ID) - between;
		ret->n += n;
	}
}

int main(int argc, char **argv)
{
	const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
	struct tw_stream_clock *clocks = calloc(n, sizeof(*clocks));
	struct tw_time_sync_sample *samples = calloc(n, sizeof(*samples));
	const double a_second = (double)(n * RUN) * (double)TW_NS_PER_SECOND / (double)PAUSE_NS;
	struct figures figures = { 0 };
	double exchange, packet;

	if (!n || !clocks || !samples)
		return 1;
	for (size_t i = 0; i < n; i++)
		tw_stream_clock__init(&clocks[i], TW_ALIGN_HOST, false);
	measure(clocks, n, samples, &figures);
	exchange = (double)figures.exchanges / (double)figures.n;
	packet = (double)figures.packets / (double)figures.n;
	printf("%.0f %.0f %.2f\n", exchange, packet, (exchange + packet) * a_second / 1e7);
	free(clocks);
	free(samples);
	return 0;
}
