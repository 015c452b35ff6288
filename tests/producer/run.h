/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole run of the producer on this kernel, with the frames kept in memory and read by a receiver. */
#ifndef RUN_H
#define RUN_H

#include "producer/producer.h"
#include "receiver.h"

/* What the kernel counted on all CPUs of the instance, read by other code than the producer's. */
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
	int result;   /* of tw_producer__stop() */
	bool cleared; /* the test has the kernel clear rings: their counters do not fit */
};

/** run__init() - one request; change memory and options as wanted before run__start() */
void run__init(struct run *run, const char *spec, const char *filter);

/** run__start() - as the command line does it; fails the test if that fails */
void run__start(struct run *run);

/**
 * run__stop() - stop, keep its counters and the kernel's, free the producer, read what was sent
 *
 * Fails the test if the kernel's counters of a ring do not fit the producer's, or tracing was off: here nobody meddles.
 */
void run__stop(struct run *run);

void run__fini(struct run *run);

/**
 * run__await_enabled() - until the run has enabled @event, "system/name", which came into being meanwhile: it looks once a second
 *
 * Fails the test after 20 s.
 */
void run__await_enabled(const struct run *run, const char *event);

/**
 * run__await() - until what the run has sent so far is @enough; however long a busy machine takes for it
 *
 * Fails the test after 60 s.
 */
void run__await(struct run *run, bool (*enough)(const struct receiver *got));

/** run__file() - path of a file of tracefs; of the run's instance if there is a run. Return: @buf */
char *run__file(const struct run *run, const char *file, char buf[256]);

/** write_file() - a text to a file, opened with O_WRONLY and @flags. Return: 0 or -errno */
int write_file(const char *path, int flags, const char *text);

/** read_file() - a whole file; free(); NULL if it cannot be read */
char *read_file(const char *path);

/** getppid_load() - one thread on each CPU that is online calls getppid(), for some ms or at most @calls times each, 0 = no limit */
void getppid_load(unsigned int ms, unsigned long calls);

/** run__overload() - that load until the kernel has lost events in a ring: on a busy machine not at once. 64 KiB are full in some ms */
void run__overload(const struct run *run);

/** only_getppid() - the filter of raw_syscalls:sys_enter that leaves only that load */
const char *only_getppid(void);

/** need_tracing() - 0, or 77 having printed why this machine cannot run the test */
int need_tracing(void);

#endif
