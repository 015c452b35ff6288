/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/clsact.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

static struct tw_tc_at place_of(int ifindex)
{
	return (struct tw_tc_at){ .ifindex = ifindex, .parent = TC_H_CLSACT, .handle = TC_H_MAKE(TC_H_CLSACT, 0) };
}

static void count(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	(void)head, (void)attrs;
	++*(unsigned int *)ctx;
}

static int each_at(struct nl_sock *sk, int ifindex, uint32_t parent, uint32_t prio, tw_tc_seen *seen, void *ctx)
{
	const struct tw_tc_at at = { .ifindex = ifindex, .parent = parent, .prio = prio };

	return tw_tc__dump(sk, tw_tc__message(RTM_GETTFILTER, 0, &at, NULL), seen, ctx);
}

/* Some kernels list those of all interfaces. */
struct search {
	int ifindex;
	bool found;
};

static void look_for(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	struct search *search = ctx;

	(void)attrs;
	if (head->tcm_ifindex == search->ifindex && head->tcm_parent == TC_H_CLSACT) /* an older `ingress` is as good */
		search->found = true;
}

/* Of two of ours at one interface the last that goes takes the qdisc along. */
static int look_at_others(struct tw_state_file *file, void *ctx, struct tw_error *err)
{
	struct tw_state *state = ctx, other;

	(void)err;
	if (tw_state__read(file, &other))
		return 0;
	if (other.netns == state->netns && other.public.ifindex == state->public.ifindex &&
	    other.public.place != state->public.place && other.made_clsact)
		state->made_clsact = true;
	tw_state__fini(&other);
	return 0;
}

int tw_clsact__plan(struct nl_sock *sk, struct tw_state *state, struct tw_error *err)
{
	const struct tw_tc_at at = { .ifindex = state->public.ifindex };
	struct search search = { .ifindex = state->public.ifindex };
	int error;

	if (tw_filters__are_at(sk, state->public.ifindex, TW_TC_PRIO + state->public.place) ||
	    (state->public.place == TW_PLACE_U32 &&
	     tw_filters__are_at(sk, state->public.ifindex, TW_TC_PRIO + TW_PLACES)))
		return tw_error__set(err, -EEXIST,
				     "%s has tc filters of priority %u already, which are not ours to replace",
				     state->public.ifname, TW_TC_PRIO + state->public.place);
	error = tw_tc__dump(sk, tw_tc__message(RTM_GETQDISC, 0, &at, NULL), look_for, &search);
	if (error)
		return tw_error__set(err, error, "cannot list the qdiscs of %s: %s", state->public.ifname,
				     strerror(-error));
	state->prio = TW_TC_PRIO + state->public.place;
	state->made_clsact = !search.found;
	return search.found ? tw_state_file__each(TW_STATE_FILES, look_at_others, state, NULL) : 0;
}

int tw_clsact__add(struct nl_sock *sk, struct tw_state *state, struct tw_error *err)
{
	const struct tw_tc_at at = place_of(state->public.ifindex);
	struct tw_answer answer;

	tw_tc__ask(sk, tw_tc__message(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, &at, "clsact"), &answer);
	if (!answer.code)
		state->made_clsact = true;
	if (answer.code == -EEXIST && !state->public.schema_id) { /* somebody may have made one since the plan */
		state->made_clsact = false;
		return tw_state_file__each(TW_STATE_FILES, look_at_others, state, NULL);
	}
	if (!answer.code || answer.code == -EEXIST)
		return 0;
	return tw_error__set(err, answer.code, "cannot make a clsact qdisc on %s: %s", state->public.ifname,
			     answer.text);
}

void tw_clsact__remove(struct nl_sock *sk, const struct tw_state *state)
{
	const int ifindex = state->public.ifindex;
	const struct tw_tc_at at = place_of(ifindex);
	struct tw_answer answer;
	unsigned int n = 0;

	if (!state->made_clsact || each_at(sk, ifindex, TW_TC_INGRESS, 0, count, &n) ||
	    each_at(sk, ifindex, TW_TC_EGRESS, 0, count, &n) || n)
		return;
	tw_tc__ask(sk, tw_tc__message(RTM_DELQDISC, 0, &at, "clsact"), &answer);
}

int tw_filters__each(struct nl_sock *sk, int ifindex, uint32_t prio, tw_tc_seen *seen, void *ctx)
{
	return each_at(sk, ifindex, TW_TC_INGRESS, prio, seen, ctx);
}

bool tw_filters__are_at(struct nl_sock *sk, int ifindex, uint32_t prio)
{
	unsigned int n = 0;

	return tw_filters__each(sk, ifindex, prio, count, &n) || n;
}

int tw_filters__remove(struct nl_sock *sk, int ifindex, uint32_t prio, uint16_t protocol, const char *kind,
		       struct tw_error *err)
{
	const struct tw_tc_at at = { .ifindex = ifindex, .parent = TW_TC_INGRESS, .prio = prio, .protocol = protocol };
	struct tw_answer answer;

	tw_tc__ask(sk, tw_tc__message(RTM_DELTFILTER, 0, &at, kind), &answer);
	/* Nothing there, no qdisc, no interface: somebody was faster. */
	if (!answer.code || answer.code == -ENOENT || answer.code == -EINVAL || answer.code == -ENODEV)
		return 0;
	return tw_error__set(err, answer.code, "cannot remove the filters of priority %u: %s", prio, answer.text);
}

bool tw_filter__kind_is(struct nlattr *const *attrs, const char *kind)
{
	return attrs[TCA_KIND] && !nla_strcmp(attrs[TCA_KIND], kind);
}
