/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic control: messages, the clsact qdisc of an interface, and its filters. Used inside xdp/ only.
 *
 * Messages are built and sent by libnl. libnl does not return the kernel's own error text, and libbpf's tc functions cannot ask for hardware,
 * so both are done here. Tracewire's filters have priorities of their own; a priority that another program uses is not taken.
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
	char text[160]; /* the kernel's text, or that of the errno */
};

/** tw_tc__open() - open a socket; free it with nl_socket_free() */
int tw_tc__open(struct nl_sock **ret, struct tw_error *error);

/* The object of a tc message. */
struct tw_tc_at {
	int ifindex;
	uint32_t parent, handle;
	uint32_t prio;
	uint16_t protocol; /* EtherType, host byte order */
};

#define TW_TC_INGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)
#define TW_TC_EGRESS  TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)

/** tw_tc__message() - begin a message; free it with nlmsg_free(). Return: NULL without memory */
struct nl_msg *tw_tc__message(int type, int flags, const struct tw_tc_at *at, const char *kind);

/** tw_tc__ask() - send @msg, free it, and wait for the answer; NULL means that there was no memory. Return: ret->err */
int tw_tc__ask(struct nl_sock *sk, struct nl_msg *msg, struct tw_answer *ret);

/* Called for each object of a dump, with its header and its attributes up to TCA_MAX. */
typedef void tw_tc_seen(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx);

#define TW_TC_PRIO 21591 /* "TW"; each hook adds its number; u32 uses one more, alternately */

/**
 * tw_clsact__plan() - determine, before the first filter is attached, what must be removed later
 *
 * Changes nothing in the kernel. The caller writes the state to its file first, so that cleanup can remove the objects if the process is
 * killed.
 *
 * Return: 0; -EEXIST if another program uses Tracewire's priorities; another -errno.
 */
int tw_clsact__plan(struct nl_sock *sk, struct tw_state *state, struct tw_error *error);

/** tw_clsact__add() - create the qdisc if there is none. Return: 0 or -errno */
int tw_clsact__add(struct nl_sock *sk, struct tw_state *state, struct tw_error *error);

/** tw_clsact__remove() - remove the qdisc if Tracewire made it and it has no filters, of ingress or egress */
void tw_clsact__remove(struct nl_sock *sk, const struct tw_state *state);

/** tw_filters__each() - visit ingress filters of that priority, 0 = all. Return: 0 or -errno */
int tw_filters__each(struct nl_sock *sk, int ifindex, uint32_t prio, tw_tc_seen *seen, void *ctx);

/** tw_filters__remove() - remove all filters of that priority. Return: 0, also if there was none; -errno */
int tw_filters__remove(struct nl_sock *sk, int ifindex, uint32_t prio, uint16_t protocol, const char *kind,
		       struct tw_error *error);

/** tw_filter__kind_is() - whether a filter of a dump is of that kind */
bool tw_filter__kind_is(struct nlattr *const *attrs, const char *kind);

#endif
