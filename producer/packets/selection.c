/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the numbers by which the kernel knows an interface, a network namespace and a cgroup. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "producer/packets/impl.h"

uint32_t tw_netns__own(void)
{
	struct stat found;

	return stat("/proc/self/ns/net", &found) ? 0 : (uint32_t)found.st_ino;
}

static int find_dev(const char *dev, uint32_t *ret, struct tw_error *error)
{
	*ret = if_nametoindex(dev);
	return *ret ? 0
		    : tw_error__set(error, -ENOENT,
				    "there is no interface '%s' in this network namespace; `ip link` shows them", dev);
}

static bool is_on(int dir, const char *path, long type)
{
	const int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	struct statfs found;
	const bool is = fd >= 0 && !fstatfs(fd, &found) && (long)found.f_type == type;

	if (fd >= 0)
		close(fd);
	return is;
}

/* The id of a cgroup is the inode of its folder. */
static int find_cgroup(const char *name, uint64_t *ret, struct tw_error *error)
{
	const char *below = name + strspn(name, "/");
	struct stat found;
	const int root = tw_cgroup__open_root(NULL);
	int err = 0;

	if (root == -ENOENT)
		return tw_error__set(error, root, "no cgroup2 file system is mounted, which --cgroup needs");
	if (root < 0)
		return tw_error__set(error, root, "the mount point of cgroup2 cannot be opened: %s", strerror(-root));
	below = *below ? below : ".";
	if (!fstatat(root, below, &found, 0) && S_ISDIR(found.st_mode))
		*ret = found.st_ino;
	else if (!stat(name, &found) && S_ISDIR(found.st_mode) && is_on(AT_FDCWD, name, CGROUP2_SUPER_MAGIC))
		*ret = found.st_ino;
	else
		err = tw_error__set(error, -ENOENT,
				    "there is no cgroup '%s': give a path below the mount point of cgroup2", name);
	close(root);
	return err;
}

static int find_netns(const char *name, uint32_t *ret, struct tw_error *error)
{
	char path[PATH_MAX];
	struct stat found;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	if (stat(path, &found) || !is_on(AT_FDCWD, path, NSFS_MAGIC))
		return tw_error__set(
			error, -ENOENT,
			"there is no network namespace '%s': give a name that `ip netns` shows, or a path such as "
			"/proc/4711/ns/net",
			name);
	*ret = (uint32_t)found.st_ino;
	return 0;
}

_Static_assert(TW_PACKETS_PIDS_MAX == TW_PACKET_PIDS_MAX, "the members pids");

int tw_packet_selection__resolve(const struct tw_packets_selection *selection, struct tw_packet_selection *ret,
				 struct tw_error *error)
{
	int err = 0;

	*ret = (struct tw_packet_selection){ .n_pids = (uint32_t)selection->n_pids,
					     .nonempty_queue = selection->nonempty_queue,
					     .blocked_reads = selection->blocked_reads };
	memcpy(ret->pids, selection->pids, sizeof(ret->pids));
	if (selection->dev && selection->netns)
		return tw_error__set(
			error, -EINVAL,
			"--dev names an interface of this network namespace, and interfaces of other network namespaces "
			"cannot be named: leave out --dev or --netns");
	if (selection->dev)
		err = find_dev(selection->dev, &ret->ifindex, error);
	if (!err && selection->dev)
		ret->netns = tw_netns__own();
	if (!err && selection->netns)
		err = find_netns(selection->netns, &ret->netns, error);
	if (!err && selection->cgroup)
		err = find_cgroup(selection->cgroup, &ret->cgroup, error);
	return err;
}
