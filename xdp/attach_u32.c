/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_cls.h>
#include <linux/tc_act/tc_mirred.h>
#include <netlink/route/act/gact.h>
#include <netlink/route/act/mirred.h>
#include <netlink/route/act/skbedit.h>
#include <netlink/route/action.h>
#include <netlink/route/classifier.h>
#include <netlink/route/cls/u32.h>
#include <string.h>

#include "wire/tracewire.h"
#include "xdp/attach.h"
#include "xdp/tc.h"

/* The filters for a schema form a set. A new set uses the priority that the old set does not use. */
#define TW_U32_FIRST_PRIO  (TW_TC_PRIO + TW_ATTACH_U32)
#define TW_U32_SECOND_PRIO (TW_TC_PRIO + TW_ATTACH_PLACES)

#define TW_U32_NODES_MAX 4095 /* limit of the filters of one priority */

/* One u32 filter. */
struct node {
	uint32_t number; /* handle, 1 to TW_U32_NODES_MAX; the kernel evaluates filters in this order */
	const struct tw_u32_match *match;
	uint8_t action; /* enum tw_action; not used if n_mirrors > 0 */
	uint32_t arg;
	const uint32_t *mirror_to; /* indexes of interfaces to which the frame is copied; the frame itself passes */
	unsigned int n_mirrors;
	bool offload;
};

/* Return: the kind of tc action that a filter needs; NULL if it needs no action. */
static const char *needs(const struct node *node)
{
	static const char *const kinds[] = {
		[TW_ACTION_DROP] = "gact",
		[TW_ACTION_MARK] = "skbedit",
		[TW_ACTION_REDIRECT] = "mirred",
	};

	return node->n_mirrors ? "mirred" : kinds[node->action];
}

static struct rtnl_act *new_action(const char *kind)
{
	struct rtnl_act *action = rtnl_act_alloc();

	if (action && rtnl_tc_set_kind(TC_CAST(action), kind) < 0) {
		rtnl_act_put(action);
		return NULL;
	}
	return action;
}

static struct rtnl_act *mirred(int how, int verdict, uint32_t ifindex)
{
	struct rtnl_act *action = new_action("mirred");

	if (action) {
		rtnl_mirred_set_action(action, how);
		rtnl_mirred_set_policy(action, verdict);
		rtnl_mirred_set_ifindex(action, ifindex);
	}
	return action;
}

static struct rtnl_act *action_of(const struct node *node)
{
	struct rtnl_act *action;

	switch (node->action) {
	case TW_ACTION_DROP:
		action = new_action("gact");
		if (action)
			rtnl_gact_set_action(action, TC_ACT_SHOT);
		return action;
	case TW_ACTION_MARK:
		action = new_action("skbedit");
		if (action) {
			rtnl_skbedit_set_action(action, TC_ACT_OK);
			rtnl_skbedit_set_mark(action, node->arg);
		}
		return action;
	default:
		return mirred(TCA_EGRESS_REDIR, TC_ACT_STOLEN, node->arg);
	}
}

/* Add an action to a filter. The filter keeps a reference to the action. After an error, free the action. Return: 0 or an error of libnl */
static int add_action(struct rtnl_cls *cls, struct rtnl_act *action)
{
	const int code = action ? rtnl_u32_add_action(cls, action) : -NLE_NOMEM;

	if (code && action)
		rtnl_act_put(action);
	return code;
}

/* Add the actions of a node to a filter. A filter without an action passes the frame. */
static int add_actions(struct rtnl_cls *cls, const struct node *node)
{
	int code = 0;

	for (unsigned int i = 0; i < node->n_mirrors && !code; i++)
		code = add_action(cls, mirred(TCA_EGRESS_MIRROR, i + 1 < node->n_mirrors ? TC_ACT_PIPE : TC_ACT_OK,
					      node->mirror_to[i]));
	return !node->n_mirrors && needs(node) ? add_action(cls, action_of(node)) : code;
}

