/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/interface.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Return: the index of an interface, or -errno. if_nametoindex() returns 0 for any failure. */
static int ask_index(const char *name)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { 0 };
	int err;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	err = ioctl(fd, SIOCGIFINDEX, &request) ? -errno : 0;
	close(fd);
	return err ? err : request.ifr_ifindex;
}

int tw_interface__index(const char *name, struct tw_error *error)
{
	const int index = strlen(name) < IFNAMSIZ ? ask_index(name) : -ENODEV;

	if (index == -ENODEV)
		return tw_error__set(error, index, "there is no interface %s", name);
	if (index < 0)
		return tw_error__set(error, index, "cannot look up interface %s: %s", name, strerror(-index));
	return index;
}

/* Constants from linux/netdev.h, which older kernel headers do not have. */
#define NETDEV_CMD_DEV_GET        1
#define NETDEV_A_DEV_IFINDEX      1
#define NETDEV_A_DEV_XDP_FEATURES 3
#define NETDEV_XDP_ACT_NDO_XMIT   (1u << 2)

/* One attribute of the answer to a request. */
struct netdev_answer {
	uint16_t wanted;   /* type of the attribute */
	bool found, ended; /* the attribute was received; the acknowledgement was received */
	uint64_t value;
};

static uint64_t number_of(const struct nlattr *attr)
{
	return nla_len(attr) >= (int)sizeof(uint64_t) ? nla_get_u64(attr) : nla_get_u16(attr);
}

static int on_valid(struct nl_msg *msg, void *ctx)
{
	struct netdev_answer *answer = ctx;
	struct nlattr *attr = nlmsg_find_attr(nlmsg_hdr(msg), GENL_HDRLEN, answer->wanted);

	if (attr && nla_len(attr) >= (int)sizeof(uint16_t)) {
		answer->found = true;
		answer->value = number_of(attr);
	}
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *ctx)
{
	(void)msg;
	((struct netdev_answer *)ctx)->ended = true;
	return NL_STOP;
}

/* Send a message, free it, and receive until the acknowledgement, which is a separate datagram. Return: whether the attribute was found. */
static bool ask(struct nl_sock *sk, struct nl_msg *msg, struct netdev_answer *answer)
{
	nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, on_valid, answer);
	nl_socket_modify_cb(sk, NL_CB_ACK, NL_CB_CUSTOM, on_ack, answer);
	answer->ended = !msg || nl_send_auto(sk, msg) < 0;
	while (!answer->ended && nl_recvmsgs_default(sk) >= 0)
		;
	nlmsg_free(msg);
	return answer->found;
}

static struct nl_msg *message(int family, uint8_t command)
{
	const struct genlmsghdr head = { .cmd = command, .version = 1 };
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_REQUEST | NLM_F_ACK) &&
	    !nlmsg_append(msg, (void *)&head, sizeof(head), NLMSG_ALIGNTO))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/* Ask the genetlink family netdev for the XDP features of an interface. @ret: unchanged if the kernel does not report them */
static void ask_features(struct nl_sock *sk, uint32_t ifindex, uint64_t *ret)
{
	struct netdev_answer family = { .wanted = CTRL_ATTR_FAMILY_ID },
			     features = { .wanted = NETDEV_A_DEV_XDP_FEATURES };
	struct nl_msg *msg = message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);

	if (msg)
		nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, "netdev");
	if (!ask(sk, msg, &family))
		return;
	msg = message((int)family.value, NETDEV_CMD_DEV_GET);
	if (msg)
		nla_put_u32(msg, NETDEV_A_DEV_IFINDEX, ifindex);
	if (ask(sk, msg, &features))
		*ret = features.value;
}

bool tw_interface__takes_redirected(uint32_t ifindex)
{
	struct nl_sock *sk = nl_socket_alloc();
	uint64_t features = NETDEV_XDP_ACT_NDO_XMIT;

	if (sk && nl_connect(sk, NETLINK_GENERIC) >= 0)
		ask_features(sk, ifindex, &features);
	nl_socket_free(sk);
	return features & NETDEV_XDP_ACT_NDO_XMIT;
}

bool tw_interface__leads_back(uint32_t target, int ifindex)
{
	struct nl_sock *sk = nl_socket_alloc();
	struct rtnl_link *link = NULL;
	bool leads = false;
	int32_t netns;

	if (sk && nl_connect(sk, NETLINK_ROUTE) >= 0 && rtnl_link_get_kernel(sk, (int)target, NULL, &link) >= 0 &&
	    link) { /* `link` is NULL if the kernel's answer was lost */
		/* If the peer is in another namespace, its ifindex has no meaning in this one. */
		leads = rtnl_link_is_veth(link) && rtnl_link_get_link_netnsid(link, &netns) != 0 &&
			rtnl_link_get_link(link) == ifindex;
		rtnl_link_put(link);
	}
	nl_socket_free(sk);
	return leads;
}
