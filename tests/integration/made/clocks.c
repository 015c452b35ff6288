/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends streams with invented clocks, for clocks.sh: `remote_clocks steps|set|apart PORT|INTERFACE`. With apart it prints the true values,
 * one line for each event and each stream:
 *
 *	event NAME PID TIME        time of the event on this host's wall clock, ns
 *	clock NAME AHEAD DRIFT     lead of the stream's wall clock over this host's at its newest CLOCK, ns; drift of its clock, ns/s
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/made/made.h"

#define HOUR (3600 * TW_NS_PER_SECOND)

static struct made_wire wire;

/*
 * Send one minute of a stream with a CLOCK each second. Its wall clock is set forward by an hour after 20 s and back by an hour after 40 s.
 * After 50 s, unless @awake, its machine is suspended for 20 minutes, in which the stream's clock stops.
 */
static void send_steps(bool awake)
{
	static struct made_stream s = { .id = 0x5151, .name = "stepping", .n_channels = 2 };

	made_stream__join(&s, &wire);
	made_stream__host(&s, MADE_EPOCH);
	for (uint64_t second = 0; second < 60; second++) {
		const uint64_t time = MADE_EPOCH + second * TW_NS_PER_SECOND;
		const uint64_t asleep = second >= 50 && !awake ? HOUR / 3 : 0;
		const uint64_t real = made_stream__real(&s, second * TW_NS_PER_SECOND) + asleep;
		const struct tw_clock_view clock = {
			.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL,
			.reading = { [TW_CLOCK_TRACE] = time,
				     [TW_CLOCK_MONO] = time,
				     [TW_CLOCK_BOOT] = time + asleep,
				     [TW_CLOCK_REAL] = real + (second >= 20 && second < 40 ? HOUR : 0) },
		};

		made_stream__clock(&s, &clock);
		for (uint64_t i = 0; i < 10; i++)
			made_stream__one_event(&s, (uint16_t)(1 + i % 2), time + i * 100 * MS,
					       (uint32_t)(1 + 10 * second + i));
		made_stream__watermark(&s, time + 900 * MS);
		made_wire__let_catch_up(&wire);
	}
	made_stream__stop(&s, MADE_EPOCH + 60 * TW_NS_PER_SECOND);
}

/*
 * alpha's wall clock is far behind and gains time; requests to alpha are delayed. beta's is far ahead and loses time; beta's responses are
 * delayed. deaf never answers.
 */
static struct made_stream apart[] = {
	{ .id = 0xa1fa,
	  .name = "alpha",
	  .n_channels = 1,
	  .ahead = -5 * (int64_t)TW_NS_PER_SECOND,
	  .drift = 300e-6,
	  .answers = true,
	  .there = MS / 2 },
	{ .id = 0xbe7a,
	  .name = "beta",
	  .n_channels = 1,
	  .ahead = 7 * (int64_t)TW_NS_PER_SECOND,
	  .drift = -400e-6,
	  .answers = true,
	  .back = MS / 2 },
	{ .id = 0xdeaf, .name = "deaf", .n_channels = 1, .ahead = 1000000 },
};
#define N_APART (sizeof(apart) / sizeof(apart[0]))

static void send_event(struct made_stream *s, uint64_t at, uint32_t pid)
{
	made_stream__one_event(s, 1, made_stream__time(s, at), pid);
	printf("event %s %" PRIu32 " %" PRIu64 "\n", s->name, pid, made_real(at));
}

static void send_clocks(uint64_t now)
{
	for (size_t i = 0; i < N_APART; i++)
		made_stream__clock_now(&apart[i], now);
}

/* Every 50 ms, all streams send an event with the same true time. 25 ms later, one of the streams sends another event, each in turn. */
static void send_apart(uint64_t rounds)
{
	uint64_t at = 0;

	for (size_t i = 0; i < N_APART; i++) {
		made_stream__join(&apart[i], &wire);
		made_stream__host(&apart[i], MADE_EPOCH);
	}
	for (uint64_t round = 0; round < rounds; round++) {
		at = round * 50 * MS + 200 * MS;
		if (round % 10 == 0)
			send_clocks(made_now());
		made_wire__run(&wire, at);
		for (size_t i = 0; i < N_APART; i++)
			send_event(&apart[i], at, (uint32_t)(2 * round + 2));
		made_wire__run(&wire, at + 25 * MS);
		send_event(&apart[round % N_APART], at + 25 * MS, (uint32_t)(2 * round + 3));
		for (size_t i = 0; i < N_APART; i++)
			made_stream__watermark(&apart[i], made_stream__time(&apart[i], at + 25 * MS));
	}
	at = made_now();
	send_clocks(at);
	for (size_t i = 0; i < N_APART; i++) {
		made_stream__stop(&apart[i], made_stream__time(&apart[i], at));
		printf("clock %s %" PRId64 " %.0f\n", apart[i].name,
		       (int64_t)(made_stream__real(&apart[i], at) - made_real(at)), apart[i].drift * 1e9);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s steps|set|apart PORT|INTERFACE\n", argv[0]);
		return 2;
	}
	if (atoi(argv[2]))
		made_wire__udp(&wire, (uint16_t)atoi(argv[2]));
	else
		made_wire__link(&wire, argv[2]);
	if (!strcmp(argv[1], "apart"))
		send_apart(160);
	else
		send_steps(!strcmp(argv[1], "set"));
	made_wire__arrive();
	return 0;
}
