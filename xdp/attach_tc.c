/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "xdp/attach.h"
#include "xdp/tc.h"

#define HANDLE 1

static struct nl_msg *message(const struct tw_state *state, int program)
{
	const struct tw_tc_at at = { .ifindex = state->public.ifindex,
				     .parent = TW_TC_INGRESS,
				     .handle = HANDLE,
				     .prio = state->prio,
				     .protocol = ETH_P_ALL };
	const uint32_t where = state->public.offload ? TCA_CLS_FLAGS_SKIP_SW : TCA_CLS_FLAGS_SKIP_HW;
	struct nl_msg *msg = tw_tc__message(RTM_NEWTFILTER, NLM_F_CREATE, &at, "bpf");
	struct nlattr *options = msg ? nla_nest_start(msg, TCA_OPTIONS) : NULL;

	if (!options || nla_put_u32(msg, TCA_BPF_FD, (uint32_t)program) < 0 ||
	    nla_put_string(msg, TCA_BPF_NAME, TW_PROGRAM_NAME) < 0 ||
	    nla_put_u32(msg, TCA_BPF_FLAGS, TCA_BPF_FLAG_ACT_DIRECT) < 0 ||
	    nla_put_u32(msg, TCA_BPF_FLAGS_GEN, where) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, options);
	return msg;
}

/* What the kernel reports about Tracewire's filter. */
struct found {
	bool ours; /* there is a filter with Tracewire's name at the expected priority */
	uint32_t program, flags;
};

static void look(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	struct nlattr *options[TCA_BPF_MAX + 1];
	struct found *found = ctx;

	if (head->tcm_handle != HANDLE || !tw_filter__kind_is(attrs, "bpf") || !attrs[TCA_OPTIONS] ||
	    nla_parse_nested(options, TCA_BPF_MAX, attrs[TCA_OPTIONS], NULL))
		return;
	if (!options[TCA_BPF_NAME] || nla_strcmp(options[TCA_BPF_NAME], TW_PROGRAM_NAME) != 0)
		return;
	found->ours = true;
	found->program = options[TCA_BPF_ID] ? nla_get_u32(options[TCA_BPF_ID]) : 0;
	found->flags = options[TCA_BPF_FLAGS_GEN] ? nla_get_u32(options[TCA_BPF_FLAGS_GEN]) : 0;
}

static int find(struct nl_sock *sk, const struct tw_state *state, struct found *ret, struct tw_error *error)
{
	*ret = (struct found){ 0 };
	return tw_filters__each(sk, state, state->prio, look, ret, error);
}

static int remove_ours(struct nl_sock *sk, const struct tw_state *state, struct tw_error *error)
{
	struct found found;
	int err = find(sk, state, &found, error);

	if (!err && found.ours)
		err = tw_filters__remove(sk, state->public.ifindex, state->prio, ETH_P_ALL, "bpf", error);
	/* If the filter is missing, another process has removed it, and may have replaced the qdisc. The new qdisc must stay. */
	if (!err && (found.ours || !state->public.schema_id))
		err = tw_clsact__remove(sk, state, error);
	return err;
}

static int refused(const struct tw_state *state, const struct tw_answer *answer, struct tw_error *error)
{
	if (state->public.offload)
		return tw_error__set(error, answer->err,
				     "%s does not offload the program: %s. Without --offload, the kernel runs it",
				     state->public.ifname, answer->text);
	return tw_error__set(error, answer->err, "cannot attach to tc of %s: %s", state->public.ifname, answer->text);
}

/* If the filter should run in the NIC, but the kernel does not report it in hardware, remove the filter and return an error. */
static int check_hardware(struct nl_sock *sk, const struct tw_state *state, struct tw_error *error)
{
	struct found found;
	int err = state->public.offload ? find(sk, state, &found, error) : 0;

	if (!state->public.offload || (!err && found.flags & TCA_CLS_FLAGS_IN_HW))
		return 0;
	remove_ours(sk, state, NULL);
	return err ? err
		   : tw_error__set(
			     error, -EOPNOTSUPP,
			     "%s accepted the program, but the kernel reports not_in_hw, so the program was removed. Without --offload, "
			     "the kernel runs it",
			     state->public.ifname);
}

static int attach(struct nl_sock *sk, struct tw_state *state, int program, struct tw_error *error)
{
	struct tw_answer answer;
	int err = tw_clsact__add(sk, state, error);

	if (err)
		return err;
	err = tw_tc__ask(sk, message(state, program), &answer);
	if (!err)
		return check_hardware(sk, state, error);
	tw_clsact__remove(sk, state, NULL);
	return refused(state, &answer, error);
}

int tw_tc__attach(struct tw_state *state, int program, struct tw_error *error)
{
	struct nl_sock *sk;
	int err = tw_tc__open(&sk, error);

	if (err)
		return err;
	err = attach(sk, state, program, error);
	nl_socket_free(sk);
	return err;
}

int tw_tc__detach(const struct tw_state *state, struct tw_error *error)
{
	struct nl_sock *sk;
	int err;

	if (!state->prio)
		return 0;
	err = tw_tc__open(&sk, error);
	if (err)
		return err;
	err = remove_ours(sk, state, error);
	nl_socket_free(sk);
	return err;
}

int tw_tc__mode(const struct tw_state *state, struct tw_error *error)
{
	struct nl_sock *sk;
	struct found found;
	int err;

	if (!state->prio)
		return TW_MODE_NONE;
	err = tw_tc__open(&sk, error);
	if (err)
		return err;
	err = find(sk, state, &found, error);
	nl_socket_free(sk);
	if (err)
		return err;
	if (!found.ours || (state->public.program && found.program && found.program != state->public.program))
		return TW_MODE_NONE;
	return found.flags & TCA_CLS_FLAGS_IN_HW ? TW_MODE_HARDWARE : TW_MODE_SOFTWARE;
}
