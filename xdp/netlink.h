/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of the traffic control, built and sent by libnl, with the kernel's own error. Used inside xdp/ only. */
#ifndef TW_XDP_NETLINK_H
#define TW_XDP_NETLINK_H

#include <linux/pkt_sched.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "base/error.h"

/* What the kernel said to a request. */
struct tw_answer {
	int code;       /* 0 or -errno */
	char text[160]; /* its own words, or what the errno means */
};

/** tw_tc__open() - a socket; nl_socket_free() */
int tw_tc__open(struct nl_sock **ret, struct tw_error *err);

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

/** tw_tc__ask() - send it and wait for the answer; @msg is freed, NULL stands for no memory. Return: ret->code */
int tw_tc__ask(struct nl_sock *sk, struct nl_msg *msg, struct tw_answer *ret);

/* One thing of a dump: its head and its attributes up to TCA_MAX. */
typedef void tw_tc_seen(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx);

/** tw_tc__dump() - ask for a list; @msg is freed. Return: 0 or -errno */
int tw_tc__dump(struct nl_sock *sk, struct nl_msg *msg, tw_tc_seen *seen, void *ctx);

#endif
