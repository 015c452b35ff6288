/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events that a classifier in XDP dropped on an interface before captures could see them. In a capture, the event numbers of these
 * events are missing, like those of lost events, and only the classifier's counters show how many were dropped. The counters are read
 * periodically, because they are removed together with the classifier.
 *
 * A separate process reads the BPF maps with the counters, because its parent, the capture, gives up all privileges before it parses
 * frames. The separate process keeps CAP_SYS_ADMIN, which the kernel requires to open a map by id, and CAP_DAC_READ_SEARCH, to read the
 * state files of classifiers in /run/tracewire.
 *
 * The process runs as the same user as its parent; if this user is root, the process runs as the user nobody. When the parent ends, the
 * kernel kills the process, even if it is stopped. The kernel kills it only if the parent may send signals to it. A parent without
 * privileges may send signals only to processes of its own user.
 */
#ifndef CLI_DROP_COUNTERS_H
#define CLI_DROP_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define REJECTED_LOOK_MS 200 /* interval at which callers call drop_counters__look(), ms */

struct drop_counters;

/**
 * drop_counters__new() - begin to count on an interface, from 0; forks without exec, so call it before there are other threads
 * @ifname: NULL = every interface of this network namespace
 * @user: name of the user that the calling process will become, as for ordinary_user__find()
 * Return: 0; -ENOMEM; -EPERM if the child ended before its first reading, for example because it could not give up its privileges; errors
 * of ordinary_user__find() except -ESRCH, and of mmap(), socketpair() and fork(); with @error filled.
 */
int drop_counters__new(const char *ifname, const char *user, struct drop_counters **ret, struct tw_error *error);

/** drop_counters__free() - end the reading process; waits at most one second, and not beyond stop__deadline(). NULL is fine */
void drop_counters__free(struct drop_counters *rejected);

/** drop_counters__look() - update the counts, waiting at most 2 s; counts that cannot be updated keep their values. NULL is fine */
void drop_counters__look(struct drop_counters *rejected);

/**
 * drop_counters__is_whole() - whether the last drop_counters__look() got its answer, and all readings so far were complete; false for NULL
 * Only the thread that calls drop_counters__look() may call this function.
 */
bool drop_counters__is_whole(const struct drop_counters *rejected);

/** drop_counters__of() - number of dropped events of a stream; @rejected is a struct drop_counters, or NULL (0). Any thread may call it */
uint64_t drop_counters__of(void *rejected, uint64_t stream_id);

#endif
