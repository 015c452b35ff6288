/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic control: netlink messages, the clsact qdisc of an interface, and its filters. Used inside xdp/ only.
 *
 * libnl sends the messages. libnl does not return the kernel's error texts, so tc.c reads them from the kernel's answers. libbpf's tc
 * functions are not used, because they cannot request hardware offload. Tracewire's filters have priorities of their own. If another
 * program uses one of these priorities, attaching fails.
 */
#ifndef TW_TC_H
#define TW_TC_H

#include <linux/pkt_sched.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>

#include "base/error.h"
#include "xdp/state.h"

/* The kernel's answer to a request. */
struct tw_answer {
	int err;        /* 0 or -errno */
	char text[160]; /* the kernel's error text, or the text of the errno */
};

/** tw_tc__open() - open a socket; free it with nl_socket_free(). Return: 0 or -EIO, with @error filled */
int tw_tc__open(struct nl_sock **ret, struct tw_error *error);

/* The object that a tc message is about: a qdisc or a filter. */
struct tw_tc_at {
	int ifindex;
	uint32_t parent, handle;
	uint32_t prio;
	uint16_t protocol; /* EtherType, host byte order */
};

#define TW_TC_INGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)
#define TW_TC_EGRESS  TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)

/** tw_tc__message() - begin a message. @kind: qdisc or filter kind, or NULL. Return: free with nlmsg_free(); NULL if out of memory */
struct nl_msg *tw_tc__message(int type, int flags, const struct tw_tc_at *at, const char *kind);

/** tw_tc__ask() - send @msg, free it, and wait for the answer. If @msg is NULL, the error is -ENOMEM. Return: ret->err */
int tw_tc__ask(struct nl_sock *sk, struct nl_msg *msg, struct tw_answer *ret);

/* A callback for each object of a dump. @head: the object's header; @attrs: its attributes, indexed by TCA_*. */
typedef void tw_tc_seen(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx);

/*
 * The letters "TW" as a number. A filter has the priority TW_TC_PRIO + enum tw_attach_place. u32 has a second priority, TW_TC_PRIO +
 * TW_ATTACH_PLACES: a new set of u32 filters gets the one that the old set does not have.
 */
#define TW_TC_PRIO 21591

/** tw_qdiscs__each() - visit the qdiscs of all interfaces. Return: 0, or -errno with @error filled */
int tw_qdiscs__each(struct nl_sock *sk, tw_tc_seen *seen, void *ctx, struct tw_error *error);

/** tw_clsact__add() - create the clsact qdisc if the interface has none, and set made_clsact of the state. Return: 0 or -errno */
int tw_clsact__add(struct nl_sock *sk, struct tw_state *state, struct tw_error *error);

/**
 * tw_clsact__remove() - remove the clsact qdisc if Tracewire created it, and it has no filters at ingress or egress
 * Return: 0, also if there was no such qdisc; -errno.
 */
int tw_clsact__remove(struct nl_sock *sk, const struct tw_state *state, struct tw_error *error);

/** tw_filters__each() - visit the ingress filters with a priority of the interface of a classifier. Return: 0 or -errno */
int tw_filters__each(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, tw_tc_seen *seen, void *ctx,
		     struct tw_error *error);

/** tw_filters__remove() - remove all ingress filters with a priority. Return: 0, also if there was no filter; -errno */
int tw_filters__remove(struct nl_sock *sk, int ifindex, uint32_t prio, uint16_t protocol, const char *kind,
		       struct tw_error *error);

/** tw_filter__kind_is() - whether a filter of a dump has the kind @kind */
bool tw_filter__kind_is(struct nlattr *const *attrs, const char *kind);

#endif
