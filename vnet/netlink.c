/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/netlink.h"

#include <errno.h>
#include <netlink/errno.h>
#include <netlink/route/link/veth.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "vnet/veth.h"

#define PATIENCE_S 5 /* timeout for an answer of the kernel, which is usually immediate */

/*
 * Sets a receive timeout. Without a timeout, libnl would wait for ever if it could not send a dump request, because it ignores the error of
 * sending.
 */
static void limit_wait(const struct nl_sock *sk)
{
	setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = PATIENCE_S },
		   sizeof(struct timeval));
}

int tw_netlink__open(struct nl_sock **ret, struct tw_error *error)
{
	struct nl_sock *sk = nl_socket_alloc();
	int code, err;

	if (!sk)
		return tw_error__set(error, -ENOMEM, "cannot open a netlink socket: out of memory");
	errno = 0;
	code = nl_connect(sk, NETLINK_ROUTE);
	err = errno;
	if (code < 0) {
		nl_socket_free(sk);
		if (err == EMFILE || err == ENFILE) /* libnl has no error code for these two errors */
			return tw_error__set(error, -err, "cannot open a netlink socket: %s", strerror(err));
		return tw_error__set(error, tw_netlink__errno(code), "cannot open a netlink socket: %s",
				     nl_geterror(code));
	}
	limit_wait(sk);
	*ret = sk;
	return 0;
}

/* libnl converts errnos to its own codes. This function converts back the codes on which callers act. */
int tw_netlink__errno(int code)
{
	static const struct {
		int nle, err;
	} map[] = {
		{ NLE_EXIST, EEXIST },   { NLE_NODEV, ENODEV },    { NLE_OBJ_NOTFOUND, ENODEV },
		{ NLE_PERM, EPERM },     { NLE_NOACCESS, EACCES }, { NLE_INVAL, EINVAL },
		{ NLE_RANGE, ERANGE },   { NLE_NOMEM, ENOMEM },    { NLE_OPNOTSUPP, EOPNOTSUPP },
		{ NLE_BUSY, EBUSY },     { NLE_AGAIN, EAGAIN },    { NLE_AF_NOSUPPORT, EAFNOSUPPORT },
		{ NLE_BAD_SOCK, EBADF },
	};

	if (code >= 0)
		return 0;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].nle == -code)
			return -map[i].err;
	return -EIO;
}

int tw_netlink__get_link(struct nl_sock *sk, const char *name, struct rtnl_link **ret)
{
	struct rtnl_link *link = NULL;
	const int code = rtnl_link_get_kernel(sk, 0, name, &link);

	if (code < 0)
		return code;
	if (!link)
		return -NLE_AGAIN;
	*ret = link;
	return 0;
}

int tw_netlink__link(struct nl_sock *sk, const char *name, struct rtnl_link **ret)
{
	struct rtnl_link *link;
	int code;

	if (!*name || strlen(name) >= IFNAMSIZ) /* the kernel would return ERANGE; no interface can have such a name */
		return -ENODEV;
	code = tw_netlink__get_link(sk, name, &link);
	if (code < 0)
		return tw_netlink__errno(code);
	*ret = link;
	return 0;
}

bool tw_netlink__is_own_veth(struct rtnl_link *link)
{
	const char *alias = rtnl_link_get_ifalias(link);

	return alias && rtnl_link_is_veth(link) && strncmp(alias, TW_VETH_OWNER, strlen(TW_VETH_OWNER)) == 0;
}
