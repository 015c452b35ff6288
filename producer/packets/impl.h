/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to packets. */
#ifndef TW_PACKETS_IMPL_H
#define TW_PACKETS_IMPL_H

#include <bpf/libbpf.h>

#include "producer/bpf_kernel.h"
#include "producer/packets/measure.h"
#include "producer/packets/packets.h"

/* How programs are attached. TW_HOOK_QDISCS: to tracepoints, and one to the functions that put packets into queueing disciplines. */
enum tw_packet_hook_kind { TW_HOOK_TRACEPOINT, TW_HOOK_FENTRY, TW_HOOK_NETFILTER, TW_HOOK_CGROUP, TW_HOOK_QDISCS };

#define TW_HOOK_PROGRAMS_MAX 3

/* Programs that make an event, and what they are attached to. */
struct tw_packet_hook {
	enum tw_packet_event event;
	enum tw_packet_hook_kind kind;
	const char *programs[TW_HOOK_PROGRAMS_MAX]; /* names of functions of packets.bpf.c */
	const char *targets
		[TW_HOOK_PROGRAMS_MAX]; /* names of tracepoints or functions; for other kinds, a description for people */
};

/** tw_packet_hook__find() - the first hook for an event that this kernel permits. Return: NULL if there is none */
const struct tw_packet_hook *tw_packet_hook__find(const struct tw_bpf_kernel *kernel, enum tw_packet_event event);

#define TW_PACKET_CLONES_MAX 64
#define TW_PACKET_CLONE_NAME 48 /* bytes of the name of a function, with its NUL */

/* Copies of the program leaf_enqueued, one for the enqueue function of each kind of queueing discipline. */
struct tw_packet_clones {
	int programs[TW_PACKET_CLONES_MAX]; /* @n of them */
	char functions[TW_PACKET_CLONES_MAX][TW_PACKET_CLONE_NAME];
	size_t n;
	uint32_t last; /* number of the types of the last module that was searched */
	bool has_kernel;
};

/**
 * tw_packet_clones__load() - find the functions, in the kernel and its modules, and load a program for each
 * @program: was loaded for one of them
 * A later call finds those of modules that were loaded since. Functions that the kernel refuses are left out.
 * Return: 0; -E2BIG if there are too many; another -errno.
 */
int tw_packet_clones__load(struct tw_packet_clones *clones, struct btf *kernel, const struct bpf_program *program);
void tw_packet_clones__fini(struct tw_packet_clones *clones);

/** tw_packet_selection__resolve() - replace the names of a selection by numbers. Return: 0 or -errno with @error filled */
int tw_packet_selection__resolve(const struct tw_packets_selection *selection, struct tw_packet_selection *ret,
				 struct tw_error *error);

/** tw_netns__own() - Return: the number of this process's network namespace; 0 if it is unknown */
uint32_t tw_netns__own(void);

/* Names of events, by enum tw_packet_event. */
extern const char *const tw_packet_event_names[TW_PACKET_EVENTS];

/** tw_packet_event__value() - the name of the field that is the value of an event */
const char *tw_packet_event__value(enum tw_packet_event event);

/** tw_packet_field__find() - the bits of a field of an event. Return: 0 with @error filled if the event has no field of this name */
uint32_t tw_packet_field__find(enum tw_packet_event event, const char *name, struct tw_error *error);

/** tw_packet_field__name() - the name of the value of a field, given its bits. Return: TW_PAIR_NO_NAME without memory */
uint32_t tw_packet_field__name(uint32_t field, const struct tw_packet_fields *fields, struct tw_pair_names *names);

/** tw_packet_codepoint__name() - the name of ECN bits, as in RFC 3168. Return: as above */
uint32_t tw_packet_codepoint__name(uint8_t codepoint, struct tw_pair_names *names);

#endif
