/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a classifier is, in a file below /run/tracewire: for those who show it, and for those who take away what a process that
 * was killed has left. The process that holds a classifier has locked its file. Used inside xdp/ only.
 */
#ifndef TW_STATE_H
#define TW_STATE_H

#include "base/state_file.h"
#include "xdp/classifier.h"
#include "xdp/load.h"

/* The filters of u32 that stand for one row of counters. */
struct tw_state_row {
	uint32_t first, n; /* handles */
	uint64_t carried;  /* frames counted by filters that have been replaced */
};

struct tw_state {
	struct tw_attached public;   /* its texts are this state's */
	uint64_t netns;              /* inode of the network namespace */
	uint32_t counters, overflow; /* maps, as the kernel names them; 0 = there is none */
	uint32_t prio;               /* in tc; 0 = nothing is there yet */
	uint32_t held_by_link;       /* XDP: goes with the process by itself */
	uint32_t made_clsact;        /* the qdisc is ours */
	struct tw_state_row rows[TW_ROWS_MAX];
	const struct tw_maps *maps; /* of this process's own; NULL = to be asked for by their numbers */
};

/** tw_state__init() - for an interface of this network namespace; texts are copied. Return: 0, -ENOMEM, -ENODEV */
int tw_state__init(struct tw_state *state, const struct tw_classifier_options *options, struct tw_error *error);

/** tw_state__fini() - its texts */
void tw_state__fini(struct tw_state *state);

/** tw_netns__inode() - of the thread's network namespace; 0 if that cannot be told */
uint64_t tw_netns__inode(void);

/** tw_attached__mode() - as the kernel states it now. Return: enum tw_mode */
uint8_t tw_attached__mode(const struct tw_state *state);

#define TW_STATE_FILES "classifier-" /* how their names begin */

/**
 * tw_state__lock() - the file for its place, locked, made if need be
 * @ret: tw_state_file__close()
 * Return: 0; -EBUSY if another process has it; another -errno.
 */
int tw_state__lock(const struct tw_state *state, struct tw_state_file *ret, struct tw_error *error);

/** tw_state__write() - into its file, whose contents are exchanged. Return: 0 or -errno */
int tw_state__write(const struct tw_state *state, const struct tw_state_file *file, struct tw_error *error);

/** tw_state__read() - @ret: tw_state__fini(). Return: 0; -ENODATA if nothing of use stands in the file; another -errno */
int tw_state__read(const struct tw_state_file *file, struct tw_state *ret);

#endif
