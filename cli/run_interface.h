/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface on which a run sends: an existing one, or a veth pair that is created and removed with the run. */
#ifndef CLI_RUN_INTERFACE_H
#define CLI_RUN_INTERFACE_H

#include "base/error.h"
#include "vnet/tx.h"
#include "vnet/veth.h"

struct run_interface {
	char name[IFNAMSIZ]; /* end of the veth pair where frames arrive, or the existing interface; "" = none yet */
	struct tw_iface iface;
	bool ours; /* a veth pair created for the run */
	/* Destination Ethernet address of frames, 6 bytes, set by the caller before it opens sinks; NULL = the group address. */
	const uint8_t *destination;
	char how[128]; /* transport of the first sink, for a status line */
};

/**
 * run_interface__create() - create a veth pair for a run
 * @name: NULL = the first unused name of tw0 to tw99
 * @instance: the run's trace instance, which identifies the owner of the veth pair
 * @queues: number of sending threads; the veth pair has at most TW_VETH_QUEUES queues
 * Return: 0; -EEXIST if there is an interface of that name; another -errno; @error names the interface.
 */
int run_interface__create(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
			  struct tw_error *error);

/** run_interface__open() - use an existing interface unchanged; if there is none of that name, create a veth pair */
int run_interface__open(const char *name, const char *instance, unsigned int queues, struct run_interface *ret,
			struct tw_error *error);

/**
 * run_interface__reach() - how far frames sent to interface @name may get; if it does not exist, the reach of a new veth pair
 * Return: TW_REACH_NETWORK, the largest reach, if the reach is unknown.
 */
enum tw_reach run_interface__reach(const char *name);

/** run_interface__sink() - open a sink for a thread; threads for which the interface has no queue send with AF_PACKET */
int run_interface__sink(struct run_interface *veth, unsigned int thread, size_t frame_max, struct tw_sink **ret,
			struct tw_error *error);

/** run_interface__close() - remove the veth pair if the run created it. Return: 0, or -errno with @error filled */
int run_interface__close(struct run_interface *veth, struct tw_error *error);

#endif
