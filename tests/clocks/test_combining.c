/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several exchanges are combined. In thousands of simulated worlds with different paths and clocks, the distance is always within the
 * bounds. Tables compare the bounds and the estimate with those that follow only from the limit of the drift (`plain`).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/distance.h"
#include "simulated_clocks.h"

#define MS          TW_NS_PER_MS
#define SECOND      TW_NS_PER_SECOND
#define START       (1000000 * SECOND)
#define STEP_NS     (10 * MS)
#define RUN_NS      (20 * SECOND)
#define STEPS       (RUN_NS / STEP_NS)
#define WORLDS      2000
#define WORLDS_EACH 6 /* of each row of the tables */

/* Reads of the stream's clock whose distance is computed later. */
struct past {
	int64_t truth;
	uint64_t time;
};

struct sizes {
	double of[WORLDS_EACH * STEPS];
	size_t n;
};

/* Errors of the estimate and sizes of the bounds, ns. */
struct figures {
	struct sizes plain_error, error, plain_bound, bound;
};

static void add(struct sizes *sizes, double size)
{
	sizes->of[sizes->n++] = fabs(size);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(struct sizes *sizes, unsigned int percent)
{
	qsort(sizes->of, sizes->n, sizeof(sizes->of[0]), compare);
	return sizes->of[(sizes->n - 1) * percent / 100];
}

/* Checks one time. Without @figures, only the bounds are checked. */
static void look(const struct tw_distance *d, const struct past *past, uint64_t seed, struct figures *figures)
{
	const struct tw_bounds plain = tw_distance__safe_at(d, past->time), said = tw_distance__at(d, past->time);

	if (past->truth < said.low || past->truth > said.high)
		fail_msg("world %llu: the distance is %lld, and said to be from %lld to %lld", (unsigned long long)seed,
			 (long long)past->truth, (long long)said.low, (long long)said.high);
	assert_true(said.low >= plain.low && said.high <= plain.high);
	if (!figures)
		return;
	add(&figures->plain_bound, (double)(plain.high - plain.low) / 2);
	add(&figures->bound, (double)(said.high - said.low) / 2);
	add(&figures->plain_error, (double)(tw_bounds__middle(plain) - past->truth));
	add(&figures->error, (double)(tw_distance__line(d, past->time, said).distance - past->truth));
}

/*
 * A producer that sends transmit stamps. The better sample of an exchange arrives with the next response, and is used instead of the sample
 * of this response, as in clocks/clock_poller.h.
 */
struct stamped {
	bool any; /* the last request was answered: @better is its better sample */
	struct tw_time_sync_sample better;
	unsigned int n; /* exchanges of the current run */
};

/* Makes the exchanges of a run that begin before @end, each as soon as the previous one has ended. Return: when the next one begins */
static uint64_t take_run(struct world *w, struct tw_distance *d, struct stamped *stamped, uint64_t at, uint64_t end)
{
	const uint64_t host_ns = 10 * (w->there_ns + w->back_ns);

	while (at < end && stamped->n < TW_EXCHANGES_OF_RUN) {
		const bool has_better = stamped->any;
		struct tw_time_sync_sample read, better;

		stamped->any = world__stamped_exchange(w, at, host_ns, &read, &better);
		stamped->n++;
		at = better.arrived;
		if (!stamped->any)
			continue;
		assert_true(tw_distance__take(d, has_better ? &stamped->better : &read));
		stamped->better = better;
		stamped->better.again = !has_better;
	}
	return at;
}

/*
 * Runs a world, with an exchange every @pause ns; with @runs, a run of exchanges with stamps. The distances are computed @lag ns later.
 * Return: steps of the rate that were seen
 */
static uint64_t run(struct world *w, uint64_t pause, bool runs, uint64_t lag, uint64_t seed, struct figures *figures)
{
	struct tw_distance d = { .n_marks = 0 };
	struct stamped stamped = { .any = false };
	struct tw_time_sync_sample sample;
	struct past past[STEPS + 1];
	uint64_t next_ask = START, next_run = START;
	size_t n = 0, looked = 0;

	w->since = START - 10 * SECOND;
	for (uint64_t now = START; now < START + RUN_NS; now += STEP_NS) {
		world__advance(w, now);
		if (now >= next_run && runs) {
			stamped.n = 0;
			next_run = now + pause;
		}
		if (runs) {
			next_ask = take_run(w, &d, &stamped, tw_time__later(now, next_ask), now + STEP_NS);
		} else if (now >= next_ask) {
			if (world__exchange(w, now, &sample))
				assert_true(tw_distance__take(&d, &sample));
			next_ask = now + pause;
		}
		past[n].time = world__stream(w, now);
		past[n].truth = (int64_t)(past[n].time - now);
		n++;
		for (; looked + lag / STEP_NS < n; looked++)
			if (tw_distance__known(&d))
				look(&d, &past[looked], seed, figures);
	}
	assert_int_equal(d.restarts + d.refused, 0);
	return d.rate_steps;
}

/* Return: a random number from @low to @high; all orders of magnitude have the same probability. */
static double any_size(struct world *w, double low, double high)
{
	return low * pow(high / low, world__chance(w));
}

/* Chooses a path and the changes of the drift at random. Return: pause between exchanges, as the clock poller chooses it, ns */
static uint64_t choose_world(struct world *w, uint64_t seed)
{
	double pause;

	world__init(w, seed);
	w->there_ns = (uint64_t)any_size(w, 200, 2e6);
	w->back_ns = (uint64_t)((double)w->there_ns * any_size(w, 0.2, 5));
	w->jitter_ns = (uint64_t)any_size(w, 50, 2 * (double)w->there_ns);
	w->loss = seed % 3 ? 0 : 0.2;
	w->queue_max = seed % 4 ? 0 : any_size(w, 1e4, 3e6);
	w->ppm = (world__chance(w) - 0.5) * 100;
	w->wander = seed % 5 ? 0 : world__chance(w);
	if (seed % 7 < 4) {
		w->step = any_size(w, 1, 400);
		w->step_every = seed % 7 < 2 ? 4 : 8;
		w->slews = seed % 7 == 3;
	} else if (seed % 7 == 4) {
		w->step = 0.05;
		w->step_every = 0.125;
	}
	pause = 1000 * (double)(w->there_ns + w->back_ns);
	return (uint64_t)fmin(fmax(pause, 50 * MS), SECOND);
}

static void test_bounds_hold(void **state)
{
	static const uint64_t lags[] = { 0, 50 * MS, 300 * MS, 1000 * MS, 3000 * MS };

	(void)state;
	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		struct world w;
		const uint64_t pause = choose_world(&w, seed);

		run(&w, pause, false, lags[seed % 5], seed, NULL);
		choose_world(&w, seed);
		run(&w, pause, true, lags[seed % 5], seed, NULL);
	}
}

