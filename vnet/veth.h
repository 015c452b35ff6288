/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The veth pair: a veth pair. The veth pair NAME has two ends:
 *
 *   NAME-tx  where frames are sent; has a pfifo queue, which turns a slow receiver into back-pressure instead of loss
 *   NAME     where they arrive: what Wireshark, tc and XDP look at, since AF_XDP's sending is visible on the peer only
 *
 * Nothing but our frames is on it: no IPv6, no ARP. The interface alias of both ends says who owns the veth pair; veth pairs
 * whose alias does not begin with TW_VETH_OWNER are somebody else's and are never touched. All functions act in the
 * calling thread's network namespace.
 */
#ifndef TW_VETH_H
#define TW_VETH_H

#include <net/if.h>
#include <stdbool.h>

#include "base/error.h"

#define TW_VETH_OWNER     "tracewire " /* every owner text of ours begins so */
#define TW_VETH_OWNER_MAX 128          /* bytes of an owner text, NUL included */
#define TW_VETH_SUFFIX    "-tx"        /* of the end that sends */
#define TW_VETH_NAME_MAX  12           /* characters, so that the suffix still fits an interface name */
#define TW_VETH_MTU       9216         /* default, bytes */
#define TW_VETH_QUEUES    64           /* at most; one AF_XDP socket a queue */

struct tw_veth_options {
	const char *name; /* 1 to TW_VETH_NAME_MAX characters */
	const char
		*owner;   /* begins with TW_VETH_OWNER: "tracewire vnet" lasts, "tracewire run ..." ends with its run */
	unsigned int mtu; /* bytes; 0 = TW_VETH_MTU */
	unsigned int queues; /* 1 to TW_VETH_QUEUES; 0 = 1 */
};

/* A veth pair as it is. */
struct tw_veth {
	char name[IFNAMSIZ];    /* end where frames arrive; "" if it was moved to another namespace */
	char tx_name[IFNAMSIZ]; /* end that sends; "" likewise */
	int ifindex, tx_ifindex;
	char owner[TW_VETH_OWNER_MAX];
	unsigned int mtu;
	unsigned int queues;
	bool up; /* both ends */
};

/**
 * tw_veth__create() - make a veth pair, both ends up
 *
 * A failure half-way leaves nothing behind.
 *
 * Return: 0; -EEXIST if an interface NAME or NAME-tx is there already; -EINVAL for a name, an owner, an MTU or a queue
 * count that cannot be; -EPERM without CAP_NET_ADMIN; another -errno of the kernel's. @error says which.
 */
int tw_veth__create(const struct tw_veth_options *opts, struct tw_error *error);

/**
 * tw_veth__remove() - remove a veth pair, both ends
 * @name: the veth pair's name, without TW_VETH_SUFFIX
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM if it is not one of Tracewire's veth pairs, or without CAP_NET_ADMIN.
 */
int tw_veth__remove(const char *name, struct tw_error *error);

/**
 * tw_veth__remove_listed() - the same for a veth pair that tw_veth__list() told of
 *
 * Return: the same; -ENODEV also if it is another's by now, of the same name or number.
 */
int tw_veth__remove_listed(const struct tw_veth *veth, struct tw_error *error);

/**
 * tw_veth__list() - call back for every veth pair of ours
 * @cb: @veth pair is borrowed for the call; may call tw_veth__remove_listed()
 *
 * Return: 0, or -errno if the kernel cannot be asked.
 */
int tw_veth__list(void (*cb)(const struct tw_veth *veth, void *ctx), void *ctx, struct tw_error *error);

/* Where what is sent on an interface may come to, each further than the one before. */
enum tw_reach {
	TW_REACH_VETH, /* one of Tracewire's veth pairs, asked for where frames arrive: both ends are root's, and here */
	TW_REACH_HOST,    /* the other end, if any, is on this host; containers may have it, or a bridge may lead on */
	TW_REACH_NETWORK, /* hardware, or what may lead to some */
};

/* What to know of an interface before sending to it. */
struct tw_iface {
	char tx_name
		[IFNAMSIZ]; /* interface to send on: NAME-tx for one of Tracewire's veth pairs, else the interface itself */
	int ifindex;        /* of the interface asked for */
	enum tw_reach reach;
	bool up;             /* the one asked for */
	unsigned int mtu;    /* bytes */
	unsigned int queues; /* transmit queues of tx_name */
};

/**
 * tw_iface__find() - look up an interface by name
 *
 * Return: 0; -ENODEV if there is none of that name; another -errno if the kernel cannot be asked.
 */
int tw_iface__find(const char *name, struct tw_iface *ret, struct tw_error *error);

#endif
