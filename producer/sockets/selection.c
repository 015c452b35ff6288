/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/selection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/network_namespaces.h"
#include "producer/sockets/cgroups.h"

struct visit {
	int fd; /* of the namespace */
	uint64_t cookie;
	int err;
};

/* In a thread of its own, because it changes the network namespace of the thread. */
static void *enter(void *ctx)
{
	struct visit *visit = ctx;

	visit->err = setns(visit->fd, CLONE_NEWNET) ? -errno : tw_network_namespace__cookie(&visit->cookie);
	return NULL;
}

static int find_cookie(const char *path, uint64_t *ret)
{
	struct visit visit = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }; /* a FIFO would wait */
	sigset_t all, before;
	pthread_t thread;
	int err;

	if (visit.fd < 0)
		return -errno;
	sigfillset(&all); /* signals are for the other threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&thread, NULL, enter, &visit);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		err = -pthread_join(thread, NULL);
	close(visit.fd);
	*ret = visit.cookie;
	return err ? err : visit.err;
}

static int find_netns(const char *name, uint64_t *ret, struct tw_error *error)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), strchr(name, '/') ? "%s" : TW_NETWORK_NAMESPACES_NAMED "/%s", name);
	err = find_cookie(path, ret);
	if (err)
		return tw_error__set(
			error,
			err == -EPERM || err == -EACCES ? err
							: -EINVAL, /* whatever the path is, another name is needed */
			"--netns '%s': %s is not a network namespace that can be entered (%s); `ip netns` shows the names, "
			"/proc/PID/ns/net is that of a process",
			name, path, strerror(-err));
	return 0;
}

static int find_device(const char *name, uint32_t *ret, struct tw_error *error)
{
	*ret = if_nametoindex(name);
	if (!*ret)
		return tw_error__set(
			error, -ENOENT,
			"--netdev '%s': this network namespace has no such interface; for one in another namespace, run "
			"`nsenter --net=/run/netns/NAME tracewire ...`",
			name);
	return 0;
}

static int check_number(const char *option, size_t n, struct tw_error *error)
{
	return n <= TW_SOCKET_NAMES_MAX ? 0
					: tw_error__set(error, -EINVAL, "--%s can be given %d times at most", option,
							TW_SOCKET_NAMES_MAX);
}

static int find_cgroups(const struct tw_socket_selection *selection, struct tw_socket_selected *ret,
			struct tw_error *error)
{
	int err = check_number("cgroup and --container", selection->cgroups.n + selection->containers.n, error);

	for (size_t i = 0; i < selection->cgroups.n && !err; i++) {
		ret->cgroup_names[ret->n_cgroups] = selection->cgroups.items[i];
		err = tw_socket_cgroup__find(selection->cgroups.items[i], &ret->cgroups[ret->n_cgroups++], error);
	}
	for (size_t i = 0; i < selection->containers.n && !err; i++) {
		ret->cgroup_names[ret->n_cgroups] = selection->containers.items[i];
		err = tw_socket_cgroup__find_container(selection->containers.items[i], &ret->cgroups[ret->n_cgroups++],
						       error);
	}
	return err;
}

static int find_devices(const struct tw_socket_selection *selection, struct tw_socket_selected *ret,
			struct tw_error *error)
{
	int err = check_number("netdev", selection->devices.n, error);

	for (size_t i = 0; i < selection->devices.n && !err; i++)
		err = find_device(selection->devices.items[i], &ret->ifindexes[ret->n_ifindexes++], error);
	if (!err && ret->n_ifindexes && tw_network_namespace__cookie(&ret->own_netns))
		err = tw_error__set(
			error, -EOPNOTSUPP,
			"--netdev needs a kernel whose network namespaces have numbers: use Linux 5.14 or later");
	return err;
}

int tw_socket_selection__resolve(const struct tw_socket_selection *selection, struct tw_socket_selected *ret,
				 struct tw_error *error)
{
	struct tw_socket_selected selected = { .n_cgroups = 0 };
	int err = find_cgroups(selection, &selected, error);

	if (!err)
		err = check_number("netns", selection->netns.n, error);
	for (size_t i = 0; i < selection->netns.n && !err; i++)
		err = find_netns(selection->netns.items[i], &selected.netns_cookies[selected.n_netns++], error);
	if (!err)
		err = find_devices(selection, &selected, error);
	if (!err)
		*ret = selected;
	return err;
}

const char *tw_socket_selection__given(const struct tw_socket_selection *selection)
{
	return selection->cgroups.n      ? "cgroup"
	       : selection->containers.n ? "container"
	       : selection->netns.n      ? "netns"
	       : selection->devices.n    ? "netdev"
	       : selection->sample       ? "sample"
	       : selection->max_cpu      ? "max-cpu"
					 : NULL;
}

int tw_socket_selection__check(const struct tw_socket_selection *selection, uint32_t events, struct tw_error *error)
{
	const char *option = tw_socket_selection__given(selection);

	if (option && !events)
		return tw_error__set(error, -EINVAL,
				     "--%s applies to socket events, and none is selected: add -e sockts", option);
	if ((selection->sample || selection->max_cpu) && !(events & TW_SOCKET_OF_MESSAGES))
		return tw_error__set(error, -EINVAL,
				     "--%s applies to the messages of " TW_SOCKTS_SYSTEM
				     ":egress_ts, egress_stats and ingress_ts, and none of these "
				     "events is selected: leave it out, or add -e " TW_SOCKTS_SYSTEM,
				     selection->sample ? "sample" : "max-cpu");
	return 0;
}

void tw_socket_selection__fini(struct tw_socket_selection *selection)
{
	free(selection->cgroups.items);
	free(selection->containers.items);
	free(selection->netns.items);
	free(selection->devices.items);
	*selection = (struct tw_socket_selection){ .sample = 0 };
}
