/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/veth.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <netlink/cache.h>
#include <netlink/route/link.h>
#include <netlink/route/link/inet6.h>
#include <netlink/route/link/veth.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/qdisc/fifo.h>
#include <netlink/route/tc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vnet/netlink.h"

/* Limit of the frames that wait at the sending end for a slow receiver. */
#define QUEUE_LIMIT 1000

static bool is_tx_name(const char *name)
{
	const size_t len = strlen(name), suffix = strlen(TW_VETH_SUFFIX);

	return len > suffix && strcmp(name + len - suffix, TW_VETH_SUFFIX) == 0;
}

static void tx_name_of(const char *name, char ret[static IFNAMSIZ])
{
	snprintf(ret, IFNAMSIZ, "%.*s%s", TW_VETH_NAME_MAX, name, TW_VETH_SUFFIX);
}

static void describe_end(struct rtnl_link *end, const char *name, const struct tw_veth_options *o)
{
	const unsigned int queues = o->queues ? o->queues : 1;

	rtnl_link_set_name(end, name);
	rtnl_link_set_mtu(end, o->mtu ? o->mtu : TW_VETH_MTU);
	rtnl_link_set_num_tx_queues(end, queues);
	rtnl_link_set_num_rx_queues(end, queues);
}

static int add_pair(struct nl_sock *sk, const struct tw_veth_options *o, const char *tx_name)
{
	struct rtnl_link *rx = rtnl_link_veth_alloc(), *tx;
	int code;

	if (!rx)
		return -NLE_NOMEM;
	tx = rtnl_link_veth_get_peer(rx);
	describe_end(rx, o->name, o);
	describe_end(tx, tx_name, o);
	code = rtnl_link_add(sk, rx, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_link_put(tx);
	rtnl_link_veth_release(rx);
	return code;
}

/* Changes an existing interface. @changes: released here; NULL = there was no memory for it */
static int change(struct nl_sock *sk, const char *name, struct rtnl_link *changes)
{
	struct rtnl_link *link;
	int code = changes ? tw_netlink__get_link(sk, name, &link) : -NLE_NOMEM;

	if (code >= 0) {
		code = rtnl_link_change(sk, link, changes, 0);
		rtnl_link_put(link);
	}
	rtnl_link_put(changes);
	return code;
}

static int set_owner(struct nl_sock *sk, const char *name, const char *owner)
{
	struct rtnl_link *changes = rtnl_link_alloc();

	if (changes)
		rtnl_link_set_ifalias(changes, owner);
	return change(sk, name, changes);
}

static int move(struct nl_sock *sk, const char *name, int netns)
{
	struct rtnl_link *changes = rtnl_link_alloc();

	if (changes)
		rtnl_link_set_ns_fd(changes, netns);
	return change(sk, name, changes);
}

static void *enter_new_netns(void *ret)
{
	if (!unshare(CLONE_NEWNET) && tw_netlink__open(ret, NULL))
		*(struct nl_sock **)ret = NULL;
	return NULL;
}

/*
 * Opens a netlink socket in a new network namespace. The kernel destroys the namespace when the socket is closed, at the latest when this
 * process ends. A new thread opens the socket, because unshare() moves only the thread that calls it. Return: NULL on failure, for example
 * without CAP_SYS_ADMIN.
 */
static struct nl_sock *open_new_netns(void)
{
	struct nl_sock *sk = NULL;
	pthread_t thread;

	if (!pthread_create(&thread, NULL, enter_new_netns, &sk))
		pthread_join(thread, NULL);
	return sk;
}

static int open_this_netns(void)
{
	return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

static int pair__remove(struct nl_sock *sk, const char *name)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int code;

	if (!link)
		return -NLE_NOMEM;
	rtnl_link_set_name(link, name);
	code = rtnl_link_delete(sk, link);
	rtnl_link_put(link);
	return code;
}

static int make_owned(struct nl_sock *sk, const struct tw_veth_options *o, const char *tx_name, const char **ret_step)
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
		pair__remove(sk, o->name);
	return code;
}

/*
 * Makes the pair in the new namespace, and moves both ends to @netns. If an end cannot be moved, the kernel removes both ends when it
 * destroys the new namespace.
 */
