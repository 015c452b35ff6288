/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user selects of socket events, apart from the events themselves and the filter: cgroups, network namespaces and interfaces by
 * their names, and sampling. Names are looked up once, at the start of the run.
 */
#ifndef TW_SOCKET_SELECTION_H
#define TW_SOCKET_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "producer/sockets/record.h"
#include "producer/tracer/tracer.h"

/* The events of messages, as bits: --sample and --max-cpu make them fewer, and --pid and --follow select them by their task. */
#define TW_SOCKET_OF_MESSAGES (1u << TW_SOCKTS_egress_ts | 1u << TW_SOCKTS_egress_stats | 1u << TW_SOCKTS_ingress_ts)

/* The wishes of the user. All zero: everything is selected. Several names of one kind select the sockets of each of them. */
struct tw_socket_selection {
	struct tw_words cgroups;    /* paths below the root of cgroup2, or below its mount point */
	struct tw_words containers; /* names or ids, as far as they are in the name of the container's cgroup */
	struct tw_words netns;      /* names of `ip netns`, or paths with a '/' */
	struct tw_words devices;    /* names of interfaces in the network namespace of this process */
	uint64_t sample;            /* one in this number of messages of each socket has events; 0 = all have */
	/* Fewer messages have events if the programs take more of the time of all CPUs, in 1e-9 percent; 0 = no limit */
	uint64_t max_cpu;
};

#define TW_SOCKET_NAMES_MAX TW_SOCKTS_CGROUPS_MAX /* limit for each kind of name; cgroups and containers are one kind */

/* What the names mean on this machine. */
struct tw_socket_selected {
	struct tw_sockts_cgroup cgroups[TW_SOCKET_NAMES_MAX];
	const char *cgroup_names[TW_SOCKET_NAMES_MAX]; /* as the user gave them; borrowed from the wishes */
	uint64_t netns_cookies[TW_SOCKET_NAMES_MAX];
	uint32_t ifindexes[TW_SOCKET_NAMES_MAX];
	uint32_t n_cgroups, n_netns, n_ifindexes;
	uint64_t own_netns; /* cookie of this process's network namespace; 0 if there are no interfaces */
};

/**
 * tw_socket_selection__resolve() - look up the names
 * Return: 0; -EINVAL or -ENOENT for a name that is invalid or unknown (a usage error); another -errno. @error has a sentence
 */
int tw_socket_selection__resolve(const struct tw_socket_selection *selection, struct tw_socket_selected *ret,
				 struct tw_error *error);

/** tw_socket_selection__given() - Return: the name of the first option that the user has given, such as "sample"; NULL = none */
const char *tw_socket_selection__given(const struct tw_socket_selection *selection);

/**
 * tw_socket_selection__check() - refuse options that have no effect on the selected events
 * @events: bits 1 << enum tw_sockts_event; 0 = no socket event is selected
 * Return: 0, or -EINVAL with @error filled
 */
int tw_socket_selection__check(const struct tw_socket_selection *selection, uint32_t events, struct tw_error *error);

/** tw_socket_selection__fini() - free the lists of names; the names are borrowed */
void tw_socket_selection__fini(struct tw_socket_selection *selection);

/** tw_socket_selected__events() - Return: bits 1 << enum tw_sockts_event of the events that can be selected by these names */
uint32_t tw_socket_selected__events(const struct tw_socket_selected *selected);

#endif
