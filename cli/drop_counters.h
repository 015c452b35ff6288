/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events that a classifier in XDP dropped on an interface before captures could see them. Their event numbers are missing in
 * captures, and only the classifier's counters distinguish them from lost events. The counters are read periodically, because they are
 * removed together with the classifier.
 *
 * A separate process reads the kernel's maps, because its parent gives up all privileges before it parses frames. The process keeps
 * CAP_SYS_ADMIN, which the kernel requires to open a map by id, and CAP_DAC_READ_SEARCH, to read the state files of classifiers in
 * /run/tracewire.
 *
 * The process becomes the same user as its parent, but the user nobody instead of root. The kernel kills it when its parent ends, even if
 * the process is stopped. This signal is delivered only if the parent may send signals to the process.
 */
#ifndef CLI_DROP_COUNTERS_H
#define CLI_DROP_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define REJECTED_LOOK_MS 200 /* interval of readings, ms */

struct drop_counters;

/**
 * drop_counters__new() - begin to count on an interface, from 0; forks without exec, so call it before there are other threads
 * @ifname: NULL = every interface of this network namespace
 * @user: name of the user that this process will become, as for ordinary_user__find()
 * Return: 0; -ENOMEM; -EPERM if the child cannot give up its privileges or has no memory; errors of ordinary_user__find() except -ESRCH,
 * and of mmap(), socketpair() and fork(); with @error filled.
 */
int drop_counters__new(const char *ifname, const char *user, struct drop_counters **ret, struct tw_error *error);

/** drop_counters__free() - end the reading process, waiting at most one second or until stop__deadline(); NULL is fine */
void drop_counters__free(struct drop_counters *rejected);

/** drop_counters__look() - read the counters, waiting at most 2 s; counters that cannot be read keep their values. NULL is fine */
void drop_counters__look(struct drop_counters *rejected);

/** drop_counters__is_whole() - whether all counters were read and no answer is pending; false for NULL. For the thread that reads them */
bool drop_counters__is_whole(const struct drop_counters *rejected);

/** drop_counters__of() - number of events of a stream that were dropped; @rejected is a struct drop_counters, or NULL. For any thread */
uint64_t drop_counters__of(void *rejected, uint64_t stream_id);

#endif