static int make_and_move(struct nl_sock *new_netns, int netns, const struct tw_veth_options *o, const char *tx_name,
			 const char **ret_step)
{
	int code = make_owned(new_netns, o, tx_name, ret_step);

	if (code < 0)
		return code;
	*ret_step = "moving it to this network namespace";
	code = move(new_netns, o->name, netns);
	return code < 0 ? code : move(new_netns, tx_name, netns);
}

/*
 * Makes the two interfaces, down, with the owner's alias. @ret_step: the last step, in words that "failed" can follow; also set on failure.
 *
 * The kernel sets an alias only on an existing interface. Therefore the pair is made, and gets its owner, in a new network namespace, which
 * the kernel destroys when this process ends. Then it is moved to this namespace. If the process is killed at any time, the pair is gone or
 * has an owner. Moving requires CAP_SYS_ADMIN. Without it, the pair is made in this namespace, and a kill between two steps can leave a
 * pair without owner.
 */
static int pair__create(struct nl_sock *sk, const struct tw_veth_options *o, const char *tx_name, const char **ret_step)
{
	struct nl_sock *new_netns = open_new_netns();
	const int netns = open_this_netns();
	int code;

	if (new_netns && netns >= 0)
		code = make_and_move(new_netns, netns, o, tx_name, ret_step);
	else
		code = make_owned(sk, o, tx_name, ret_step);
	if (netns >= 0)
		close(netns);
	nl_socket_free(new_netns);
	return code;
}

/* Makes IPv6 send no packets on an interface: it gets no link-local address. A kernel without IPv6 needs no change. */
static int silence_ipv6(struct nl_sock *sk, const char *name)
{
	struct rtnl_link *changes = rtnl_link_alloc();
	int code = changes ? rtnl_link_inet6_set_addr_gen_mode(changes, IN6_ADDR_GEN_MODE_NONE) : 0;

	if (code == 0)
		code = change(sk, name, changes);
	else
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

	if (changes)
		rtnl_link_set_flags(changes, IFF_UP | IFF_NOARP);
	return change(sk, name, changes);
}