static int describe(struct rtnl_cls *cls, const struct tw_tc_at *at, const struct node *node)
{
	int code;

	rtnl_tc_set_ifindex(TC_CAST(cls), at->ifindex);
	rtnl_tc_set_parent(TC_CAST(cls), at->parent);
	code = rtnl_tc_set_kind(TC_CAST(cls), "u32");
	rtnl_cls_set_prio(cls, (uint16_t)at->prio);
	rtnl_cls_set_protocol(cls, at->protocol);
	rtnl_u32_set_handle(cls, 0, 0, (int)node->number);
	for (unsigned int i = 0; i < node->match->n && !code; i++)
		code = rtnl_u32_add_key_uint32(cls, node->match->keys[i].value, node->match->keys[i].mask,
					       (int)node->match->keys[i].offset, 0);
	if (!code)
		code = rtnl_u32_set_cls_terminal(cls);
	if (!code)
		code = rtnl_u32_set_flags(cls, node->offload ? TCA_CLS_FLAGS_SKIP_SW : TCA_CLS_FLAGS_SKIP_HW);
	return code ? code : add_actions(cls, node);
}

/* Make the message that adds a filter. Return: NULL if out of memory. */
static struct nl_msg *message(const struct tw_tc_at *at, const struct node *node)
{
	struct rtnl_cls *cls = rtnl_cls_alloc();
	struct nl_msg *msg = NULL;

	if (cls && !describe(cls, at, node))
		rtnl_cls_build_add_request(cls, NLM_F_CREATE | NLM_F_EXCL, &msg);
	rtnl_cls_put(cls);
	return msg;
}

/* What the kernel reports about a set of filters. */
struct u32_look {
	const struct tw_state *state; /* of the classifier; set by look_at_set() */
	struct tw_counter *rows;      /* the frames of each filter are added to its row; NULL = do not count */
	unsigned int n, in_hw;        /* number of filters found, and of filters in hardware */
};

/*
 * Return: frames counted by the filter's first action, or by the filter if it has no action; TW_NOT_COUNTED if there is no counter. An
 * action's counter includes the frames that the NIC handled only if the NIC's driver updates this counter.
 */
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
	if (!options[TCA_U32_PCNT] || nla_len(options[TCA_U32_PCNT]) < (int)sizeof(count))
		return TW_NOT_COUNTED;
	memcpy(&count, nla_data(options[TCA_U32_PCNT]), sizeof(count));
	return count.rhit;
}

static void add_frames(const struct u32_look *look, uint32_t node, uint64_t frames)
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
	struct u32_look *look = ctx;

	if (!TC_U32_NODE(head->tcm_handle) || !tw_filter__kind_is(attrs, "u32") || !attrs[TCA_OPTIONS] ||
	    nla_parse_nested(options, TCA_U32_MAX, attrs[TCA_OPTIONS], NULL))
		return;
	look->n++;
	if (options[TCA_U32_FLAGS] && nla_get_u32(options[TCA_U32_FLAGS]) & TCA_CLS_FLAGS_IN_HW)
		look->in_hw++;
	if (look->rows)
		add_frames(look, TC_U32_NODE(head->tcm_handle), frames_of(options));
}

/* Read all filters with the priority @prio. The caller sets the counts in @ret to 0 before the first call. */
static int look_at_set(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, struct u32_look *ret,
		       struct tw_error *error)
{
	ret->state = state;
	return tw_filters__each(sk, state, prio, look_at, ret, error);
}

static int remove_set(struct nl_sock *sk, const struct tw_state *state, uint32_t prio, struct tw_error *error)
{
	return tw_filters__remove(sk, state->public.ifindex, prio, TW_ETHERTYPE, "u32", error);
}

int tw_u32__detach(const struct tw_state *state, struct tw_error *error)
{
	struct u32_look look = { 0 };
	struct nl_sock *sk;
	int err;

	if (!state->prio)
		return 0;
	err = tw_tc__open(&sk, error);
	if (err)
		return err;
	err = look_at_set(sk, state, TW_U32_FIRST_PRIO, &look, error);
	if (!err)
		err = look_at_set(sk, state, TW_U32_SECOND_PRIO, &look, error);
	if (!err)
		err = remove_set(sk, state, TW_U32_FIRST_PRIO, error);
	if (!err)
		err = remove_set(sk, state, TW_U32_SECOND_PRIO, error);
	/* If no filter is left, another process has removed them, and may have replaced the qdisc. The new qdisc must stay. */
	if (!err && (look.n || !state->public.schema_id))
		err = tw_clsact__remove(sk, state, error);
	nl_socket_free(sk);
	return err;
}

