/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events that a classifier in XDP dropped on an interface before captures could see them. Their numbers are missing in captures,
 * and only the classifier's counters distinguish them from lost ones. The counters are read periodically, so that they are known after
 * the classifier was removed.
 *
 * A separate process reads the kernel's maps, because its parent gives up all privileges before it parses frames. The process keeps
 * CAP_SYS_ADMIN, which the kernel requires to open a map by id, and CAP_DAC_READ_SEARCH, to list the maps in /run/tracewire.
 *
 * It becomes the same user as its parent, or nobody instead of root. The kernel kills it when its parent ends, also if it is stopped;
 * that needs the right to send it a signal.
 */
#ifndef CLI_DROP_COUNTERS_H
#define CLI_DROP_COUNTERS_H

#include <stdint.h>

#include <stdbool.h>

#include "base/error.h"

#define REJECTED_LOOK_MS 200 /* interval of readings */

struct drop_counters;

/**
 * drop_counters__new() - begin to count on an interface, from 0
 * @ifname: NULL = every interface of this network namespace
 * @user: the user that this process will become, from ordinary_user__find()
 *
 * It forks, and the child continues as this program, so call it before there are other threads.
 *
 * Return: 0; -ENOMEM; -EPERM if it cannot give up its privileges; or errors of fork() or socketpair().
 */
int drop_counters__new(const char *ifname, const char *user, struct drop_counters **ret, struct tw_error *error);

/** drop_counters__free() - end the process, waiting at most one second or until stop__deadline(); NULL is fine */
void drop_counters__free(struct drop_counters *rejected);

/** drop_counters__look() - read the counters, waiting at most 2 s; counters that cannot be read keep their values. NULL is fine */
void drop_counters__look(struct drop_counters *rejected);

/**
 * drop_counters__is_whole() - whether all counters could be read each time, and the last reading is complete; false for NULL: they are
 * not read
 *
 * Called by the thread that reads.
 */
bool drop_counters__is_whole(const struct drop_counters *rejected);

/** drop_counters__of() - number of events of a stream dropped so far; called by any thread. 0 for NULL */
uint64_t drop_counters__of(struct drop_counters *rejected, uint64_t stream_id);

#endif