/* Disables IPv6, sets the queue, brings both ends up. */
static int pair__set_up(struct nl_sock *sk, const char *rx, const char *tx, const char **ret_step)
{
	const char *const ends[] = { rx, tx };
	int code = 0;

	*ret_step = "disabling IPv6 on it";
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

#define MTU_MIN 256
#define MTU_MAX 65535 /* of a veth */

static bool name_is_valid(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isgraph((unsigned char)*c) || strchr("/:%", *c))
			return false;
	return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check_name(const char *name, struct tw_error *error)
{
	if (strlen(name) > TW_VETH_NAME_MAX)
		return tw_error__set(
			error, -EINVAL,
			"a veth pair cannot be named %s: the name may have at most %d characters, because the other "
			"end is NAME%s",
			name, TW_VETH_NAME_MAX, TW_VETH_SUFFIX);
	if (!name_is_valid(name))
		return tw_error__set(
			error, -EINVAL,
			"a veth pair cannot be named \"%s\": use ASCII letters, digits and punctuation, but no spaces, '/', ':' or '%%'; not '.' or '..'",
			name);
	if (is_tx_name(name))
		return tw_error__set(
			error, -EINVAL,
			"a veth pair cannot be named %s: the suffix %s marks the sending end of a pair; omit the suffix",
			name, TW_VETH_SUFFIX);
	return 0;
}

static int check_options(const struct tw_veth_options *o, struct tw_error *error)
{
	const int err = check_name(o->name, error);

	if (err < 0)
		return err;
	if (strncmp(o->owner, TW_VETH_OWNER, strlen(TW_VETH_OWNER)) != 0 || strlen(o->owner) >= TW_VETH_OWNER_MAX)
		return tw_error__set(
			error, -EINVAL,
			"the owner of a veth pair cannot be \"%s\": an owner begins with \"%s\" and has fewer than %d "
			"characters",
			o->owner, TW_VETH_OWNER, TW_VETH_OWNER_MAX);
	if (o->mtu && (o->mtu < MTU_MIN || o->mtu > MTU_MAX))
		return tw_error__set(error, -EINVAL, "the MTU of a veth pair cannot be %u: choose one from %d to %d",
				     o->mtu, MTU_MIN, MTU_MAX);
	if (o->queues > TW_VETH_QUEUES)
		return tw_error__set(error, -EINVAL, "a veth pair cannot have %u queues: choose from 1 to %d",
				     o->queues, TW_VETH_QUEUES);
	return 0;
}

/* Reports the owner of the existing interface @name, and what to do. If @name is the sending end, there is no interface @veth. */
static int already_there(const char *veth, const char *name, struct rtnl_link *link, struct tw_error *error)
{
	if (!tw_netlink__is_own_veth(link))
		return tw_error__set(
			error, -EEXIST,
			"cannot create the veth pair %s: an interface %s exists already and is not Tracewire's; choose "
			"another name",
			veth, name);
	if (strcmp(name, veth) != 0)
		return tw_error__set(
			error, -EEXIST,
			"cannot create the veth pair %s: its end %s exists already and belongs to \"%s\", but its end %s "
			"is not in this network namespace; send to it with -i %s, remove it with `tracewire vnet down "
			"%s`, or choose another name",
			veth, name, rtnl_link_get_ifalias(link), veth, name, veth);
	return tw_error__set(
		error, -EEXIST,
		"cannot create the veth pair %s: it exists already and belongs to \"%s\"; send to it with -i %s, "
		"remove it with `tracewire vnet down %s`, or choose another name",
		veth, rtnl_link_get_ifalias(link), veth, veth);
}

static int check_free(struct nl_sock *sk, const char *veth, const char *name, struct tw_error *error)
{
	struct rtnl_link *link;
	int err = tw_netlink__link(sk, name, &link);

	if (err == -ENODEV)
		return 0;
	if (err < 0)
		return tw_error__set(error, err, "cannot look for an interface %s: %s", name, strerror(-err));
	err = already_there(veth, name, link, error);
	rtnl_link_put(link);
	return err;
}

static int refused(const char *veth, const char *step, int code, struct tw_error *error)
{
	const int err = tw_netlink__errno(code);

	if (err == -EPERM)
		return tw_error__set(error, err, "cannot create the veth pair %s: this requires root or CAP_NET_ADMIN",
				     veth);
	if (err == -EOPNOTSUPP)
		return tw_error__set(
			error, err,
			"cannot create the veth pair %s: this kernel does not support %s (%s); load or enable its "
			"veth driver and traffic control",
			veth, step, nl_geterror(code));
	return tw_error__set(error, err, "cannot create the veth pair %s: %s failed: %s", veth, step,
			     nl_geterror(code));
}

int tw_veth__create(const struct tw_veth_options *opts, struct tw_error *error)
{
	const char *step;
	char tx_name[IFNAMSIZ];
	struct nl_sock *sk;
	int err, code;

	err = check_options(opts, error);
	if (err < 0)
		return err;
	tx_name_of(opts->name, tx_name);
	err = tw_netlink__open(&sk, error);
	if (err < 0)
		return err;
	err = check_free(sk, opts->name, opts->name, error);
	if (err == 0)
		err = check_free(sk, opts->name, tx_name, error);
	if (err < 0)
		goto out;
	code = pair__create(sk, opts, tx_name, &step);
	if (code >= 0) {
		code = pair__set_up(sk, opts->name, tx_name, &step);
		if (code < 0)
			pair__remove(sk, opts->name);
	}
	if (code < 0)
		err = refused(opts->name, step, code, error);
out:
	nl_socket_free(sk);
	return err;
}

/* Finds an end of a veth pair in this namespace. Usually both ends are here; then the result is the receiving end. */
static int find_end(struct nl_sock *sk, const char *veth, struct rtnl_link **ret)
{
	char tx_name[IFNAMSIZ];
	const int err = tw_netlink__link(sk, veth, ret);

	if (err != -ENODEV || strlen(veth) > TW_VETH_NAME_MAX)
		return err;
	tx_name_of(veth, tx_name);
	return tw_netlink__link(sk, tx_name, ret);
}

static int remove_end(struct nl_sock *sk, const char *veth, struct rtnl_link *end, struct tw_error *error)
{
	int code, err;

	if (!tw_netlink__is_own_veth(end))
		return tw_error__set(
			error, -EPERM,
			"cannot remove the veth pair %s: the interface %s is not Tracewire's; to remove it anyway, "
			"use `ip link del %s`",
			veth, rtnl_link_get_name(end), rtnl_link_get_name(end));
	code = rtnl_link_delete(sk, end);
	err = tw_netlink__errno(code);
	if (err == -EPERM)
		return tw_error__set(error, err, "cannot remove the veth pair %s: this requires root or CAP_NET_ADMIN",
				     veth);
	if (err < 0)
		return tw_error__set(error, err, "cannot remove the veth pair %s: %s", veth, nl_geterror(code));
	return 0;
}

int tw_veth__remove(const char *name, struct tw_error *error)
{
	struct rtnl_link *end;
	struct nl_sock *sk;
	int err;

	if (is_tx_name(name))
		return tw_error__set(
			error, -EINVAL,
			"cannot remove %s: the suffix %s marks one end of a veth pair; give the name without the suffix",
			name, TW_VETH_SUFFIX);
	err = tw_netlink__open(&sk, error);
	if (err < 0)
		return err;
	err = find_end(sk, name, &end);
	if (err == -ENODEV) {
		tw_error__set(error, err, "there is no veth pair %s; `tracewire vnet show` lists all veth pairs", name);
	} else if (err < 0) {
		tw_error__set(error, err, "cannot look for the veth pair %s: %s", name, strerror(-err));
	} else {
		err = remove_end(sk, name, end, error);
		rtnl_link_put(end);
	}
	nl_socket_free(sk);
	return err;
}

int tw_veth__remove_listed(const struct tw_veth *veth, struct tw_error *error)
{
	const char *name = veth->name[0] ? veth->name : veth->tx_name;
	struct rtnl_link *end;
	struct nl_sock *sk;
	int err = tw_netlink__open(&sk, error);

	if (err < 0)
		return err;
	err = tw_netlink__link(sk, name, &end);
	if (err < 0) {
		tw_error__set(error, err, "cannot look for the veth pair %s: %s", name, strerror(-err));
		goto out;
	}
	if (!tw_netlink__is_own_veth(end) || strcmp(rtnl_link_get_ifalias(end), veth->owner) != 0)
		err = tw_error__set(error, -ENODEV, "the veth pair %s has another owner now", name);
	else
		err = remove_end(sk, name, end, error);
	rtnl_link_put(end);
out:
	nl_socket_free(sk);
	return err;
}

static void copy_name(char ret[static IFNAMSIZ], const char *name)
{
	snprintf(ret, IFNAMSIZ, "%s", name);
}

/*
 * Return: the other end of a veth pair, if it is in this namespace, otherwise NULL. An ifindex of another namespace identifies no interface
 * here.
 */
static struct rtnl_link *find_peer(struct nl_cache *cache, struct rtnl_link *link)
{
	int32_t netns;

	if (rtnl_link_get_link_netnsid(link, &netns) == 0)
		return NULL;
	return rtnl_link_get(cache, rtnl_link_get_link(link));
}

static bool is_up(struct rtnl_link *link)
{
	return rtnl_link_get_flags(link) & IFF_UP;
}

static void describe(struct rtnl_link *end, struct rtnl_link *peer, struct tw_veth *ret)
{
	const bool sends = is_tx_name(rtnl_link_get_name(end));
	struct rtnl_link *rx = sends ? peer : end, *tx = sends ? end : peer;

	memset(ret, 0, sizeof(*ret));
	if (rx) {
		copy_name(ret->name, rtnl_link_get_name(rx));
		ret->ifindex = rtnl_link_get_ifindex(rx);
	}
	if (tx) {
		copy_name(ret->tx_name, rtnl_link_get_name(tx));
		ret->tx_ifindex = rtnl_link_get_ifindex(tx);
	}
	snprintf(ret->owner, sizeof(ret->owner), "%s", rtnl_link_get_ifalias(end));
	ret->mtu = rtnl_link_get_mtu(end);
	ret->queues = rtnl_link_get_num_tx_queues(end);
	ret->up = is_up(end) && (!peer || is_up(peer));
}

int tw_veth__list(void (*cb)(const struct tw_veth *veth, void *ctx), void *ctx, struct tw_error *error)
{
	struct nl_cache *cache;
	struct nl_object *object;
	struct nl_sock *sk;
	int err = tw_netlink__open(&sk, error);

	if (err < 0)
		return err;
	err = rtnl_link_alloc_cache(sk, AF_UNSPEC, &cache);
	nl_socket_free(sk);
	if (err < 0)
		return tw_error__set(error, tw_netlink__errno(err), "cannot list interfaces: %s", nl_geterror(err));
	for (object = nl_cache_get_first(cache); object; object = nl_cache_get_next(object)) {
		struct rtnl_link *end = (struct rtnl_link *)object, *peer;
		struct tw_veth veth;

		if (!tw_netlink__is_own_veth(end))
			continue;
		peer = find_peer(cache, end);
		/* A pair with both ends in this namespace is listed once, by its receiving end. */
		if (!peer || !is_tx_name(rtnl_link_get_name(end))) {
			describe(end, peer, &veth);
			cb(&veth, ctx);
		}
		rtnl_link_put(peer);
	}
	nl_cache_free(cache);
	return 0;
}

static int cannot_look(const char *name, int err, struct tw_error *error)
{
	return tw_error__set(error, err, "cannot look for the interface %s: %s", name, strerror(-err));
}

/*
 * If @link is the receiving end of a Tracewire veth pair whose sending end is in this network namespace, sets @ret to send through the
 * sending end. Return: 0 or -errno
 */
static int find_tx(struct nl_sock *sk, struct rtnl_link *link, struct tw_iface *ret, struct tw_error *error)
{
	struct rtnl_link *tx;
	char tx_name[IFNAMSIZ];
	const char *name = rtnl_link_get_name(link);
	int err;

	if (!tw_netlink__is_own_veth(link) || is_tx_name(name) || strlen(name) > TW_VETH_NAME_MAX)
		return 0;
	tx_name_of(name, tx_name);
	err = tw_netlink__link(sk, tx_name, &tx);
	if (err == -ENODEV)
		return 0;
	if (err < 0)
		return cannot_look(tx_name, err, error);
	if (tw_netlink__is_own_veth(tx)) {
		ret->reach = TW_REACH_VETH;
		copy_name(ret->tx_name, tx_name);
		ret->queues = rtnl_link_get_num_tx_queues(tx);
	}
	rtnl_link_put(tx);
	return 0;
}

/*
 * Return: how far frames sent to @link may get. TW_REACH_VETH is set by find_tx(), for the receiving end of a Tracewire veth pair if both
 * ends are in this namespace.
 */
static enum tw_reach reach_of(struct rtnl_link *link)
{
	static const char *const virtual_kinds[] = { "veth", "netkit", "dummy", "ifb" };
	const char *kind = rtnl_link_get_type(link);

	if (rtnl_link_get_flags(link) & IFF_LOOPBACK)
		return TW_REACH_HOST;
	for (size_t i = 0; kind && i < sizeof(virtual_kinds) / sizeof(virtual_kinds[0]); i++)
		if (!strcmp(kind, virtual_kinds[i]))
			return TW_REACH_HOST;
	return TW_REACH_NETWORK;
}

int tw_iface__find(const char *name, struct tw_iface *ret, struct tw_error *error)
{
	struct rtnl_link *link;
	struct nl_sock *sk;
	int err = tw_netlink__open(&sk, error);

	if (err < 0)
		return err;
	err = tw_netlink__link(sk, name, &link);
	if (err == -ENODEV)
		tw_error__set(error, err, "there is no interface %s", name);
	else if (err < 0)
		cannot_look(name, err, error);
	if (err < 0)
		goto out;
	memset(ret, 0, sizeof(*ret));
	copy_name(ret->tx_name, rtnl_link_get_name(link));
	ret->ifindex = rtnl_link_get_ifindex(link);
	ret->reach = reach_of(link);
	ret->up = is_up(link);
	ret->mtu = rtnl_link_get_mtu(link);
	ret->queues = rtnl_link_get_num_tx_queues(link);
	err = find_tx(sk, link, ret, error);
	rtnl_link_put(link);
out:
	nl_socket_free(sk);
	return err;
}
