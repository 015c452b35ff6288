/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench/clocks/trace_clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/instance.h"
#include "producer/native_ring.h"

#define ROUNDS  20000
#define BATCHES 100
/* In a batch; the shortest batch is used, because interrupts and other programs only make a batch longer. */
#define CALLS 1000
#define TRIES 5 /* a getppid() of another program is one event too many */

/* The times of a CPU's events: one pair for each getppid(), its entry and its exit. */
struct times {
	uint64_t (*calls)[2];
	size_t n; /* number of times */
};

static int switch_to(struct tw_instance *instance, const char *on, struct tw_error *error)
{
	return tw_instance__write(instance, "tracing_on", on, error);
}

/* Return: duration of a getppid(), ns: the mean of a batch */
static double call_ns(void)
{
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC);

	for (int n = 0; n < CALLS; n++)
		syscall(SYS_getppid);
	return (double)(tw_time__now(CLOCK_MONOTONIC) - begin) / CALLS;
}

/* Batches with events and without alternate, so that a change of the machine's speed affects both. */
static int measure_event(struct tw_instance *instance, struct trace_clock_figures *figures, struct tw_error *error)
{
	int err = 0;

	for (int i = 0; i < BATCHES && !err; i++) {
		figures->without_ns = fmin(figures->without_ns, call_ns());
		err = switch_to(instance, "1", error);
		if (!err)
			figures->with_ns = fmin(figures->with_ns, call_ns());
		err = err ? err : switch_to(instance, "0", error);
	}
	return err;
}

static int set_up(struct tw_instance *instance, const char *clock, struct tw_error *error)
{
	char filter[32];
	int err;

	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	err = tw_instance__write(instance, "trace_clock", clock, error);
	err = err ? err : tw_instance__write(instance, "buffer_size_kb", "8192", error);
	err = err ? err : tw_instance__write(instance, "events/raw_syscalls/filter", filter, error);
	return err ? err : tw_instance__write(instance, "events/raw_syscalls/enable", "1", error);
}

/* @ctx: array of the threads of both CPUs. Other programs may call getppid(), too. */
static void call(void *ctx, bool on_last, unsigned int round)
{
	pid_t *threads = ctx;

	if (!round)
		threads[on_last] = gettid();
	syscall(SYS_getppid);
}

/* Reads the events of a thread in the ring of its CPU. Return: whether these are the events of @calls calls */
static bool read_ring(const struct tw_instance *instance, int cpu, pid_t thread, size_t calls, struct times *ret)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *bytes = malloc(size + TW_NATIVE_PAGE_SLACK);
	const int fd = tw_instance__open_ring(instance, (unsigned int)cpu);
	struct tw_ring_event event;
	struct tw_ring_page page;
	ssize_t len;

	ret->n = 0;
	ret->calls = calloc(calls, sizeof(*ret->calls));
	while (fd >= 0 && bytes && ret->calls && (len = read(fd, bytes, size)) > 0) {
		tw_native_page__init(&page, bytes, (size_t)len);
		while (tw_native_page__next(&page, &event)) {
			if (tw_native_event__pid(&event) != thread)
				continue;
			if (ret->n < 2 * calls)
				ret->calls[ret->n / 2][ret->n % 2] = event.time;
			ret->n++;
		}
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	return ret->n == 2 * calls;
}

static void look_at_times(const struct times *times, double unit_ns, struct trace_clock_figures *figures)
{
	const uint64_t start = times->calls[0][0];

	for (size_t i = 0; i < times->n / 2; i++) {
		figures->step = gcd__add(figures->step, times->calls[i][0] - start);
		figures->step = gcd__add(figures->step, times->calls[i][1] - start);
		figures->nearest_ns =
			fmin(figures->nearest_ns, (double)(times->calls[i][1] - times->calls[i][0]) * unit_ns);
	}
}

/* Two CPUs call getppid() in turn. Return: false if events are missing in the rings */
static bool play(struct tw_instance *instance, double unit_ns, struct cpu_pair cpus,
		 struct trace_clock_figures *figures)
{
	struct times first = { 0 }, last = { 0 };
	pid_t threads[2];
	struct tw_error error;
	bool complete;

	tw_instance__write(instance, "trace", "", &error);
	if (switch_to(instance, "1", &error) || ping_pong(cpus, ROUNDS, call, threads) < ROUNDS ||
	    switch_to(instance, "0", &error))
		return false;
	complete = read_ring(instance, cpus.first, threads[0], ROUNDS + 1, &first) &&
		   read_ring(instance, cpus.last, threads[1], ROUNDS, &last);
	if (complete) {
		look_at_times(&first, unit_ns, figures);
		skew__narrow(&figures->skew, (const uint64_t(*)[2])first.calls, (const uint64_t(*)[2])last.calls,
			     ROUNDS, unit_ns);
	}
	free(first.calls);
	free(last.calls);
	return complete;
}

struct trace_clock_figures trace_clock__begin(void)
{
	return (struct trace_clock_figures){
		.with_ns = INFINITY, .without_ns = INFINITY, .nearest_ns = INFINITY, .skew = SKEW_UNKNOWN
	};
}

int trace_clock__measure(const char *name, double unit_ns, struct cpu_pair cpus, struct trace_clock_figures *figures,
			 struct tw_error *error)
{
	struct tw_instance *instance;
	int err = tw_instance__new("-clocks", &instance, error);

	if (err)
		return err;
	run_on(cpus.first);
	err = set_up(instance, name, error);
	err = err ? err : measure_event(instance, figures, error);
	if (!err && !play(instance, unit_ns, cpus, figures))
		err = tw_error__set(error, -EIO, "events are missing in the rings, or a CPU had no time");
	tw_instance__free(instance);
	return err;
}
