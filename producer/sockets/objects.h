/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. The BPF objects of socket events: one for each file of programs, so that the kernel can refuse one of them without
 * the others. All objects have the same rings and counters, which belong to this process.
 */
#ifndef TW_SOCKET_OBJECTS_H
#define TW_SOCKET_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producer/sockets/impl.h"
#include "producer/sockets/phcs.h"
#include "producer/sockets/record.h"

#define TW_SOCKET_OBJECTS 10

struct bpf_object;
struct bpf_program;

struct tw_socket_objects {
	struct bpf_object *loaded[TW_SOCKET_OBJECTS];      /* NULL = not loaded */
	struct tw_sockts_cpu *cpus;                        /* TW_SOCKTS_CPUS_MAX counters; NULL = not mapped */
	int cpus_map, rings_map, doorbells_map, tasks_map; /* descriptors; -1 = none */
	int *rings, *doorbells;                            /* descriptors, one for each number of a CPU; 0 = none */
	struct tw_socket_phcs phcs;
	size_t n_cpus;
	size_t ring_size; /* bytes */
};

#define TW_SOCKET_OBJECTS_NONE                                                                   \
	{                                                                                        \
		.cpus_map = -1, .rings_map = -1, .doorbells_map = -1, .tasks_map = -1, .phcs = { \
			.map = -1,                                                               \
			.links = -1                                                              \
		}                                                                                \
	}

/**
 * tw_socket_objects__init() - create the rings, of at least @ring_size bytes, and the counters. Return: 0 or -errno; call the next in
 * either case
 */
int tw_socket_objects__init(struct tw_socket_objects *o, size_t ring_size);
void tw_socket_objects__fini(struct tw_socket_objects *o);

/**
 * tw_socket_objects__load() - load the programs of one object that @hooks, @n_hooks elements, name
 * @i: number of the object, less than TW_SOCKET_OBJECTS
 * Return: 0, also if no hook needs the object; -errno
 */
int tw_socket_objects__load(struct tw_socket_objects *o, size_t i, const struct tw_sockts_settings *settings,
			    const struct tw_socket_hook *const *hooks, size_t n_hooks);

/** tw_socket_objects__events() - Return: bits 1 << enum tw_sockts_event of the events that the programs of an object make */
uint32_t tw_socket_objects__events(size_t i);

/** tw_socket_objects__part() - Return: the part of these events, for people, such as " of TCP"; "" = all */
const char *tw_socket_objects__part(size_t i);

/**
 * tw_socket_objects__drop() - remove the hooks of an object, which the kernel refuses, from @hooks. Return: the number of those that are
 * left
 */
size_t tw_socket_objects__drop(size_t i, const struct tw_socket_hook **hooks, size_t n_hooks);

/** tw_socket_objects__program() - Return: descriptor of a loaded program, borrowed; -ENOENT */
int tw_socket_objects__program(const struct tw_socket_objects *o, const char *name);

/** tw_socket_objects__map() - Return: descriptor of a map of a loaded object, borrowed; -ENOENT */
int tw_socket_objects__map(const struct tw_socket_objects *o, const char *name);

/** tw_socket_objects__missed() - Return: number of events for which a program was skipped; TW_MISSED_UNKNOWN if it cannot be read */
uint64_t tw_socket_objects__missed(const struct tw_socket_objects *o);

/** tw_socket_objects__run_time() - Return: time that the programs ran while the kernel measured it (bpf_enable_stats()), ns */
uint64_t tw_socket_objects__run_time(const struct tw_socket_objects *o);

#endif
