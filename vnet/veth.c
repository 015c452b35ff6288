/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/veth.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vnet/netlink.h"
#include "vnet/veth_pair.h"

#define MTU_LEAST 256
#define MTU_MOST  65535 /* of a veth */

static bool name_is_valid(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isgraph((unsigned char)*c) || strchr("/:%", *c))
			return false;
	return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check_name(const char *name, struct tw_error *err)
{
	if (strlen(name) > TW_WIRE_NAME_MAX)
		return tw_error__set(err, -EINVAL,
				     "a wire cannot be named %s: %d characters at most, since its other end is called "
				     "NAME%s; choose a shorter name",
				     name, TW_WIRE_NAME_MAX, TW_WIRE_SUFFIX);
	if (!name_is_valid(name))
		return tw_error__set(err, -EINVAL,
				     "a wire cannot be named \"%s\": letters, digits and most signs will do, but no "
				     "spaces, '/', ':' or '%%'",
				     name);
	if (tw_netlink__is_tx_name(name))
		return tw_error__set(
			err, -EINVAL,
			"a wire cannot be named %s: %s at the end marks the end of a wire that sends; leave "
			"it out",
			name, TW_WIRE_SUFFIX);
	return 0;
}

static int check_options(const struct tw_wire_options *o, struct tw_error *err)
{
	const int ret = check_name(o->name, err);

	if (ret < 0)
		return ret;
	if (strncmp(o->owner, TW_WIRE_OWNER, strlen(TW_WIRE_OWNER)) != 0 || strlen(o->owner) >= TW_WIRE_OWNER_MAX)
		return tw_error__set(
			err, -EINVAL,
			"the owner of a wire cannot be \"%s\": it begins with \"%s\" and has fewer than %d "
			"characters",
			o->owner, TW_WIRE_OWNER, TW_WIRE_OWNER_MAX);
	if (o->mtu && (o->mtu < MTU_LEAST || o->mtu > MTU_MOST))
		return tw_error__set(err, -EINVAL, "the MTU of a wire cannot be %u: choose one from %d to %d", o->mtu,
				     MTU_LEAST, MTU_MOST);
	if (o->queues > TW_WIRE_QUEUES)
		return tw_error__set(err, -EINVAL, "a wire cannot have %u queues: choose from 1 to %d", o->queues,
				     TW_WIRE_QUEUES);
	return 0;
}

/* Says whose interface is in the way and what to do about it. */
static int already_there(const char *wire, const char *name, struct rtnl_link *link, struct tw_error *err)
{
	if (!tw_netlink__is_wire(link))
		return tw_error__set(
			err, -EEXIST,
			"cannot create the wire %s: an interface %s exists already and is not Tracewire's; "
			"choose another name",
			wire, name);
	return tw_error__set(
		err, -EEXIST,
		"cannot create the wire %s: it exists already and belongs to \"%s\"; send on it with -i %s, "
		"remove it with tracewire vnet down %s, or choose another name",
		wire, rtnl_link_get_ifalias(link), wire, wire);
}

static int check_free(struct nl_sock *sk, const char *wire, const char *name, struct tw_error *err)
{
	struct rtnl_link *link;
	int ret = tw_netlink__link(sk, name, &link);

	if (ret == -ENODEV)
		return 0;
	if (ret < 0)
		return tw_error__set(err, ret, "cannot look for an interface %s: %s", name, strerror(-ret));
	ret = already_there(wire, name, link, err);
	rtnl_link_put(link);
	return ret;
}

static int refused(const char *wire, const char *step, int code, struct tw_error *err)
{
	const int ret = tw_netlink__errno(code);

	if (ret == -EPERM)
		return tw_error__set(err, ret, "cannot create the wire %s: that takes root or CAP_NET_ADMIN", wire);
	if (ret == -EOPNOTSUPP)
		return tw_error__set(err, ret,
				     "cannot create the wire %s: this kernel refuses %s (%s); load or enable its veth "
				     "driver and traffic control",
				     wire, step, nl_geterror(code));
	return tw_error__set(err, ret, "cannot create the wire %s: %s failed: %s", wire, step, nl_geterror(code));
}

