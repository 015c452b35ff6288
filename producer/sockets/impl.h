/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to sockets: the hooks of programs. */
#ifndef TW_SOCKETS_IMPL_H
#define TW_SOCKETS_IMPL_H

#include "producer/bpf_kernel.h"
#include "producer/sockets/record.h"
#include "producer/sockets/sockets.h"

enum tw_socket_hook_kind {
	TW_SOCKET_HOOK_TRACEPOINT,
	TW_SOCKET_HOOK_FUNCTION, /* at the entry or the end of a function */
	TW_SOCKET_HOOK_NETFILTER,
	TW_SOCKET_HOOK_INGRESS, /* of the root cgroup; also the four below */
	TW_SOCKET_HOOK_EGRESS,
	TW_SOCKET_HOOK_CREATE, /* a socket is created */
	TW_SOCKET_HOOK_SOCKOPS,
	TW_SOCKET_HOOK_EACH_TCP, /* run once for each TCP socket; sets flags that flags.h describes, with the sockops program before it */
};

/* For the programs that only wake-ups in sockts:ingress_ts need, instead of the bits of events. */
#define TW_SOCKET_WAKES (1u << TW_SOCKTS_EVENTS)

/* A program, and what it is attached to. */
struct tw_socket_hook {
	uint32_t events; /* bits 1 << enum tw_sockts_event of the events that need the program; or TW_SOCKET_WAKES */
	const char *
		stage; /* part of the events. Of the hooks with the same events and stage, the first permitted one is used */
	const char *program; /* name of its function in *.bpf.c */
	enum tw_socket_hook_kind kind;
	const char *target; /* name of the tracepoint or function; for other kinds, a description for people */
	int args_min;       /* number of arguments that the tracepoint must have at least */
	const char *needs;  /* name of a function that the kernel must have, for example a kfunc; NULL = none */
	const char *
		since; /* the first version of Linux that has all of this, for people; NULL = only older ones have it */
	const char *with; /* program without which this one is of no use; NULL = none */
};

/** tw_socket_hooks__choose() - list the hooks that the kernel permits for some events. @ret: @max elements. Return: their number */
size_t tw_socket_hooks__choose(const struct tw_bpf_kernel *kernel, uint32_t events, const struct tw_socket_hook **ret,
			       size_t max);

/** tw_socket_hooks__explain() - find out why the kernel permits no hook for events. @ret: the first stage whose hooks are for @events */
void tw_socket_hooks__explain(const struct tw_bpf_kernel *kernel, uint32_t events, struct tw_socket_stage *ret);

/**
 * tw_socket_hooks__stages() - list the stages of some events, and what the kernel permits for each
 * @events: bits of struct tw_socket_hook's @events
 * @used: @n_used hooks. Of a stage that the kernel permits without being one of these, @ret says that the kernel refuses its program
 * @needs_socket: the run does not use programs that do not know the socket, and @ret says so
 * @ret: @max elements. Return: their number
 */
size_t tw_socket_hooks__stages(const struct tw_bpf_kernel *kernel, uint32_t events,
			       const struct tw_socket_hook *const *used, size_t n_used, bool needs_socket,
			       struct tw_socket_stage *ret, size_t max);

/** tw_socket_hook__describe() - what the program is attached to, for people, such as "tracepoint kfree_skb" */
void tw_socket_hook__describe(const struct tw_socket_hook *hook, char *ret, size_t size);

/** tw_socket_hook__is_of_cgroup() - whether the program is attached to the root cgroup */
bool tw_socket_hook__is_of_cgroup(const struct tw_socket_hook *hook);

/** tw_socket_hook__has_no_socket() - whether the socket of a packet is not known yet when it passes the program */
bool tw_socket_hook__has_no_socket(const struct tw_socket_hook *hook);

#define TW_SOCKET_HOOKS_MAX 64

#endif
