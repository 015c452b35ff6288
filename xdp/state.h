/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a classifier, in a file below /run/tracewire: for showing it, and for removing it after its process was killed. The
 * process that holds a classifier has locked its file. Used inside xdp/ only.
 */
#ifndef TW_STATE_H
#define TW_STATE_H

#include "base/state_file.h"
#include "xdp/classifier.h"
#include "xdp/load.h"

/* The u32 filters of one row of counters. */
struct tw_state_row {
	uint32_t first, n; /* handles */
	uint64_t carried;  /* frames counted by filters that have been replaced */
};

struct tw_state {
	struct tw_attached public;   /* its texts are this state's */
	uint64_t netns;              /* inode of the network namespace */
	uint32_t counters, overflow; /* ids of the maps; 0 = none */
	uint32_t prio;               /* priority in tc; 0 = not attached yet */
	uint32_t held_by_link;       /* XDP: removed with the process by the kernel */
	uint32_t made_clsact;        /* Tracewire created the qdisc */
	struct tw_state_row rows[TW_ROWS_MAX];
	const struct tw_maps *maps; /* maps of this process; NULL = open them by id */
};

/** tw_state__init() - for an interface of this network namespace; texts are copied. Return: 0, -ENOMEM, -ENODEV */
int tw_state__init(struct tw_state *state, const struct tw_classifier_options *options, struct tw_error *error);

/** tw_state__fini() - its texts */
void tw_state__fini(struct tw_state *state);

/** tw_netns__inode() - inode of the thread's network namespace; 0 if unknown */
uint64_t tw_netns__inode(void);

/** tw_attached__mode() - the mode that the kernel reports. Return: enum tw_mode */
uint8_t tw_attached__mode(const struct tw_state *state);

#define TW_STATE_FILES "classifier-" /* how their names begin */

/**
 * tw_state__lock() - open or create the file of its hook, and lock it
 * @ret: close it with tw_state_file__close()
 * Return: 0; -EBUSY if another process has locked it; another -errno.
 */
int tw_state__lock(const struct tw_state *state, struct tw_state_file *ret, struct tw_error *error);

/** tw_state__write() - replace the content of its file. Return: 0 or -errno */
int tw_state__write(const struct tw_state *state, const struct tw_state_file *file, struct tw_error *error);

/** tw_state__read() - @ret: free with tw_state__fini(). Return: 0; -ENODATA if the file has no valid content; another -errno */
int tw_state__read(const struct tw_state_file *file, struct tw_state *ret);

#endif
