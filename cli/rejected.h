/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that a classifier in XDP dropped on an interface before captures could see them. Their numbers are missing behind it, and
 * only its counters tell them from lost ones. They are looked at now and then, so that what a classifier counted is known after it has gone.
 */
#ifndef CLI_REJECTED_H
#define CLI_REJECTED_H

#include <stdint.h>

#define REJECTED_LOOK_MS 200 /* how often to look */

struct rejected;

/** rejected__new() - begin to count on an interface; what was dropped before does not count. Return: NULL without memory */
struct rejected *rejected__new(const char *ifname);

/** rejected__free() - NULL is fine */
void rejected__free(struct rejected *rejected);

/** rejected__look() - read the counters; where they cannot be read they stay as they were */
void rejected__look(struct rejected *rejected);

/** rejected__of() - events of a stream dropped so far; any thread may ask */
uint64_t rejected__of(struct rejected *rejected, uint64_t stream_id);

#endif
