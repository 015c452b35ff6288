/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/tc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "xdp/attach.h"

/*
 * Request error texts, which newer kernels have. keep_words() finds them only in error messages without a copy of the request, so these are
 * requested first.
 */
static void request_texts(const struct nl_sock *sk)
{
	const int fd = nl_socket_get_fd(sk), one = 1;

	if (!setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one)))
		setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
}

int tw_tc__open(struct nl_sock **ret, struct tw_error *error)
{
	struct nl_sock *sk = nl_socket_alloc();
	const int code = sk ? nl_connect(sk, NETLINK_ROUTE) : -NLE_NOMEM;

	if (code < 0) {
		nl_socket_free(sk);
		return tw_error__set(error, -EIO, "cannot open a netlink socket: %s", nl_geterror(code));
	}
	request_texts(sk);
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

/* Copy the kernel's error text, an attribute after struct nlmsgerr. If the kernel sent no text, copy the text of the errno. */
static void keep_words(const struct nlmsghdr *hdr, struct tw_answer *answer)
{
	const int behind = (int)(NLMSG_ALIGN(sizeof(struct nlmsgerr)));
	struct nlattr *attrs[NLMSGERR_ATTR_MAX + 1];

	snprintf(answer->text, sizeof(answer->text), "%s", strerror(-answer->err));
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
	/* libnl passes a pointer to the payload; the message header is directly before it. */
	answer->err = error->error;
	if (answer->err)
		keep_words((const struct nlmsghdr *)((const char *)error - NLMSG_HDRLEN), answer);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *ctx)
{
	(void)msg, (void)ctx;
	return NL_STOP;
}

/* @code: an error of libnl, which has fewer codes than there are errnos, but a text for each */
static void fail(struct tw_answer *answer, int code)
{
	answer->err = code == -NLE_DUMP_INTR ? -EAGAIN : code == -NLE_NOMEM ? -ENOMEM : -EIO;
	snprintf(answer->text, sizeof(answer->text), "%s", nl_geterror(code));
}

static void exchange(struct nl_sock *sk, struct nl_msg *msg, struct nl_cb *cb, struct tw_answer *answer)
{
	int code = nl_send_auto(sk, msg);

	if (code >= 0)
		code = nl_recvmsgs(sk, cb);
	if (!answer->err && code < 0)
		fail(answer, code);
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

/* Send a request, free it, and receive the answer. @dump: NULL = the answer is an acknowledgement. Return: 0 or -errno, as in @ret. */
static int request(struct nl_sock *sk, struct nl_msg *msg, struct dump *dump, struct tw_answer *ret)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	*ret = (struct tw_answer){ 0 };
	if (!cb || !msg) {
		fail(ret, -NLE_NOMEM);
	} else {
		nl_cb_err(cb, NL_CB_CUSTOM, on_error, ret);
		if (dump)
			nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, dump);
		else
			nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, NULL);
		nlmsg_hdr(msg)->nlmsg_flags |= dump ? NLM_F_DUMP : NLM_F_ACK;
		exchange(sk, msg, cb, ret);
	}
	nlmsg_free(msg);
	nl_cb_put(cb);
	return ret->err;
}

int tw_tc__ask(struct nl_sock *sk, struct nl_msg *msg, struct tw_answer *ret)
{
	return request(sk, msg, NULL, ret);
}

/* Send a request for a dump, as request() does, and call @seen for each object of the dump. */
static int list(struct nl_sock *sk, struct nl_msg *msg, tw_tc_seen *seen, void *ctx, struct tw_answer *ret)
{
	struct dump dump = { seen, ctx };

	return request(sk, msg, &dump, ret);
}

static struct tw_tc_at place_of(int ifindex)
{
	return (struct tw_tc_at){ .ifindex = ifindex, .parent = TC_H_CLSACT, .handle = TC_H_MAKE(TC_H_CLSACT, 0) };
}

static void count(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	(void)head, (void)attrs;
	++*(unsigned int *)ctx;
}

static int each_at(struct nl_sock *sk, const struct tw_tc_at *at, const char *ifname, tw_tc_seen *seen, void *ctx,
		   struct tw_error *error)
{
	struct tw_answer answer;

	if (!list(sk, tw_tc__message(RTM_GETTFILTER, 0, at, NULL), seen, ctx, &answer))
		return 0;
	return tw_error__set(error, answer.err, "cannot list the tc filters of %s: %s", ifname, answer.text);
}

int tw_qdiscs__each(struct nl_sock *sk, tw_tc_seen *seen, void *ctx, struct tw_error *error)
{
	const struct tw_tc_at at = { .ifindex = 0 };
	struct tw_answer answer;

	if (list(sk, tw_tc__message(RTM_GETQDISC, 0, &at, NULL), seen, ctx, &answer))
		tw_error__set(error, answer.err, "cannot list the queueing disciplines: %s", answer.text);
	return answer.err;
}

/* A search for the clsact qdisc of an interface. Some kernels list the qdiscs of all interfaces, so the interface is checked. */
struct clsact_search {
	int ifindex;
	bool found;
};

static void look_for(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	struct clsact_search *search = ctx;

	(void)attrs;
	if (head->tcm_ifindex == search->ifindex && head->tcm_parent == TC_H_CLSACT) /* also an `ingress` qdisc's */
		search->found = true;
}