int tw_u32__mode(const struct tw_state *state, struct tw_error *error)
{
	struct u32_look look = { 0 };
	struct nl_sock *sk;
	int err;

	if (!state->prio)
		return TW_MODE_NONE;
	err = tw_tc__open(&sk, error);
	if (err)
		return err;
	err = look_at_set(sk, state, state->prio, &look, error);
	nl_socket_free(sk);
	if (err)
		return err;
	if (!look.n)
		return TW_MODE_NONE;
	return look.in_hw == look.n ? TW_MODE_HARDWARE : TW_MODE_SOFTWARE;
}

int tw_u32__count(const struct tw_state *state, struct tw_counter *rows, struct tw_error *error)
{
	struct u32_look look = { .rows = rows };
	struct nl_sock *sk;
	int err = tw_tc__open(&sk, error);

	if (err)
		return err;
	for (unsigned int i = 0; i < TW_ROWS_MAX; i++)
		rows[i].frames = state->rows[i].n || state->rows[i].carried ? state->rows[i].carried : TW_NOT_COUNTED;
	err = look_at_set(sk, state, state->prio, &look, error);
	nl_socket_free(sk);
	if (!err && !look.n)
		return tw_error__set(error, -ENOENT, "the u32 filters on %s were removed, with their counters",
				     state->public.ifname);
	return err;
}

/* A set of filters that is being attached. */
struct set {
	struct nl_sock *sk;
	struct tw_state *state;
	struct tw_tc_at at;
	uint32_t next; /* number for the next filter */
	struct tw_state_row rows[TW_ROWS_MAX];
};

static int refused(const struct set *set, const struct node *node, const struct tw_answer *answer,
		   struct tw_error *error)
{
	const char *kind = needs(node), *ifname = set->state->public.ifname;

	if (answer->err == -ENOENT && kind)
		return tw_error__set(
			error, -EOPNOTSUPP,
			"this kernel has no tc action %s (module act_%s), which u32 needs for an action of these rules: "
			"load the module, or use --hook tc",
			kind, kind);
	if (set->state->public.offload)
		return tw_error__set(
			error, answer->err,
			"%s does not offload u32 filters: %s. Without --offload, the kernel evaluates them", ifname,
			answer->text);
	return tw_error__set(error, answer->err, "cannot attach u32 to tc of %s: %s", ifname, answer->text);
}

static int add(struct set *set, unsigned int row, struct node *node, struct tw_error *error)
{
	struct tw_answer answer;

	node->number = set->next;
	node->offload = set->state->public.offload;
	if (node->number > TW_U32_NODES_MAX)
		return tw_error__set(error, -EOPNOTSUPP,
				     "the rules need more than %d u32 filters; use fewer or simpler rules",
				     TW_U32_NODES_MAX);
	if (tw_tc__ask(set->sk, message(&set->at, node), &answer))
		return refused(set, node, &answer, error);
	set->next++;
	if (!set->rows[row].n++)
		set->rows[row].first = node->number;
	return 0;
}

static int add_rule(struct set *set, unsigned int row, const struct tw_rules *rules, const struct tw_rule *rule,
		    struct tw_error *error)
{
	struct tw_u32 u32;
	int err = tw_u32__compile(rule->bound, rules->schema_id, &u32, error);

	if (err)
		return err;
	for (unsigned int i = 0; i < u32.n && !err; i++) {
		struct node node = { .match = &u32.matches[i], .action = rule->action, .arg = rule->arg };

		err = add(set, row, &node, error);
	}
	tw_u32__fini(&u32);
	return err;
}

