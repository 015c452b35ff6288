/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int tw_tc__open(struct nl_sock **ret, struct tw_error *err)
{
	struct nl_sock *sk = nl_socket_alloc();
	const int one = 1;
	int code = sk ? nl_connect(sk, NETLINK_ROUTE) : -NLE_NOMEM;

	if (code < 0) {
		nl_socket_free(sk);
		return tw_error__set(err, -EIO, "cannot open a netlink socket: %s", nl_geterror(code));
	}
	/* What the kernel says beside the number; older ones say nothing. Requests are not sent back with it. */
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	*ret = sk;
	return 0;
}

struct nl_msg *tw_tc__message(int type, int flags, const struct tw_tc_at *at, const char *kind)
{
	struct nl_msg *msg = nlmsg_alloc_size(65536);
	const struct tcmsg head = {
		.tcm_family = AF_UNSPEC,
		.tcm_ifindex = at->ifindex,
		.tcm_handle = at->handle,
		.tcm_parent = at->parent,
		.tcm_info = TC_H_MAKE(at->prio << 16, htons(at->protocol)),
	};

	if (!msg)
		return NULL;
	if (!nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, NLM_F_REQUEST | flags) ||
	    nlmsg_append(msg, (void *)&head, sizeof(head), NLMSG_ALIGNTO) < 0 ||
	    (kind && nla_put_string(msg, TCA_KIND, kind) < 0)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* The kernel's words stand as attributes behind the number. */
static void keep_words(const struct nlmsghdr *hdr, struct tw_answer *answer)
{
	const int behind = (int)(NLMSG_ALIGN(sizeof(struct nlmsgerr)));
	struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1];

	snprintf(answer->text, sizeof(answer->text), "%s", strerror(-answer->code));
	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || nlmsg_datalen(hdr) <= behind)
		return;
	if (!nla_parse(attrs, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)nlmsg_data(hdr) + behind),
		       nlmsg_datalen(hdr) - behind, NULL) &&
	    attrs[NLMSGERR_ATTR_MSG])
		nla_strlcpy(answer->text, attrs[NLMSGERR_ATTR_MSG], sizeof(answer->text));
}

static int on_error(struct sockaddr_nl *who, struct nlmsgerr *error, void *ctx)
{
	struct tw_answer *answer = ctx;

	(void)who;
	/* libnl hands out what lies behind the header of the message. */
	answer->code = error->error;
	if (answer->code)
		keep_words((const struct nlmsghdr *)((const char *)error - NLMSG_HDRLEN), answer);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *ctx)
{
	(void)msg, (void)ctx;
	return NL_STOP;
}

static int receive(struct nl_sock *sk, struct nl_cb *cb, struct tw_answer *answer)
{
	const int code = nl_recvmsgs(sk, cb);

	if (!answer->code && code < 0) {
		answer->code = code == -NLE_DUMP_INTR ? -EAGAIN : -EIO;
		snprintf(answer->text, sizeof(answer->text), "%s", nl_geterror(code));
	}
	return answer->code;
}

static int failed(struct tw_answer *answer, int code)
{
	answer->code = code;
	snprintf(answer->text, sizeof(answer->text), "%s", strerror(-code));
	return code;
}

int tw_tc__ask(struct nl_sock *sk, struct nl_msg *msg, struct tw_answer *ret)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int code;

	*ret = (struct tw_answer){ 0 };
	if (!cb || !msg) {
		nl_cb_put(cb);
		nlmsg_free(msg);
		return failed(ret, -ENOMEM);
	}
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, ret);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, NULL);
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	code = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	code = code < 0 ? failed(ret, -EIO) : receive(sk, cb, ret);
	nl_cb_put(cb);
	return code;
}

struct dump {
	tw_tc_seen *seen;
	void *ctx;
};

static int on_valid(struct nl_msg *msg, void *ctx)
{
	const struct dump *dump = ctx;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct nlattr *attrs[TCA_MAX + 1];

	if (nlmsg_datalen(hdr) >= (int)sizeof(struct tcmsg) &&
	    !nlmsg_parse(hdr, sizeof(struct tcmsg), attrs, TCA_MAX, NULL))
		dump->seen(nlmsg_data(hdr), attrs, dump->ctx);
	return NL_OK;
}

int tw_tc__dump(struct nl_sock *sk, struct nl_msg *msg, tw_tc_seen *seen, void *ctx)
{
	struct dump dump = { seen, ctx };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	struct tw_answer answer = { 0 };
	int code = cb && msg ? 0 : -ENOMEM;

	if (!code) {
		nl_cb_err(cb, NL_CB_CUSTOM, on_error, &answer);
		nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &dump);
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_DUMP;
		code = nl_send_auto(sk, msg) < 0 ? -EIO : receive(sk, cb, &answer);
	}
	nlmsg_free(msg);
	nl_cb_put(cb);
	return code;
}
