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

/* What the kernel said to a request. */
struct tw_answer {
	int err;        /* 0 or -errno */
	char text[160]; /* its own words, or what the errno means */
};

/** tw_tc__open() - a socket; nl_socket_free() */
int tw_tc__open(struct nl_sock **ret, struct tw_error *error);

/* Where a message of the traffic control is about. */
struct tw_tc_at {
	int ifindex;
	uint32_t parent, handle;
	uint32_t prio;
	uint16_t protocol; /* EtherType, host byte order */
};

#define TW_TC_INGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)
#define TW_TC_EGRESS  TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)

/** tw_tc__message() - begin a message; nlmsg_free(). Return: NULL without memory */
struct nl_msg *tw_tc__message(int type, int flags, const struct tw_tc_at *at, const char *kind);

/** tw_tc__ask() - send it and wait for the answer; @msg is freed, NULL stands for no memory. Return: ret->err */
int tw_tc__ask(struct nl_sock *sk, struct nl_msg *msg, struct tw_answer *ret);

/* One thing of a dump: its head and its attributes up to TCA_MAX. */
typedef void tw_tc_seen(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx);

/** tw_tc__dump() - ask for a list; @msg is freed. Return: 0 or -errno */
int tw_tc__dump(struct nl_sock *sk, struct nl_msg *msg, tw_tc_seen *seen, void *ctx);

#define TW_TC_PRIO 21591 /* "TW"; a place has it plus its number, u32 one more, in turns */

/**
 * tw_clsact__plan() - before the first filter is attached: what there will be to remove
 *
 * Nothing is changed yet. The state has the answer written to its file first: whoever is killed in between leaves no riddle.
 *
 * Return: 0; -EEXIST if somebody else has our priorities; another -errno.
 */
int tw_clsact__plan(struct nl_sock *sk, struct tw_state *state, struct tw_error *error);

/** tw_clsact__add() - see that there is one. Return: 0 or -errno */
int tw_clsact__add(struct nl_sock *sk, struct tw_state *state, struct tw_error *error);

/** tw_clsact__remove() - if it is ours and no filter is left there, neither of ingress nor of egress */
void tw_clsact__remove(struct nl_sock *sk, const struct tw_state *state);

/** tw_filters__each() - filters of ingress with that priority, 0 = all. Return: 0 or -errno */
int tw_filters__each(struct nl_sock *sk, int ifindex, uint32_t prio, tw_tc_seen *seen, void *ctx);

/** tw_filters__are_at() - whether anything has that priority */
bool tw_filters__are_at(struct nl_sock *sk, int ifindex, uint32_t prio);

/** tw_filters__remove() - all of that priority. Return: 0, also if there was none; -errno */
int tw_filters__remove(struct nl_sock *sk, int ifindex, uint32_t prio, uint16_t protocol, const char *kind,
		       struct tw_error *error);

/** tw_filter__kind_is() - whether a filter of a dump is of that kind */
bool tw_filter__kind_is(struct nlattr *const *attrs, const char *kind);

#endif
