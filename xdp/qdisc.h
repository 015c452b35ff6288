/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queueing disciplines of the interfaces in the network namespace of the thread, as `tc qdisc` shows them. */
#ifndef TW_QDISC_H
#define TW_QDISC_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TW_QDISC_KIND_MAX 32 /* bytes of the name of a kind, with its NUL */

struct tw_qdisc {
	int ifindex;
	uint32_t handle, parent; /* TC_H_* of linux/pkt_sched.h; the root has the parent TC_H_ROOT */
	char kind[TW_QDISC_KIND_MAX];
	char device[IFNAMSIZ];
};

struct tw_qdiscs {
	struct tw_qdisc *items; /* @n of them; those of an interface are consecutive, its root is the first */
	size_t n;
};

/** tw_qdiscs__read() - ask the kernel. @ret: release with tw_qdiscs__fini(). Return: 0, or -errno with @error filled */
int tw_qdiscs__read(struct tw_qdiscs *ret, struct tw_error *error);

/** tw_qdiscs__fini() - free the list */
void tw_qdiscs__fini(struct tw_qdiscs *qdiscs);

/** tw_qdiscs__next() - the root after @root in the list; the first root if @root is NULL. Return: NULL after the last one */
const struct tw_qdisc *tw_qdiscs__next(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root);

/** tw_qdiscs__root() - the root of an interface. Return: NULL if it has none, such as an interface that was never up */
const struct tw_qdisc *tw_qdiscs__root(const struct tw_qdiscs *qdiscs, int ifindex);

/**
 * tw_qdiscs__queues() - whether a qdisc of this kind has the qdisc_enqueue events of an interface
 * The root has these events. If the root has a qdisc for each transmit queue, as mq has, these qdiscs have the events instead.
 */
bool tw_qdiscs__queues(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root, const char *kind);

/** tw_qdiscs__describe() - the kind of a root and the kinds of the other qdiscs of its interface, as in "mq with fq_codel". Return: @buf */
const char *tw_qdiscs__describe(const struct tw_qdiscs *qdiscs, const struct tw_qdisc *root, char *buf, size_t size);

#endif
