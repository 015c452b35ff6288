/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between being made and being locked an instance looks like a dead run's. So who makes one holds a shared lock of the directory of
 * all instances meanwhile, and who looks for dead ones an exclusive one: what he finds unlocked then is nobody's, and stays so,
 * since no run takes an instance that is there. The kernel's directory is the same for everybody, while a container may have a /run of
 * its own; and with a process that is killed its locks go.
 */
#ifndef TW_INSTANCES_LOCK_H
#define TW_INSTANCES_LOCK_H

#include "base/error.h"

/**
 * tw_instances_lock__to_make() - wait for those who look, which they do for less than a millisecond
 * Return: a descriptor for tw_instances_lock__release(), or -errno
 */
int tw_instances_lock__to_make(struct tw_error *err);

/** tw_instances_lock__to_look() - wait for those who make one; as above; -EBUSY if one of them does not get on */
int tw_instances_lock__to_look(struct tw_error *err);

/** tw_instances_lock__release() - also for a child process that has inherited it */
void tw_instances_lock__release(int fd);

#endif
