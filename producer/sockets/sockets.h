/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Socket events: the system `sockts`, whose events BPF programs make. The programs write records like those of a trace ring (record.h) to
 * one BPF ring for each CPU; bpf_ring.h reads them. Programs are attached by links, which the kernel removes when this process ends.
 *
 * hooks.c lists the programs of each event. Each file of programs, *.bpf.c, is an object of its own; objects.h describes how they are
 * loaded.
 */
#ifndef TW_SOCKETS_H
#define TW_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "producer/sockets/record.h"
#include "producer/sockets/selection.h"

struct tw_sockets;

struct tw_sockets_options {
	uint32_t events;            /* bits 1 << enum tw_sockts_event of the selected events */
	enum tw_sockts_clock clock; /* the stream's clock */
	size_t ring_size;           /* bytes of each CPU's ring; rounded up to a power of two that the kernel permits */
	bool wakes;                 /* wake-ups are traced, so sockts:ingress_ts has them, too */
	uint32_t sample;            /* one in this number of messages of each socket has events; 0 = all have */
	bool has_tasks;             /* only messages of tasks have events that are given to tw_sockets__follow() */
	uint64_t max_cpu;           /* as in struct tw_socket_selection */
	const struct tw_socket_selected *selected;     /* names that the user selects; NULL = everything */
	const struct tw_sockts_conditions *conditions; /* TW_SOCKTS_EVENTS of them; NULL = all events are made */
	uint32_t own_tgid; /* process whose own events are left out, in the initial pid namespace; 0 = none */
	int own_socket;    /* connected socket of UDP whose received datagrams are left out at both ends; 0 = none */
	/*
	 * Called by tw_sockets__new() and tw_sockets__attach() with one sentence for events that cannot be recorded, and by a thread when
	 * @max_cpu changes the number of messages that have events. May be NULL.
	 */
	void (*left_out)(void *ctx, const char *sentence);
	/* Number of signals so far that end the run: tw_sockets__attach() fails after one, also while it waits. May be NULL */
	int (*signals)(void *ctx);
	void *ctx;
};

/**
 * tw_sockets__new() - create the rings, and load the programs of the selected events; nothing is attached yet
 * Return: 0 if at least one event can be made; -EOPNOTSUPP if this kernel can make none of them; another -errno. After each failure, @error
 * has a sentence.
 */
int tw_sockets__new(const struct tw_sockets_options *wanted, struct tw_sockets **ret, struct tw_error *error);

/**
 * tw_sockets__follow() - select the messages of a thread, and of the threads and processes that it starts later. For runs with @has_tasks
 * @pid: its id in the initial pid namespace
 * Return: 0 or -errno
 */
int tw_sockets__follow(struct tw_sockets *sockets, uint32_t pid);

/** tw_sockets__ring() - get the map that is the ring of a CPU. Return: its descriptor, borrowed; -ENODEV if there is no such CPU */
int tw_sockets__ring(const struct tw_sockets *sockets, unsigned int cpu);

/**
 * tw_sockets__doorbell() - get what becomes readable when a program wakes the reader of a CPU's ring: one of the kernel's rings for BPF
 * programs, which has no records to read. Return: its descriptor, borrowed; -ENODEV if there is no such CPU
 */
int tw_sockets__doorbell(const struct tw_sockets *sockets, unsigned int cpu);

/** tw_sockets__cpus() - number of possible CPUs */
unsigned int tw_sockets__cpus(const struct tw_sockets *sockets);

/** tw_sockets__ring_size() - size of the data of each ring, bytes */
size_t tw_sockets__ring_size(const struct tw_sockets *sockets);

/** tw_sockets__cpu() - the counters of a CPU that has a ring; borrowed, and changed by the programs */
struct tw_sockts_cpu *tw_sockets__cpu(const struct tw_sockets *sockets, unsigned int cpu);

/**
 * tw_sockets__missed() - get the number of events for which the kernel did not call a program since tw_sockets__attach(), because the same
 * program was running on the same CPU. Not each call would have made an event. Called by any thread. Return: 0 or -errno
 */
int tw_sockets__missed(const struct tw_sockets *sockets, uint64_t *ret);

/**
 * tw_sockets__unfollowed() - number of tasks that --pid and --follow would select, but for which there was no room. Called by any thread
 */
uint64_t tw_sockets__unfollowed(const struct tw_sockets *sockets);

/** tw_sockets__unsampled() - number of messages that have no events because of @sample or @max_cpu. Called by any thread */
uint64_t tw_sockets__unsampled(const struct tw_sockets *sockets);

/** tw_sockets__thinned() - number of times that @max_cpu has changed the number of messages that have events. Called by any thread */
uint64_t tw_sockets__thinned(const struct tw_sockets *sockets);

/**
 * tw_sockets__attach() - begin to record the events in @events, bits as above
 * If the kernel refuses a program, the events that need it are left out, and the others are recorded.
 * Return: 0; -errno with @error filled if no event is recorded
 */
int tw_sockets__attach(struct tw_sockets *sockets, uint32_t events, struct tw_error *error);

/**
 * tw_sockets__update() - find the hardware clocks of new interfaces, and say which selected cgroups were removed
 * To be called once a second, by any one thread.
 */
void tw_sockets__update(struct tw_sockets *sockets);

/** tw_sockets__detach() - stop recording. No program runs any more when this returns, so the rings and counters stay as they are */
void tw_sockets__detach(struct tw_sockets *sockets);

/** tw_sockets__free() - detach, and free the rings and programs; NULL is fine */
void tw_sockets__free(struct tw_sockets *sockets);

#define TW_SOCKET_STAGES_MAX 64

/* A stage of socket events, and what its BPF program is attached to on this kernel. */
struct tw_socket_stage {
	uint32_t events;  /* bits 1 << enum tw_sockts_event */
	const char *name; /* of the stage, such as "l4" */
	char hook[128];   /* for people, such as "tracepoint kfree_skb"; "" = none */
	char lack[192];   /* why there is none, and what to do, as parts of a sentence; "" if there is one */
	char fix[64];
	bool lacks_mount; /* the kernel has it: only cgroup2 is not mounted */
};

/**
 * tw_socket_stages__find() - find what the running kernel has for each stage of all socket events. Nothing is attached.
 * @ret: @max elements; TW_SOCKET_STAGES_MAX are enough
 * Return: their number, or -errno with @error filled if this kernel can make no socket event
 */
int tw_socket_stages__find(struct tw_socket_stage *ret, size_t max, struct tw_error *error);

/**
 * tw_sockets__stages() - what the programs of a run are attached to, after tw_sockets__attach(), or will be, before it
 * @ret: @max elements; TW_SOCKET_STAGES_MAX are enough
 * Return: the number of stages of the selected events
 */
size_t tw_sockets__stages(const struct tw_sockets *sockets, struct tw_socket_stage *ret, size_t max);

/** tw_sockets__programs() - number of programs that are attached, after tw_sockets__attach(), or will be, before it */
size_t tw_sockets__programs(const struct tw_sockets *sockets);

/** tw_socket_stage__describe() - "sockts:drop, stage dropped: tracepoint kfree_skb", or, after "none: ", what the kernel lacks */
void tw_socket_stage__describe(const struct tw_socket_stage *stage, char *ret, size_t size);

#endif
