/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/thinning.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/sockets/record.h"

#define INTERVAL_MS    500
#define SAY_NS         (10 * TW_NS_PER_SECOND)
#define PERCENT        1000000000ull /* in the unit of the limit */
#define LOW_SHARE      4 /* a cost below 1/LOW_SHARE of the limit is low: it stays below it if the rate is doubled */
#define FACTOR_AT_ONCE 8 /* limit of one step */

uint32_t tw_thinning_rule__sample(const struct tw_thinning_rule *rule)
{
	return rule->base << rule->shift;
}

bool tw_thinning_rule__is_at_end(const struct tw_thinning_rule *rule)
{
	return rule->shift == TW_THINNING_SHIFT_MAX || tw_thinning_rule__sample(rule) > TW_SOCKTS_SAMPLE_MAX / 2;
}

bool tw_thinning_rule__update(struct tw_thinning_rule *rule, uint64_t cost, uint64_t limit)
{
	const uint32_t before = rule->shift;

	if (cost > limit) {
		rule->low_intervals = 0;
		for (uint32_t factor = 1;
		     factor < FACTOR_AT_ONCE && cost / factor > limit && !tw_thinning_rule__is_at_end(rule);
		     factor *= 2)
			rule->shift++;
	} else if (cost >= limit / LOW_SHARE || !rule->shift) {
		rule->low_intervals = 0;
	} else if (++rule->low_intervals >= TW_THINNING_LOW_INTERVALS) {
		rule->low_intervals = 0;
		rule->shift--;
	}
	return rule->shift != before;
}

struct tw_socket_thinning {
	struct tw_socket_thinning_options options;
	struct tw_thinning_rule rule;
	int stats;  /* while it is open, the kernel measures the run time of BPF programs */
	int ending; /* readable when the thread shall end */
	pthread_t thread;
	uint64_t time, run_time; /* at the end of the last interval */
	uint64_t said;           /* when, ns; 0 = not yet */
	uint32_t said_sample;
	bool said_end;
};

/* Once: the rate is the lowest one, and the programs take too much nevertheless. */
static void say_end(struct tw_socket_thinning *t, uint64_t cost)
{
	char sentence[256];

	if (t->said_end)
		return;
	t->said_end = true;
	snprintf(
		sentence, sizeof(sentence),
		"--max-cpu: the BPF programs take %.3g %% of the CPU time also for messages without events; select fewer sockets "
		"or events",
		(double)cost / (double)PERCENT);
	t->options.say(t->options.ctx, sentence);
}

static void say(struct tw_socket_thinning *t, uint64_t now, uint64_t cost)
{
	const uint32_t sample = tw_thinning_rule__sample(&t->rule);
	char sentence[256];

	if (sample == t->said_sample || (t->said && now - t->said < SAY_NS))
		return;
	t->said = now;
	t->said_sample = sample;
	snprintf(
		sentence, sizeof(sentence),
		"--max-cpu: the BPF programs took %.3g %% of the CPU time, so 1 in %u messages of each socket has events "
		"from now on",
		(double)cost / (double)PERCENT, sample);
	t->options.say(t->options.ctx, sentence);
}

/* Measures the interval that ends now. */
static void measure(struct tw_socket_thinning *t)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC), run_time = t->options.run_time(t->options.ctx);
	const double cpu_time = (double)(now - t->time) * (double)sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t cost = run_time > t->run_time && cpu_time > 0
				      ? (uint64_t)((double)(run_time - t->run_time) / cpu_time * 100 * (double)PERCENT)
				      : 0;

	t->time = now;
	t->run_time = run_time;
	if (tw_thinning_rule__update(&t->rule, cost, t->options.limit))
		t->options.set_sample(t->options.ctx, tw_thinning_rule__sample(&t->rule));
	else if (cost > t->options.limit)
		say_end(t, cost);
	say(t, now, cost);
}

static void *run(void *ctx)
{
	struct tw_socket_thinning *t = ctx;
	struct pollfd fd = { .fd = t->ending, .events = POLLIN };

	while (poll(&fd, 1, INTERVAL_MS) <= 0)
		measure(t);
	return NULL;
}

static int start(struct tw_socket_thinning *t)
{
	sigset_t all, before;
	int err;

	t->time = tw_time__now(CLOCK_MONOTONIC);
	t->run_time = t->options.run_time(t->options.ctx);
	sigfillset(&all); /* signals are for the other threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&t->thread, NULL, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void discard(struct tw_socket_thinning *t)
{
	if (t->stats >= 0)
		close(t->stats);
	if (t->ending >= 0)
		close(t->ending);
	free(t);
}

int tw_socket_thinning__new(const struct tw_socket_thinning_options *options, struct tw_socket_thinning **ret,
			    struct tw_error *error)
{
	struct tw_socket_thinning *t = calloc(1, sizeof(*t));
	int err = 0;

	if (!t)
		return tw_error__set(error, -ENOMEM, "no memory for --max-cpu");
	t->options = *options;
	t->rule.base = t->said_sample = options->sample ? options->sample : 1;
	t->ending = eventfd(0, EFD_CLOEXEC);
	t->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (t->stats < 0)
		err = t->stats;
	else if (t->ending < 0)
		err = -errno;
	if (!err)
		err = start(t);
	if (err) {
		discard(t);
		return tw_error__set(error, err, "--max-cpu cannot measure the run time of BPF programs: %s",
				     strerror(-err));
	}
	*ret = t;
	return 0;
}

void tw_socket_thinning__free(struct tw_socket_thinning *t)
{
	if (!t)
		return;
	eventfd_write(t->ending, 1);
	pthread_join(t->thread, NULL);
	discard(t);
}
