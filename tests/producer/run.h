/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole run of the producer on this kernel. The frames are kept in memory, and a receiver reads them. */
#ifndef RUN_H
#define RUN_H

#include "producer/producer.h"
#include "receiver.h"

/* The kernel's counters of the instance, summed over all CPUs, and read without the producer's code. */
struct run_kernel {
	uint64_t entries, overrun, commit_overrun, dropped, read;
};

struct run {
	struct memory_sink memory;
	struct tw_event_request requests[2]; /* n_events of them */
	struct tw_producer_options options;
	struct tw_producer *producer;
	struct tw_producer_counters counters;
	struct run_kernel kernel;
	struct receiver got;
	int result;   /* result of tw_producer__stop() */
	bool cleared; /* the test makes the kernel clear rings, so their counters need not match */
};

/** run__init() - set up a run with one request; a test may change memory and options before run__start() */
void run__init(struct run *run, const char *spec, const char *filter);

/** run__start() - create and start the producer as the command line does; fails the test on failure */
void run__start(struct run *run);

/**
 * run__stop() - stop the producer, keep its counters and the kernel's, free the producer, read the frames
 *
 * Fails the test if the kernel's counters of a ring do not match the producer's, or if tracing was off, because nothing else uses the
 * instance in a test.
 */
void run__stop(struct run *run);

void run__fini(struct run *run);

/**
 * run__await_enabled() - wait until the run has enabled @event, "system/name", which was added during the run
 *
 * The producer checks for new events once a second.
 * Fails the test after 20 s.
 */
void run__await_enabled(const struct run *run, const char *event);

/**
 * run__await() - wait until @enough returns true for the frames that were sent so far
 *
 * Fails the test after 60 s.
 */
void run__await(struct run *run, bool (*enough)(const struct receiver *got));

/** run__file() - make the path of a file of the run's instance; if @run is NULL, of tracefs itself. Return: @buf */
char *run__file(const struct run *run, const char *file, char buf[256]);

/** write_file() - write a text to a file, opened with O_WRONLY and @flags. Return: 0 or -errno */
int write_file(const char *path, int flags, const char *text);

/** read_file() - content of a file; caller frees; NULL if it cannot be read */
char *read_file(const char *path);

/** spawn_true() - run /bin/true and wait for its end */
void spawn_true(void);

/** getppid_load() - one thread on each online CPU calls getppid(), for @ms, and at most @calls times each; 0 calls = no limit */
void getppid_load(unsigned int ms, unsigned long calls);

/**
 * run__overload() - repeat getppid_load() until the kernel has lost events in a ring
 *
 * A ring of 64 KiB is full after some ms; on a busy machine, it takes longer.
 */
void run__overload(const struct run *run);

/** only_getppid() - get the filter of raw_syscalls:sys_enter that passes only calls of getppid() */
const char *only_getppid(void);

/** need_tracing() - 0, or 77 after printing why this machine cannot run the test */
int need_tracing(void);

#endif
