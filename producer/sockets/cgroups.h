/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to sockets: cgroups by their paths, and by the names of containers in these paths. */
#ifndef TW_SOCKET_CGROUPS_H
#define TW_SOCKET_CGROUPS_H

#include <stdbool.h>

#include "base/error.h"
#include "producer/sockets/record.h"

/**
 * tw_socket_cgroup__find() - find a cgroup
 * @path: below the root of cgroup2, as in /proc/PID/cgroup, or below the mount point
 * Return: 0; -ENOENT if there is none; another -errno; @error has a sentence
 */
int tw_socket_cgroup__find(const char *path, struct tw_sockts_cgroup *ret, struct tw_error *error);

/**
 * tw_socket_cgroup__find_container() - find the cgroup of a container
 * @name: as it is in the name of the cgroup: the name of a container of systemd, LXC, crun, runc and ctr, or the id that Docker, Podman,
 * Kubernetes and CRI-O give; at least 4 digits of an id
 * Return: as above; -EINVAL if there are several
 */
int tw_socket_cgroup__find_container(const char *name, struct tw_sockts_cgroup *ret, struct tw_error *error);

/** tw_socket_cgroup__is_gone() - whether a cgroup was removed. False if this cannot be found out */
bool tw_socket_cgroup__is_gone(const struct tw_sockts_cgroup *cgroup);

#endif
