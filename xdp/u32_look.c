/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/u32_look.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_cls.h>
#include <string.h>

#include "wire/tracewire.h"
#include "xdp/attach_u32.h"

static bool is_counted(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(struct tc_u32_pcnt);
}

/* Of the first action, or of the filter if it has none; NIC's are with the action. Return: TW_NOT_COUNTED if there are none */
static uint64_t frames_of(struct nlattr **options)
{
	struct nlattr *actions[2], *action[TCA_ACT_MAX + 1], *stats[TCA_STATS_MAX + 1];
	struct tc_u32_pcnt count;

	if (options[TCA_U32_ACT] && !nla_parse_nested(actions, 1, options[TCA_U32_ACT], NULL) && actions[1] &&
	    !nla_parse_nested(action, TCA_ACT_MAX, actions[1], NULL) && action[TCA_ACT_STATS] &&
	    !nla_parse_nested(stats, TCA_STATS_MAX, action[TCA_ACT_STATS], NULL)) {
		if (stats[TCA_STATS_PKT64])
			return nla_get_u64(stats[TCA_STATS_PKT64]);
		if (stats[TCA_STATS_BASIC] && nla_len(stats[TCA_STATS_BASIC]) >= 12)
			return *(uint32_t *)((char *)nla_data(stats[TCA_STATS_BASIC]) + sizeof(uint64_t));
	}
	if (!is_counted(options[TCA_U32_PCNT]))
		return TW_NOT_COUNTED;
	memcpy(&count, nla_data(options[TCA_U32_PCNT]), sizeof(count));
	return count.rhit;
}

static void add_frames(const struct tw_u32_look *look, uint32_t node, uint64_t frames)
{
	for (unsigned int i = 0; i < TW_ROWS_MAX; i++) {
		const struct tw_state_row *row = &look->state->rows[i];

		if (node < row->first || node >= row->first + row->n)
			continue;
		if (frames == TW_NOT_COUNTED)
			look->rows[i].frames = frames;
		else if (look->rows[i].frames != TW_NOT_COUNTED)
			look->rows[i].frames += frames;
	}
}

static void look_at(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	struct nlattr *options[TCA_U32_MAX + 1];
	struct tw_u32_look *look = ctx;

	if (!TC_U32_NODE(head->tcm_handle) || !tw_filter__kind_is(attrs, "u32") || !attrs[TCA_OPTIONS] ||
	    nla_parse_nested(options, TCA_U32_MAX, attrs[TCA_OPTIONS], NULL))
		return;
	look->n++;
	if (options[TCA_U32_FLAGS] && nla_get_u32(options[TCA_U32_FLAGS]) & TCA_CLS_FLAGS_IN_HW)
		look->in_hw++;
	if (look->rows)
		add_frames(look, TC_U32_NODE(head->tcm_handle), frames_of(options));
}

int tw_u32__look(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, struct tw_u32_look *ret)
{
	ret->state = state;
	return tw_filters__each(sk, state->public.ifindex, prio, look_at, ret);
}

void tw_u32__remove_set(struct nl_sock *sk, const struct tw_state *state, uint32_t prio)
{
	tw_filters__remove(sk, state->public.ifindex, prio, TW_ETHERTYPE, "u32", NULL);
}

int tw_u32__detach(const struct tw_state *state, struct tw_error *err)
{
	struct tw_u32_look look = { 0 };
	struct nl_sock *sk;
	int error;

	if (!state->prio)
		return 0;
	error = tw_tc__open(&sk, err);
	if (error)
		return error;
	tw_u32__look(sk, state, TW_U32_FIRST_PRIO, &look);
	tw_u32__look(sk, state, TW_U32_SECOND_PRIO, &look);
	tw_u32__remove_set(sk, state, TW_U32_FIRST_PRIO);
	tw_u32__remove_set(sk, state, TW_U32_SECOND_PRIO);
	/* Where somebody took the filters away the qdisc may be another one by now. */
	if (look.n || !state->public.schema_id)
		tw_clsact__remove(sk, state);
	nl_socket_free(sk);
	return 0;
}

uint8_t tw_u32__mode(const struct tw_state *state)
{
	struct tw_u32_look look = { 0 };
	struct nl_sock *sk;
	int error;

	if (!state->prio || tw_tc__open(&sk, NULL))
		return TW_MODE_NONE;
	error = tw_u32__look(sk, state, state->prio, &look);
	nl_socket_free(sk);
	if (error || !look.n)
		return TW_MODE_NONE;
	return look.in_hw == look.n ? TW_MODE_HARDWARE : TW_MODE_SOFTWARE;
}

int tw_u32__count(const struct tw_state *state, struct tw_counter *rows, struct tw_error *err)
{
	struct tw_u32_look look = { .rows = rows };
	struct nl_sock *sk;
	int error = tw_tc__open(&sk, err);

	if (error)
		return error;
	for (unsigned int i = 0; i < TW_ROWS_MAX; i++)
		rows[i].frames = state->rows[i].n || state->rows[i].carried ? state->rows[i].carried : TW_NOT_COUNTED;
	error = tw_u32__look(sk, state, state->prio, &look);
	nl_socket_free(sk);
	if (!error && !look.n)
		return tw_error__set(err, -ENOENT, "the filters of u32 on %s have gone, and what they counted",
				     state->public.ifname);
	return error ? tw_error__set(err, error, "cannot list the filters of %s: %s", state->public.ifname,
				     strerror(-error))
		     : 0;
}
