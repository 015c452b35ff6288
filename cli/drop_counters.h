/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that a classifier in XDP dropped on an interface before captures could see them. Their numbers are missing behind it, and
 * only its counters tell them from lost ones. They are looked at now and then, so that what a classifier counted is known after it has gone.
 *
 * A process of its own reads the kernel's maps, as its parent gives up its privileges to parse frames. It keeps CAP_SYS_ADMIN,
 * which the kernel asks of those who open a map by its number, and CAP_DAC_READ_SEARCH, to see in /run/tracewire which maps there are.
 *
 * It becomes the user that its parent becomes, or nobody in place of root. The kernel kills it when its parent ends, also if it is
 * stopped, and that takes the right to send it a signal.
 */
#ifndef CLI_DROP_COUNTERS_H
#define CLI_DROP_COUNTERS_H

#include <stdint.h>

#include <stdbool.h>

#include "base/error.h"

#define REJECTED_LOOK_MS 200 /* how often to look */

struct drop_counters;

/**
 * drop_counters__new() - begin to count on an interface; what was dropped before does not count
 * @ifname: NULL = every interface of this network namespace
 * @user: whom this process will become, as of ordinary_user__find()
 *
 * It forks, and the child goes on as this program: to be called before there are other threads.
 *
 * Return: 0; -ENOMEM; -EPERM if it cannot give up its privileges; or what fork() or socketpair() said.
 */
int drop_counters__new(const char *ifname, const char *user, struct drop_counters **ret, struct tw_error *error);

/** drop_counters__free() - ends the process, and waits for that a second at most, or until stop__deadline(); NULL is fine */
void drop_counters__free(struct drop_counters *rejected);

/** drop_counters__look() - read the counters, for 2 s at most; where they cannot be read they stay as they were. NULL is fine */
void drop_counters__look(struct drop_counters *rejected);

/**
 * drop_counters__is_whole() - whether all counters could be read each time, and the last look has ended; false of NULL: nobody reads them
 *
 * For the thread that looks.
 */
bool drop_counters__is_whole(const struct drop_counters *rejected);

/** drop_counters__of() - events of a stream dropped so far; any thread may ask. 0 of NULL */
uint64_t drop_counters__of(struct drop_counters *rejected, uint64_t stream_id);

#endif
