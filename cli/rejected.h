/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that a classifier in XDP dropped on an interface before captures could see them. Their numbers are missing behind it, and
 * only its counters tell them from lost ones. They are looked at now and then, so that what a classifier counted is known after it has gone.
 *
 * Maps of the kernel are read by a process of its own, as its parent gives up its privileges to parse frames. It becomes the user
 * nobody and keeps CAP_SYS_ADMIN, which the kernel asks of those who open a map by its number, and CAP_DAC_READ_SEARCH, to see in
 * /run/tracewire which maps there are.
 */
#ifndef CLI_REJECTED_H
#define CLI_REJECTED_H

#include <stdint.h>

#include <stdbool.h>

#include "base/error.h"

#define REJECTED_LOOK_MS 200 /* how often to look */

struct rejected;

/**
 * rejected__new() - begin to count on an interface; what was dropped before does not count
 * @ifname: NULL = every interface of this network namespace
 *
 * It forks, and the child goes on as this program: to be called before there are other threads.
 *
 * Return: 0; -ENOMEM; -EPERM if it cannot give up its privileges; or what fork() or socketpair() said.
 */
int rejected__new(const char *ifname, struct rejected **ret, struct tw_error *err);

/** rejected__free() - ends the process; NULL is fine */
void rejected__free(struct rejected *rejected);

/** rejected__look() - read the counters, for 1 s at most; where they cannot be read they stay as they were. NULL is fine */
void rejected__look(struct rejected *rejected);

/** rejected__is_whole() - whether all counters could be read each time; false of NULL: nobody reads them */
bool rejected__is_whole(const struct rejected *rejected);

/** rejected__of() - events of a stream dropped so far; any thread may ask. 0 of NULL */
uint64_t rejected__of(struct rejected *rejected, uint64_t stream_id);

#endif
