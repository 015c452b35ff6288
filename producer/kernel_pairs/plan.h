/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to kernel_pairs. What the event of each tracepoint does to the pairs: its roles, bound to the format of the event, in the order
 * in which they are played. Everything that a BPF program at a tracepoint cannot do is refused here.
 */
#ifndef TW_KERNEL_PLAN_H
#define TW_KERNEL_PLAN_H

#include "filter/tree.h"
#include "pairs/binding.h"
#include "pairs/figures.h"
#include "producer/kernel_pairs/kernel_pairs.h"
#include "producer/packets/packets.h"
#include "schema/schema.h"

#define TW_KERNEL_ROLES_MAX   255  /* roles of a pair: an event without its system can be of several systems */
#define TW_KERNEL_CONTEXT_MAX 8192 /* bytes of a record that a program can read: PERF_MAX_TRACE_SIZE of the kernel */

/* The event from which the value of a group is read. */
enum tw_kernel_by {
	TW_KERNEL_BY_BEGIN,
	TW_KERNEL_BY_END,
	TW_KERNEL_BY_EITHER, /* the event that begins, if it has the value; otherwise the event that ends */
};

struct tw_kernel_pair {
	struct tw_pair_figures figures;
	unsigned int index; /* among the pairs */
	bool is_of_packets; /* has an event of packets/, and no role */
	bool is_left_out;   /* this kernel cannot measure it */
	size_t n_keys;
	uint8_t by_from[TW_PAIR_KEYS_MAX]; /* enum tw_kernel_by */
	unsigned int n_roles;
	bool in_task; /* the only key of all events is the pid of the current task, so that a beginning can be stored with the task */
	struct tw_error note; /* why the pair is left out, or has no groups; "" = it has those that it defines */
	uint64_t open;        /* beginnings without an end so far */
};

/* What the event of a tracepoint does to a pair. */
struct tw_kernel_role {
	struct tw_kernel_pair *pair;
	const struct tw_format *format;
	uint8_t number;                 /* of the role in its pair, from 1 */
	struct tw_pair_binding binding; /* common_pid is replaced by TW_PAIR_PID */
	bool by_task;                   /* a key is the pid of the current task */
	struct tw_schema *view;         /* with only @format, because a condition can name no field of another event */
	struct tw_bound *bound;
	const struct tw_node *condition; /* of @bound; a TEST, AND or OR; NULL = none */
	bool never;                      /* the condition is never true */
	struct tw_print *print;          /* for values with names; NULL until needed */
};

struct tw_tracepoint {
	const struct tw_format *format;
	const struct tw_node *filter; /* as the condition of a role */
	struct tw_kernel_role *
		*roles; /* @n_roles of them, in the order in which they are played; 0 = no program is needed */
	size_t n_roles;
};

struct tw_kernel_plan {
	struct tw_schema *formats;
	struct tw_bound *filter;
	struct tw_error filter_note; /* as from tw_filter__ambiguous_key() */
	struct tw_kernel_pair *pairs;
	size_t n_pairs;
	struct tw_tracepoint *tracepoints; /* one for each format */
	size_t n_tracepoints;
	struct tw_kernel_role **roles; /* of all tracepoints; owned */
	size_t n_roles;
	size_t n_of_packets;        /* pairs that have is_of_packets */
	struct tw_packets *packets; /* of the pairs that have is_of_packets; NULL = there are none */
};

/**
 * tw_kernel_plan__make() - find the events of the pairs, and bind their roles
 * @ret: call tw_kernel_plan__fini() also after an error
 * Return: as tw_kernel_pairs__new().
 */
int tw_kernel_plan__make(const struct tw_kernel_pairs_options *options, struct tw_kernel_plan *ret,
			 struct tw_error *error);

/** tw_kernel_plan__fini() - free what the plan has */
void tw_kernel_plan__fini(struct tw_kernel_plan *plan);

#endif
