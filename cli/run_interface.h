/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface that a run sends on: one that is there, or a veth pair made for the run and removed with it. */
#ifndef CLI_RUN_INTERFACE_H
#define CLI_RUN_INTERFACE_H

#include "base/error.h"
#include "vnet/tx.h"
#include "vnet/veth.h"

#define RUN_WIRE_NAME "tw" /* a number follows */

struct run_interface {
	char name[IFNAMSIZ]; /* where frames arrive, or the interface itself; "" = none yet */
	struct tw_iface iface;
	bool ours;                  /* made for the run */
	const uint8_t *destination; /* of frames, 6 bytes, for whoever opens sinks to set; NULL = the group address */
	char how[128];              /* transport of the first sink, for a status line */
};

/**
 * run_interface__create() - make a veth pair for a run
 * @name: NULL = the first of tw0, tw1 ... that is not there
 * @instance: the run's trace instance: who owns the veth pair
 * @queues: so many threads will send
 * Return: 0; -EEXIST if there is an interface of that name; another -errno; @error says which.
 */
int run_interface__create(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
			  struct tw_error *error);

/** run_interface__open() - the same, but an interface that is there is taken as it is */
int run_interface__open(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
			struct tw_error *error);

/** run_interface__reach() - of an interface that is there, or of the veth pair that is to be made; the furthest if nobody can tell */
enum tw_reach run_interface__reach(const char *name);

/** run_interface__sink() - a sink for a thread; where the interface has fewer queues than threads, the rest send by AF_PACKET */
int run_interface__sink(struct run_interface *veth, unsigned int thread, size_t frame_max, struct tw_sink **ret,
			struct tw_error *error);

/** run_interface__close() - remove the veth pair if it was made for the run. Return: 0, or -errno with @error filled */
int run_interface__close(struct run_interface *veth, struct tw_error *error);

#endif