/* List the interfaces that rules or the default action redirect to, each once. Return: their number. */
static unsigned int redirects_of(const struct tw_rules *rules, uint32_t *to)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i <= rules->n; i++) {
		const struct tw_rule rule = tw_rules__row(rules, i);
		bool known = rule.action != TW_ACTION_REDIRECT;

		for (unsigned int k = 0; k < n && !known; k++)
			known = to[k] == rule.arg;
		if (!known)
			to[n++] = rule.arg;
	}
	return n;
}

/* If rules or the default action redirect frames, add a filter that passes control frames, and copies them to each redirect target. */
static int add_control(struct set *set, const struct tw_rules *rules, struct tw_error *error)
{
	uint32_t to[TW_RULES_MAX + 1];
	struct node node = { .match = tw_u32__control(), .mirror_to = to, .n_mirrors = redirects_of(rules, to) };

	return node.n_mirrors ? add(set, rules->n + 1 + TW_COUNT_CONTROL, &node, error) : 0;
}

static int add_all(struct set *set, const struct tw_rules *rules, const struct tw_bound *any, struct tw_error *error)
{
	struct tw_rule otherwise = tw_rules__row(rules, rules->n);
	int err = add_control(set, rules, error);

	otherwise.bound = (struct tw_bound *)any;
	for (unsigned int i = 0; i < rules->n && !err; i++)
		err = add_rule(set, i, rules, &rules->rules[i], error);
	return err ? err : add_rule(set, rules->n, rules, &otherwise, error);
}

static int check_hardware(const struct set *set, struct tw_error *error)
{
	struct u32_look look = { 0 };
	const int err = set->state->public.offload ? look_at_set(set->sk, set->state, set->at.prio, &look, error) : 0;

	if (err || !set->state->public.offload || (look.n && look.in_hw == look.n))
		return err;
	return tw_error__set(
		error, -EOPNOTSUPP,
		"%s accepted the filters, but the kernel reports not_in_hw for %u of %u, so all were removed. Without "
		"--offload, the kernel evaluates them",
		set->state->public.ifname, look.n - look.in_hw, look.n);
}

/* Read the counts of the old filters, and remove these. */
static int remove_old(const struct set *set, uint32_t old, struct tw_counter *counted, struct tw_error *error)
{
	const int err = tw_u32__count(set->state, counted, error);

	return err && err != -ENOENT ? err : remove_set(set->sk, set->state, old, error);
}

static int attach(struct set *set, const struct tw_rules *rules, const struct tw_bound *any, struct tw_error *error)
{
	struct tw_counter counted[TW_ROWS_MAX] = { 0 };
	const uint32_t old = set->state->public.schema_id ? set->state->prio : 0;
	int err = tw_clsact__add(set->sk, set->state, error);

	if (!err)
		err = add_all(set, rules, any, error);
	if (!err)
		err = check_hardware(set, error);
	if (!err && old)
		err = remove_old(set, old, counted, error);
	if (err) {
		remove_set(set->sk, set->state, set->at.prio, NULL);
		tw_clsact__remove(set->sk, set->state, NULL);
		return err;
	}
	for (unsigned int i = 0; i < TW_ROWS_MAX; i++) /* the new filters continue the counts of the old ones */
		set->rows[i].carried = counted[i].frames == TW_NOT_COUNTED ? 0 : counted[i].frames;
	set->state->prio = set->at.prio;
	memcpy(set->state->rows, set->rows, sizeof(set->rows));
	return 0;
}

int tw_u32__attach(struct tw_state *state, const struct tw_rules *rules, const struct tw_bound *any,
		   struct tw_error *error)
{
	const bool is_first = !state->public.schema_id;
	struct set set = {
		.state = state,
		.at = { .ifindex = state->public.ifindex,
			.parent = TW_TC_INGRESS,
			.prio = is_first || state->prio != TW_U32_FIRST_PRIO ? TW_U32_FIRST_PRIO : TW_U32_SECOND_PRIO,
			.protocol = TW_ETHERTYPE },
		.next = 1,
	};
	int err = tw_tc__open(&set.sk, error);

	if (err)
		return err;
	err = attach(&set, rules, any, error);
	nl_socket_free(set.sk);
	return err;
}
