/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Veth pairs of Tracewire. The veth pair NAME has two ends:
 *
 *   NAME-tx  frames are sent here; it has a pfifo queue, which turns a slow receiver into back-pressure instead of loss
 *   NAME     frames arrive here; Wireshark, tc and XDP use this end, because frames sent by AF_XDP are visible at the peer only
 *
 * The pair uses neither ARP nor IPv6 addresses, so normally it carries only Tracewire's frames. The interface alias of both ends names the
 * owner. Veth pairs whose alias does not begin with TW_VETH_OWNER belong to other programs and are never touched. All functions act in the
 * calling thread's network namespace.
 */
#ifndef TW_VETH_H
#define TW_VETH_H

#include <net/if.h>
#include <stdbool.h>

#include "base/error.h"

#define TW_VETH_OWNER     "tracewire " /* prefix of each owner text */
#define TW_VETH_OWNER_MAX 128          /* bytes of an owner text, NUL included */
#define TW_VETH_SUFFIX    "-tx"        /* suffix of the name of the end that sends */
#define TW_VETH_NAME_MAX  12           /* characters, so that the suffix still fits an interface name */
#define TW_VETH_MTU       9216         /* default, bytes */
#define TW_VETH_QUEUES    64           /* largest number of queues; each can have one AF_XDP socket */

struct tw_veth_options {
	const char *name; /* 1 to TW_VETH_NAME_MAX characters */
	/*
	 * Begins with TW_VETH_OWNER. A pair with the owner "tracewire vnet" stays; a pair with the owner "tracewire run ..." is removed
	 * when its run ends.
	 */
	const char *owner;
	unsigned int mtu;    /* bytes; 0 = TW_VETH_MTU */
	unsigned int queues; /* 1 to TW_VETH_QUEUES; 0 = 1 */
};

/* The properties of an existing veth pair. */
struct tw_veth {
	char name[IFNAMSIZ];    /* end where frames arrive; "" if it was moved to another namespace */
	char tx_name[IFNAMSIZ]; /* end that sends; "" if it was moved to another namespace */
	int ifindex, tx_ifindex;
	char owner[TW_VETH_OWNER_MAX];
	unsigned int mtu;
	unsigned int queues;
	bool up; /* both ends are up, or the only end in this namespace is */
};

/**
 * tw_veth__create() - make a veth pair, both ends up
 *
 * A failure leaves no interface.
 *
 * Return: 0; -EEXIST if an interface NAME or NAME-tx exists; -EINVAL for an invalid name, owner, MTU or number of queues; -EPERM without
 * CAP_NET_ADMIN; another -errno of the kernel, with @error filled.
 */
int tw_veth__create(const struct tw_veth_options *opts, struct tw_error *error);

/**
 * tw_veth__remove() - remove both ends of a veth pair
 * @name: the veth pair's name, without TW_VETH_SUFFIX
 *
 * Return: 0; -EINVAL if @name ends in TW_VETH_SUFFIX; -ENODEV if there is no such interface; -EPERM if the interface is not one of
 * Tracewire's veth pairs, or without CAP_NET_ADMIN; another -errno.
 */
int tw_veth__remove(const char *name, struct tw_error *error);

/**
 * tw_veth__remove_listed() - remove a veth pair that tw_veth__list() has listed
 *
 * Return: as tw_veth__remove(); -ENODEV also if the interface of that name has another owner now.
 */
int tw_veth__remove_listed(const struct tw_veth *veth, struct tw_error *error);

/**
 * tw_veth__list() - call @cb for each of Tracewire's veth pairs that has an end in this network namespace
 * @cb: may call tw_veth__remove_listed(); @veth is borrowed until @cb returns
 *
 * Return: 0, or -errno of the kernel.
 */
int tw_veth__list(void (*cb)(const struct tw_veth *veth, void *ctx), void *ctx, struct tw_error *error);

/* How far frames sent to an interface may get, in increasing order. */
enum tw_reach {
	TW_REACH_VETH, /* only the receiving end of a Tracewire veth pair: this end was looked up, and both ends are here */
	TW_REACH_HOST, /* the other end, if any, is on this host; a container may own it, or a bridge may forward frames */
	TW_REACH_NETWORK, /* hardware, or an interface that may lead to it */
};

/* The properties of an interface that matter for sending to it. */
struct tw_iface {
	char tx_name
		[IFNAMSIZ]; /* interface to send to: NAME-tx for one of Tracewire's veth pairs, otherwise the interface itself */
	int ifindex; /* of the interface that was looked up */
	enum tw_reach reach;
	bool up;             /* the interface that was looked up is up */
	unsigned int mtu;    /* bytes */
	unsigned int queues; /* transmit queues of tx_name */
};

/**
 * tw_iface__find() - look up an interface by name
 *
 * Return: 0; -ENODEV if there is none of that name; another -errno of the kernel.
 */
int tw_iface__find(const char *name, struct tw_iface *ret, struct tw_error *error);

#endif
