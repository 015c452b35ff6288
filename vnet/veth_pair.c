/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/veth_pair.h"

#include <fcntl.h>
#include <linux/if_link.h>
#include <netlink/route/link/inet6.h>
#include <netlink/route/link/veth.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/qdisc/fifo.h>
#include <netlink/route/tc.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* Frames that wait on the sending end while the receiver is slow. */
#define QUEUE_LIMIT 1000

static void describe_end(struct rtnl_link *end, const char *name, const struct tw_wire_options *o)
{
	const unsigned int queues = o->queues ? o->queues : 1;

	rtnl_link_set_name(end, name);
	rtnl_link_set_mtu(end, o->mtu ? o->mtu : TW_WIRE_MTU);
	rtnl_link_set_num_tx_queues(end, queues);
	rtnl_link_set_num_rx_queues(end, queues);
}

static int add_pair(struct nl_sock *sk, const struct tw_wire_options *o, const char *tx_name)
{
	struct rtnl_link *view = rtnl_link_veth_alloc(), *tx;
	int code;

	if (!view)
		return -NLE_NOMEM;
	tx = rtnl_link_veth_get_peer(view);
	describe_end(view, o->name, o);
	describe_end(tx, tx_name, o);
	code = rtnl_link_add(sk, view, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_link_put(tx);
	rtnl_link_veth_release(view);
	return code;
}

/* What rtnl_link_change() applies to an interface that exists, in one step of its own. */
static int change(struct nl_sock *sk, const char *name, struct rtnl_link *changes)
{
	struct rtnl_link *link;
	int code = tw_netlink__get_link(sk, name, &link);

	if (code < 0)
		return code;
	code = rtnl_link_change(sk, link, changes, 0);
	rtnl_link_put(link);
	return code;
}

/* The kernel takes an alias only from an interface that is there. */
static int set_owner(struct nl_sock *sk, const char *name, const char *owner)
{
	struct rtnl_link *changes = rtnl_link_alloc();
	int code;

	if (!changes)
		return -NLE_NOMEM;
	rtnl_link_set_ifalias(changes, owner);
	code = change(sk, name, changes);
	rtnl_link_put(changes);
	return code;
}

static int move(struct nl_sock *sk, const char *name, int namespace)
{
	struct rtnl_link *changes = rtnl_link_alloc();
	int code;

	if (!changes)
		return -NLE_NOMEM;
	rtnl_link_set_ns_fd(changes, namespace);
	code = change(sk, name, changes);
	rtnl_link_put(changes);
	return code;
}

static void *enter_workshop(void *ret)
{
	if (!unshare(CLONE_NEWNET) && tw_netlink__open(ret, NULL))
		*(struct nl_sock **)ret = NULL;
	return NULL;
}

/*
 * A network namespace that lives as long as its only socket, and so no longer than we do. Opened by a thread of its own, as
 * entering it concerns the calling thread only. Return: NULL without CAP_SYS_ADMIN.
 */
static struct nl_sock *open_workshop(void)
{
	struct nl_sock *sk = NULL;
	pthread_t thread;

	if (!pthread_create(&thread, NULL, enter_workshop, &sk))
		pthread_join(thread, NULL);
	return sk;
}

static int make_owned(struct nl_sock *sk, const struct tw_wire_options *o, const char *tx_name, const char **ret_step)
{
	int code;

	*ret_step = "making a veth pair";
	code = add_pair(sk, o, tx_name);
	if (code < 0)
		return code;
	*ret_step = "naming its owner";
	code = set_owner(sk, o->name, o->owner);
	if (code >= 0)
		code = set_owner(sk, tx_name, o->owner);
	if (code < 0)
		tw_pair__remove(sk, o->name);
	return code;
}

/* The end that is left behind, if the second cannot follow the first, takes the other one along when its namespace goes. */
static int make_elsewhere(struct nl_sock *workshop, int home, const struct tw_wire_options *o, const char *tx_name,
			  const char **ret_step)
{
	int code = make_owned(workshop, o, tx_name, ret_step);

	if (code < 0)
		return code;
	*ret_step = "moving it to this network namespace";
	code = move(workshop, o->name, home);
	return code < 0 ? code : move(workshop, tx_name, home);
}

int tw_pair__create(struct nl_sock *sk, const struct tw_wire_options *o, const char *tx_name, const char **ret_step)
{
	struct nl_sock *workshop = open_workshop();
	const int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int code;

	if (workshop && home >= 0)
		code = make_elsewhere(workshop, home, o, tx_name, ret_step);
	else
		code = make_owned(sk, o, tx_name, ret_step);
	if (home >= 0)
		close(home);
	nl_socket_free(workshop);
	return code;
}

/* Without a link-local address IPv6 sends nothing; without IPv6 in the kernel there is nothing to silence. */
static int silence_ipv6(struct nl_sock *sk, const char *name)
{
	struct rtnl_link *changes = rtnl_link_alloc();
	int code;

	if (!changes)
		return -NLE_NOMEM;
	code = rtnl_link_inet6_set_addr_gen_mode(changes, IN6_ADDR_GEN_MODE_NONE);
	if (code == 0)
		code = change(sk, name, changes);
	rtnl_link_put(changes);
	return code == -NLE_AF_NOSUPPORT || code == -NLE_OPNOTSUPP ? 0 : code;
}

static int set_queue(struct nl_sock *sk, const char *name)
{
	struct rtnl_qdisc *pfifo = rtnl_qdisc_alloc();
	struct rtnl_link *link;
	int code;

	if (!pfifo)
		return -NLE_NOMEM;
	code = tw_netlink__get_link(sk, name, &link);
	if (code < 0)
		goto out;
	rtnl_tc_set_link(TC_CAST(pfifo), link);
	rtnl_tc_set_parent(TC_CAST(pfifo), TC_H_ROOT);
	code = rtnl_tc_set_kind(TC_CAST(pfifo), "pfifo");
	if (code == 0)
		code = rtnl_qdisc_fifo_set_limit(pfifo, QUEUE_LIMIT);
	if (code == 0)
		code = rtnl_qdisc_add(sk, pfifo, NLM_F_CREATE | NLM_F_REPLACE);
	rtnl_link_put(link);
out:
	rtnl_qdisc_put(pfifo);
	return code;
}

static int bring_up(struct nl_sock *sk, const char *name)
{
	struct rtnl_link *changes = rtnl_link_alloc();
	int code;

	if (!changes)
		return -NLE_NOMEM;
	rtnl_link_set_flags(changes, IFF_UP | IFF_NOARP);
	code = change(sk, name, changes);
	rtnl_link_put(changes);
	return code;
}

int tw_pair__set_up(struct nl_sock *sk, const char *view, const char *tx, const char **ret_step)
{
	const char *const ends[] = { view, tx };
	int code = 0;

	*ret_step = "silencing IPv6 on it";
	for (size_t i = 0; code >= 0 && i < 2; i++)
		code = silence_ipv6(sk, ends[i]);
	if (code < 0)
		return code;
	*ret_step = "giving it a pfifo queue";
	code = set_queue(sk, tx);
	if (code < 0)
		return code;
	*ret_step = "bringing it up";
	for (size_t i = 0; code >= 0 && i < 2; i++)
		code = bring_up(sk, ends[i]);
	return code;
}

int tw_pair__remove(struct nl_sock *sk, const char *view)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int code;

	if (!link)
		return -NLE_NOMEM;
	rtnl_link_set_name(link, view);
	code = rtnl_link_delete(sk, link);
	rtnl_link_put(link);
	return code;
}
