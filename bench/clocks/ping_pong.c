/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/clocks/ping_pong.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/time.h"

#define SPINS   10000 /* between two readings of the clock */
#define LIMIT_S 5     /* if a CPU is switched off, both threads run on the other one, and a turn takes milliseconds */

struct game {
	_Atomic unsigned int turn; /* even: the first CPU's; odd: the last CPU's */
	unsigned int rounds;
	uint64_t limit; /* CLOCK_MONOTONIC, ns */
	int last;
	void (*act)(void *ctx, bool on_last, unsigned int round);
	void *ctx;
};

struct cpu_pair cpu_pair__find(void)
{
	struct cpu_pair ret = { -1, -1 };
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &cpus))
			continue;
		ret.first = ret.first < 0 ? cpu : ret.first;
		ret.last = cpu;
	}
	return ret;
}

void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* Return: false at the end of the time limit */
static bool wait_for(const struct game *game, unsigned int turn)
{
	unsigned int spins = 0;

	while (atomic_load_explicit(&game->turn, memory_order_acquire) != turn)
		if (!(++spins % SPINS) && tw_time__now(CLOCK_MONOTONIC) > game->limit)
			return false;
	return true;
}

static void pass_on(struct game *game, unsigned int turn)
{
	atomic_store_explicit(&game->turn, turn, memory_order_release);
}

static void *play_last(void *arg)
{
	struct game *game = arg;

	run_on(game->last);
	for (unsigned int i = 0; i < game->rounds && wait_for(game, 2 * i + 1); i++) {
		game->act(game->ctx, true, i);
		pass_on(game, 2 * i + 2);
	}
	return NULL;
}

/* Return: number of complete rounds */
static unsigned int play_first(struct game *game)
{
	for (unsigned int i = 0; i < game->rounds; i++) {
		game->act(game->ctx, false, i);
		pass_on(game, 2 * i + 1);
		if (!wait_for(game, 2 * i + 2))
			return i;
	}
	game->act(game->ctx, false, game->rounds);
	return game->rounds;
}

unsigned int ping_pong(struct cpu_pair cpus, unsigned int rounds,
		       void (*act)(void *ctx, bool on_last, unsigned int round), void *ctx)
{
	struct game game = { .rounds = rounds, .last = cpus.last, .act = act, .ctx = ctx };
	unsigned int complete;
	pthread_t thread;

	game.limit = tw_time__now(CLOCK_MONOTONIC) + LIMIT_S * TW_NS_PER_SECOND;
	run_on(cpus.first);
	if (pthread_create(&thread, NULL, play_last, &game))
		return 0;
	complete = play_first(&game);
	pthread_join(thread, NULL);
	return complete;
}

static int64_t least(int64_t least_ns, uint64_t from, uint64_t to, double unit_ns)
{
	const int64_t ns = (int64_t)((double)(int64_t)(to - from) * unit_ns);

	return ns < least_ns ? ns : least_ns;
}

void skew__narrow(struct skew *skew, const uint64_t (*first)[2], const uint64_t (*last)[2], unsigned int rounds,
		  double unit_ns)
{
	for (unsigned int i = 0; i < rounds; i++) {
		skew->there = least(skew->there, first[i][1], last[i][0], unit_ns);
		skew->back = least(skew->back, last[i][1], first[i + 1][0], unit_ns);
	}
}