int tw_wire__create(const struct tw_wire_options *opts, struct tw_error *err)
{
	const char *step;
	char tx_name[IFNAMSIZ];
	struct nl_sock *sk;
	int ret, code;

	ret = check_options(opts, err);
	if (ret < 0)
		return ret;
	snprintf(tx_name, sizeof(tx_name), "%.*s%s", TW_WIRE_NAME_MAX, opts->name, TW_WIRE_SUFFIX);
	ret = tw_netlink__open(&sk, err);
	if (ret < 0)
		return ret;
	ret = check_free(sk, opts->name, opts->name, err);
	if (ret == 0)
		ret = check_free(sk, opts->name, tx_name, err);
	if (ret < 0)
		goto out;
	code = tw_pair__create(sk, opts, tx_name, &step);
	if (code >= 0) {
		code = tw_pair__set_up(sk, opts->name, tx_name, &step);
		if (code < 0)
			tw_pair__remove(sk, opts->name);
	}
	if (code < 0)
		ret = refused(opts->name, step, code, err);
out:
	nl_socket_free(sk);
	return ret;
}

/* The end of a wire that is in this namespace: usually both are, and either stands for both. */
static int find_end(struct nl_sock *sk, const char *wire, struct rtnl_link **ret)
{
	char tx_name[IFNAMSIZ];
	const int code = tw_netlink__link(sk, wire, ret);

	if (code != -ENODEV || strlen(wire) > TW_WIRE_NAME_MAX)
		return code;
	snprintf(tx_name, sizeof(tx_name), "%.*s%s", TW_WIRE_NAME_MAX, wire, TW_WIRE_SUFFIX);
	return tw_netlink__link(sk, tx_name, ret);
}

static int remove_end(struct nl_sock *sk, const char *wire, struct rtnl_link *end, struct tw_error *err)
{
	int code, ret;

	if (!tw_netlink__is_wire(end))
		return tw_error__set(
			err, -EPERM,
			"cannot remove the wire %s: the interface %s is not Tracewire's; if it is to go, use "
			"ip link del %s",
			wire, rtnl_link_get_name(end), rtnl_link_get_name(end));
	code = rtnl_link_delete(sk, end);
	ret = tw_netlink__errno(code);
	if (ret == -EPERM)
		return tw_error__set(err, ret, "cannot remove the wire %s: that takes root or CAP_NET_ADMIN", wire);
	if (ret < 0)
		return tw_error__set(err, ret, "cannot remove the wire %s: %s", wire, nl_geterror(code));
	return 0;
}

int tw_wire__remove(const char *name, struct tw_error *err)
{
	struct rtnl_link *end;
	struct nl_sock *sk;
	int ret;

	if (tw_netlink__is_tx_name(name))
		return tw_error__set(err, -EINVAL,
				     "cannot remove %s: it is one end of a wire; name the wire without %s", name,
				     TW_WIRE_SUFFIX);
	ret = tw_netlink__open(&sk, err);
	if (ret < 0)
		return ret;
	ret = find_end(sk, name, &end);
	if (ret < 0) {
		ret = ret == -ENODEV
			      ? tw_error__set(err, ret, "there is no wire %s; tracewire vnet show lists them", name)
			      : tw_error__set(err, ret, "cannot look for the wire %s: %s", name, strerror(-ret));
		goto out;
	}
	ret = remove_end(sk, name, end, err);
	rtnl_link_put(end);
out:
	nl_socket_free(sk);
	return ret;
}

int tw_wire__remove_listed(const struct tw_wire *wire, struct tw_error *err)
{
	const char *name = wire->name[0] ? wire->name : wire->tx_name;
	struct rtnl_link *end;
	struct nl_sock *sk;
	int ret = tw_netlink__open(&sk, err);

	if (ret < 0)
		return ret;
	ret = tw_netlink__link(sk, name, &end);
	if (ret < 0) {
		tw_error__set(err, ret, "cannot look for the wire %s: %s", name, strerror(-ret));
		goto out;
	}
	if (!tw_netlink__is_wire(end) || strcmp(rtnl_link_get_ifalias(end), wire->owner) != 0)
		ret = tw_error__set(err, -ENODEV, "the wire %s is another's by now", name);
	else
		ret = remove_end(sk, name, end, err);
	rtnl_link_put(end);
out:
	nl_socket_free(sk);
	return ret;
}
