/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/u32_message.h"

#include <arpa/inet.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>
#include <linux/tc_act/tc_skbedit.h>
#include <string.h>

const char *tw_u32_node__needs(const struct tw_u32_node *node)
{
	static const char *const kinds[] = {
		[TW_ACTION_DROP] = "gact",
		[TW_ACTION_MARK] = "skbedit",
		[TW_ACTION_REDIRECT] = "mirred",
	};

	return node->n_mirrors ? "mirred" : kinds[node->action];
}

/* The keys lie behind the head. */
static int put_selector(struct nl_msg *msg, const struct tw_u32_match *match)
{
	const struct tc_u32_sel head = { .flags = TC_U32_TERMINAL, .nkeys = (unsigned char)match->n };
	struct tc_u32_key keys[TW_U32_KEYS_MAX] = { 0 };
	char all[sizeof(head) + sizeof(keys)];

	for (unsigned int i = 0; i < match->n && i < TW_U32_KEYS_MAX; i++)
		keys[i] = (struct tc_u32_key){ .mask = htonl(match->keys[i].mask),
					       .val = htonl(match->keys[i].value),
					       .off = (int)match->keys[i].offset };
	memcpy(all, &head, sizeof(head));
	memcpy(all + sizeof(head), keys, sizeof(keys));
	return nla_put(msg, TCA_U32_SEL, (int)(sizeof(head) + match->n * sizeof(keys[0])), all);
}

static struct nlattr *begin_action(struct nl_msg *msg, int number, const char *kind, struct nlattr **ret_options)
{
	struct nlattr *action = nla_nest_start(msg, number);

	if (!action || nla_put_string(msg, TCA_ACT_KIND, kind) < 0)
		return NULL;
	*ret_options = nla_nest_start(msg, TCA_ACT_OPTIONS);
	return *ret_options ? action : NULL;
}

static int end_action(struct nl_msg *msg, struct nlattr *action, struct nlattr *options)
{
	nla_nest_end(msg, options);
	nla_nest_end(msg, action);
	return 0;
}

static int put_drop(struct nl_msg *msg)
{
	const struct tc_gact drop = { .action = TC_ACT_SHOT };
	struct nlattr *options, *action = begin_action(msg, 1, "gact", &options);

	if (!action || nla_put(msg, TCA_GACT_PARMS, sizeof(drop), &drop) < 0)
		return -1;
	return end_action(msg, action, options);
}

static int put_mark(struct nl_msg *msg, uint32_t mark)
{
	const struct tc_skbedit edit = { .action = TC_ACT_OK };
	struct nlattr *options, *action = begin_action(msg, 1, "skbedit", &options);

	if (!action || nla_put(msg, TCA_SKBEDIT_PARMS, sizeof(edit), &edit) < 0 ||
	    nla_put_u32(msg, TCA_SKBEDIT_MARK, mark) < 0)
		return -1;
	return end_action(msg, action, options);
}

static int put_mirred(struct nl_msg *msg, int number, int how, int verdict, uint32_t ifindex)
{
	const struct tc_mirred mirred = { .eaction = how, .action = verdict, .ifindex = ifindex };
	struct nlattr *options, *action = begin_action(msg, number, "mirred", &options);

	if (!action || nla_put(msg, TCA_MIRRED_PARMS, sizeof(mirred), &mirred) < 0)
		return -1;
	return end_action(msg, action, options);
}

static int put_mirrors(struct nl_msg *msg, const struct tw_u32_node *node)
{
	int code = 0;

	for (unsigned int i = 0; i < node->n_mirrors && !code; i++)
		code = put_mirred(msg, (int)i + 1, TCA_EGRESS_MIRROR, i + 1 < node->n_mirrors ? TC_ACT_PIPE : TC_ACT_OK,
				  node->mirror_to[i]);
	return code;
}

static int put_one_action(struct nl_msg *msg, const struct tw_u32_node *node)
{
	if (node->n_mirrors)
		return put_mirrors(msg, node);
	if (node->action == TW_ACTION_DROP)
		return put_drop(msg);
	if (node->action == TW_ACTION_MARK)
		return put_mark(msg, node->arg);
	return put_mirred(msg, 1, TCA_EGRESS_REDIR, TC_ACT_STOLEN, node->arg);
}

/* Without an action what matches passes. */
static int put_actions(struct nl_msg *msg, const struct tw_u32_node *node)
{
	struct nlattr *list;
	int code;

	if (!tw_u32_node__needs(node))
		return 0;
	list = nla_nest_start(msg, TCA_U32_ACT);
	code = list ? put_one_action(msg, node) : -1;
	if (!code)
		nla_nest_end(msg, list);
	return code;
}

struct nl_msg *tw_u32_node__message(const struct tw_tc_at *at, const struct tw_u32_node *node)
{
	const uint32_t where = node->offload ? TCA_CLS_FLAGS_SKIP_SW : TCA_CLS_FLAGS_SKIP_HW;
	struct tw_tc_at place = *at;
	struct nlattr *options;
	struct nl_msg *msg;

	place.handle = node->number;
	msg = tw_tc__message(RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, &place, "u32");
	options = msg ? nla_nest_start(msg, TCA_OPTIONS) : NULL;
	if (!options || put_selector(msg, node->match) < 0 || nla_put_u32(msg, TCA_U32_FLAGS, where) < 0 ||
	    put_actions(msg, node) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, options);
	return msg;
}