static const struct row {
	const char *name;
	uint64_t there, back, jitter, pause;
	double wander, step, step_every, queue_max;
	bool slews;
	bool runs;  /* of exchanges with stamps */
	bool tight; /* with a lag of a second, the median bound becomes at most half as wide */
} rows[] = {
	{ "stamped by the NIC", 500, 500, 100, 50 * MS, .tight = true },
	{ "quiet", 10000, 10000, 2000, 50 * MS, .wander = 0 },
	{ "quiet, runs", 10000, 10000, 2000, 50 * MS, .runs = true },
	{ "stamped, runs", 500, 500, 100, 50 * MS, .runs = true, .tight = true },
	{ "jitter 20 us", 30000, 30000, 20000, 60 * MS, .wander = 0 },
	{ "jitter 300 us", 30000, 30000, 300000, 60 * MS, .wander = 0 },
	{ "asymmetric", 30000, 300000, 20000, 330 * MS, .wander = 0 },
	{ "congested", 30000, 30000, 20000, 60 * MS, .queue_max = 2e6 },
	{ "far", 5000000, 5000000, 500000, SECOND, .wander = 0 },
	{ "wander 0.5 ppm/s", 10000, 10000, 2000, 50 * MS, .wander = 0.5 },
	{ "steps of 20 ppm", 10000, 10000, 2000, 50 * MS, .step = 20, .step_every = 8 },
	{ "slews of 500 ppm", 10000, 10000, 2000, 50 * MS, .step = 400, .step_every = 8, .slews = true },
	{ "wander, stamped", 50, 50, 10, 50 * MS, .wander = 0.9, .tight = true },
	{ "servo, stamped", 50, 50, 10, 50 * MS, .step = 0.05, .step_every = 0.125, .tight = true },
};

static void run_row(const struct row *row, uint64_t lag, struct figures *figures)
{
	figures->plain_error.n = figures->error.n = figures->plain_bound.n = figures->bound.n = 0;
	for (uint64_t seed = 1; seed <= WORLDS_EACH; seed++) {
		struct world w;

		world__init(&w, seed);
		w.there_ns = row->there;
		w.back_ns = row->back;
		w.jitter_ns = row->jitter;
		w.ppm = 30;
		w.wander = row->wander;
		w.step = row->step;
		w.step_every = row->step_every;
		w.slews = row->slews;
		w.queue_max = row->queue_max;
		run(&w, row->pause, row->runs, lag, seed, figures);
	}
}

static void test_better(void **state)
{
	static const uint64_t lags[] = { 0, 300 * MS, 1000 * MS };
	static struct figures f;

	(void)state;
	printf("us%25serror plain p50  p99      error p50  p99    bound plain p50  p99      bound p50  p99\n", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t lag = 0; lag < sizeof(lags) / sizeof(lags[0]); lag++) {
			struct sizes *const columns[] = { &f.plain_error, &f.error, &f.plain_bound, &f.bound };

			run_row(&rows[i], lags[lag], &f);
			printf("%-18s %4.1f s", rows[i].name, (double)lags[lag] / 1e9);
			for (size_t k = 0; k < 4; k++)
				printf("  %9.2f %9.2f", percentile(columns[k], 50) / 1e3,
				       percentile(columns[k], 99) / 1e3);
			printf("\n");
			/* The allowances are for rows in which half of the asymmetry dominates, and for few exchanges. */
			assert_true(percentile(&f.error, 50) <= 1.02 * percentile(&f.plain_error, 50));
			assert_true(percentile(&f.error, 99) <= 1.1 * percentile(&f.plain_error, 99));
			if (rows[i].tight && lags[lag] == SECOND)
				assert_true(percentile(&f.bound, 50) <= percentile(&f.plain_bound, 50) / 2);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds_hold),
		cmocka_unit_test(test_better),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