/* Copy made_clsact from another classifier of the interface, so that the classifier that is removed last also removes the qdisc. */
static int look_at_others(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	struct tw_state *state = ctx, other;
	const int err = tw_state__read(file, &other, error);

	if (err)
		return err == -ENODATA ? 0 : err;
	if (other.netns == state->netns && other.public.ifindex == state->public.ifindex &&
	    other.public.place != state->public.place && other.made_clsact)
		state->made_clsact = true;
	tw_state__fini(&other);
	return 0;
}

/* Refuses a priority that has ingress filters. */
static int refuse_used(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, struct tw_error *error)
{
	unsigned int n = 0;
	const int err = tw_filters__each(sk, state, prio, count, &n, error);

	if (err)
		return err;
	if (n)
		return tw_error__set(error, -EEXIST,
				     "%s has tc filters of another owner with priority %u already; remove them with "
				     "`tc filter del dev %s ingress prio %u`",
				     state->public.ifname, prio, state->public.ifname, prio);
	return 0;
}

static int plan(struct nl_sock *sk, struct tw_state *state, struct tw_error *error)
{
	const struct tw_tc_at at = { .ifindex = state->public.ifindex };
	const uint32_t prios[] = { TW_TC_PRIO + state->public.place, TW_TC_PRIO + TW_ATTACH_PLACES };
	const size_t n_prios = state->public.place == TW_ATTACH_U32 ? 2 : 1;
	struct clsact_search search = { .ifindex = state->public.ifindex };
	struct tw_answer answer;
	int err = 0;

	for (size_t i = 0; i < n_prios && !err; i++)
		err = refuse_used(sk, state, prios[i], error);
	if (err)
		return err;
	err = list(sk, tw_tc__message(RTM_GETQDISC, 0, &at, NULL), look_for, &search, &answer);
	if (err)
		return tw_error__set(error, err, "cannot list the qdiscs of %s: %s", state->public.ifname, answer.text);
	state->prio = TW_TC_PRIO + state->public.place;
	state->made_clsact = !search.found;
	return search.found ? tw_state_file__each(TW_STATE_FILES, look_at_others, state, error) : 0;
}

int tw_tc__plan(struct tw_state *state, struct tw_error *error)
{
	struct nl_sock *sk;
	int err = tw_tc__open(&sk, error);

	if (err)
		return err;
	err = plan(sk, state, error);
	nl_socket_free(sk);
	return err;
}

int tw_clsact__add(struct nl_sock *sk, struct tw_state *state, struct tw_error *error)
{
	const struct tw_tc_at at = place_of(state->public.ifindex);
	struct tw_answer answer;

	tw_tc__ask(sk, tw_tc__message(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, &at, "clsact"), &answer);
	if (!answer.err)
		state->made_clsact = true;
	if (answer.err == -EEXIST &&
	    !state->public.schema_id) { /* another process may have created the qdisc after tw_tc__plan() */
		state->made_clsact = false;
		return tw_state_file__each(TW_STATE_FILES, look_at_others, state, error);
	}
	if (!answer.err || answer.err == -EEXIST)
		return 0;
	return tw_error__set(error, answer.err, "cannot create a clsact qdisc on %s: %s", state->public.ifname,
			     answer.text);
}

/* Whether an error means that another process has removed the filter, the qdisc or the interface. */
static bool has_gone(int err)
{
	return err == -ENOENT || err == -EINVAL || err == -ENODEV;
}

int tw_clsact__remove(struct nl_sock *sk, const struct tw_state *state, struct tw_error *error)
{
	const uint32_t hooks[] = { TW_TC_INGRESS, TW_TC_EGRESS };
	const char *ifname = state->public.ifname;
	const struct tw_tc_at qdisc = place_of(state->public.ifindex);
	struct tw_answer answer;
	unsigned int n = 0;
	int err = 0;

	for (size_t i = 0; i < 2 && state->made_clsact && !err; i++) {
		const struct tw_tc_at at = { .ifindex = state->public.ifindex, .parent = hooks[i] };

		err = each_at(sk, &at, ifname, count, &n, error);
	}
	if (err || n || !state->made_clsact)
		return err;
	tw_tc__ask(sk, tw_tc__message(RTM_DELQDISC, 0, &qdisc, "clsact"), &answer);
	if (!answer.err || has_gone(answer.err))
		return 0;
	return tw_error__set(error, answer.err,
			     "cannot remove the clsact qdisc of %s: %s. `tc qdisc del dev %s clsact` removes it",
			     ifname, answer.text, ifname);
}

int tw_filters__each(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, tw_tc_seen *seen, void *ctx,
		     struct tw_error *error)
{
	const struct tw_tc_at at = { .ifindex = state->public.ifindex, .parent = TW_TC_INGRESS, .prio = prio };

	return each_at(sk, &at, state->public.ifname, seen, ctx, error);
}

int tw_filters__remove(struct nl_sock *sk, int ifindex, uint32_t prio, uint16_t protocol, const char *kind,
		       struct tw_error *error)
{
	const struct tw_tc_at at = { .ifindex = ifindex, .parent = TW_TC_INGRESS, .prio = prio, .protocol = protocol };
	struct tw_answer answer;

	tw_tc__ask(sk, tw_tc__message(RTM_DELTFILTER, 0, &at, kind), &answer);
	if (!answer.err || has_gone(answer.err))
		return 0;
	return tw_error__set(error, answer.err, "cannot remove the filters of priority %u: %s", prio, answer.text);
}

bool tw_filter__kind_is(struct nlattr *const *attrs, const char *kind)
{
	return attrs[TCA_KIND] && !nla_strcmp(attrs[TCA_KIND], kind);
}
