/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a classifier. It is also written to a file in /run/tracewire. Other processes use the file to show the classifier, and to
 * remove it after its process was killed. The process that holds a classifier keeps the file locked. Used inside xdp/ only.
 */
#ifndef TW_STATE_H
#define TW_STATE_H

#include "base/state_file.h"
#include "xdp/classifier.h"
#include "xdp/load.h"

/* The u32 filters of one row of counters. */
struct tw_state_row {
	uint32_t first, n; /* handle of the first filter, and number of filters; the handles are consecutive */
	uint64_t carried;  /* frames counted by earlier filters of the row, which were replaced */
};

struct tw_state {
	struct tw_attached public;   /* this state owns the texts of the rules */
	uint64_t netns;              /* inode of the network namespace */
	uint32_t counters, overflow; /* kernel's ids of the maps COUNTERS and OVERFLOW; 0 = no such map */
	uint32_t prio;               /* tc: priority of the filters; 0 = not planned yet */
	uint32_t held_by_link;       /* XDP: 1 if the program is attached with a bpf_link */
	uint32_t made_clsact;        /* tc: 1 if Tracewire created, or has to create, the clsact qdisc */
	struct tw_state_row rows[TW_ROWS_MAX];
	const struct tw_maps *maps; /* the open maps, if this process made them; NULL = the maps must be opened by id */
};

/** tw_state__init() - fill a state for an interface of this network namespace; copies texts. Return: 0, -ENOMEM, -ENODEV, another -errno */
int tw_state__init(struct tw_state *state, const struct tw_classifier_options *options, struct tw_error *error);

/** tw_state__fini() - free the texts of a state */
void tw_state__fini(struct tw_state *state);

/** tw_netns__inode() - find the inode of the calling thread's network namespace. Return: 0, or -errno with @error filled */
int tw_netns__inode(uint64_t *ret, struct tw_error *error);

/** tw_attached__mode() - ask the kernel how a classifier is attached. Return: enum tw_mode, or -errno with @error filled */
int tw_attached__mode(const struct tw_state *state, struct tw_error *error);

#define TW_STATE_FILES "classifier-" /* prefix of the names of state files */

/**
 * tw_state__lock() - open or create the state file for the interface and place of a classifier, and lock it
 * @ret: close it with tw_state_file__close()
 * Return: 0; -EBUSY if another process has locked it; another -errno.
 */
int tw_state__lock(const struct tw_state *state, struct tw_state_file *ret, struct tw_error *error);

/** tw_state__write() - replace the content of a state file. Return: 0 or -errno */
int tw_state__write(const struct tw_state *state, const struct tw_state_file *file, struct tw_error *error);

/**
 * tw_state__read() - read a state file
 * @ret: free with tw_state__fini() after success; its address must not change, because public.state points to it
 * Return: 0; -ENODATA if the file has no valid content, perhaps because its process has not written it yet; another -errno, with @error
 * filled.
 */
int tw_state__read(const struct tw_state_file *file, struct tw_state *ret, struct tw_error *error);

#endif
