/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/attach_u32.h"

#include <errno.h>
#include <linux/pkt_cls.h>
#include <string.h>

#include "wire/tracewire.h"
#include "xdp/clsact.h"
#include "xdp/u32_look.h"
#include "xdp/u32_message.h"

struct set {
	struct nl_sock *sk;
	struct tw_state *state;
	struct tw_tc_at at;
	uint32_t next; /* number of the next filter */
	struct tw_state_row rows[TW_ROWS_MAX];
};

static int refused(const struct set *set, const struct tw_u32_node *node, const struct tw_answer *answer,
		   struct tw_error *err)
{
	const char *needs = tw_u32_node__needs(node), *ifname = set->state->public.ifname;

	if (answer->code == -ENOENT && needs)
		return tw_error__set(
			err, -EOPNOTSUPP,
			"this kernel has no tc action %s (module act_%s), which u32 takes for that; --hook tc "
			"needs none",
			needs, needs);
	if (set->state->public.offload)
		return tw_error__set(err, answer->code,
				     "%s does not take u32 into hardware: %s. Without --offload the kernel does it",
				     ifname, answer->text);
	return tw_error__set(err, answer->code, "cannot attach u32 to tc of %s: %s", ifname, answer->text);
}

static int add(struct set *set, unsigned int row, struct tw_u32_node *node, struct tw_error *err)
{
	struct tw_answer answer;

	node->number = set->next;
	node->offload = set->state->public.offload;
	if (node->number > TW_U32_NODES_MAX)
		return tw_error__set(err, -EOPNOTSUPP, "the rules take more than %d filters of u32", TW_U32_NODES_MAX);
	if (tw_tc__ask(set->sk, tw_u32_node__message(&set->at, node), &answer))
		return refused(set, node, &answer, err);
	set->next++;
	if (!set->rows[row].n++)
		set->rows[row].first = node->number;
	return 0;
}

static int add_rule(struct set *set, unsigned int row, const struct tw_rules *rules, const struct tw_rule *rule,
		    struct tw_error *err)
{
	struct tw_u32 u32;
	int error = tw_u32__compile(rule->bound, rules->schema_id, &u32, err);

	if (error)
		return error;
	for (unsigned int i = 0; i < u32.n && !error; i++) {
		struct tw_u32_node node = { .match = &u32.matches[i], .action = rule->action, .arg = rule->arg };

		error = add(set, row, &node, err);
	}
	tw_u32__fini(&u32);
	return error;
}

/* Each interface that something is redirected to, once. */
static unsigned int redirects_of(const struct tw_rules *rules, uint32_t *to)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i <= rules->n; i++) {
		const uint8_t action = i < rules->n ? rules->rules[i].action : rules->default_action;
		const uint32_t arg = i < rules->n ? rules->rules[i].arg : rules->default_arg;
		bool known = action != TW_ACTION_REDIRECT;

		for (unsigned int k = 0; k < n && !known; k++)
			known = to[k] == arg;
		if (!known)
			to[n++] = arg;
	}
	return n;
}

/* Control frames go both ways. */
static int add_control(struct set *set, const struct tw_rules *rules, struct tw_error *err)
{
	uint32_t to[TW_RULES_MAX + 1];
	struct tw_u32_node node = { .match = tw_u32__control(), .mirror_to = to, .n_mirrors = redirects_of(rules, to) };

	return node.n_mirrors ? add(set, rules->n + 1 + TW_COUNT_CONTROL, &node, err) : 0;
}

static int add_all(struct set *set, const struct tw_rules *rules, const struct tw_bound *any, struct tw_error *err)
{
	const struct tw_rule otherwise = { .bound = (struct tw_bound *)any,
					   .action = rules->default_action,
					   .arg = rules->default_arg };
	int error = add_control(set, rules, err);

	for (unsigned int i = 0; i < rules->n && !error; i++)
		error = add_rule(set, i, rules, &rules->rules[i], err);
	return error ? error : add_rule(set, rules->n, rules, &otherwise, err);
}

static int check_hardware(const struct set *set, struct tw_error *err)
{
	struct tw_u32_look look = { 0 };

	if (!set->state->public.offload ||
	    (!tw_u32__look(set->sk, set->state, set->at.prio, &look) && look.n && look.in_hw == look.n))
		return 0;
	return tw_error__set(
		err, -EOPNOTSUPP,
		"%s took the filters, but the kernel says not_in_hw of %u of %u: undone. Without --offload the "
		"kernel does it",
		set->state->public.ifname, look.n - look.in_hw, look.n);
}

/* What the old filters counted up to now goes on. */
static void carry(struct set *set, const struct tw_counter *counted)
{
	for (unsigned int i = 0; i < TW_ROWS_MAX; i++)
		set->rows[i].carried = counted[i].frames == TW_NOT_COUNTED ? 0 : counted[i].frames;
}

static int attach(struct set *set, const struct tw_rules *rules, const struct tw_bound *any, struct tw_error *err)
{
	struct tw_counter counted[TW_ROWS_MAX] = { 0 };
	const uint32_t old = set->state->public.schema_id ? set->state->prio : 0;
	int error = tw_clsact__add(set->sk, set->state, err);

	if (!error)
		error = add_all(set, rules, any, err);
	if (!error)
		error = check_hardware(set, err);
	if (error) {
		tw_u32__remove_set(set->sk, set->state, set->at.prio);
		tw_clsact__remove(set->sk, set->state);
		return error;
	}
	if (old) {
		tw_u32__count(set->state, counted, NULL);
		tw_u32__remove_set(set->sk, set->state, old);
	}
	carry(set, counted);
	set->state->prio = set->at.prio;
	memcpy(set->state->rows, set->rows, sizeof(set->rows));
	return 0;
}

int tw_u32__attach(struct tw_state *state, const struct tw_rules *rules, const struct tw_bound *any,
		   struct tw_error *err)
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
	int error = tw_tc__open(&set.sk, err);

	if (error)
		return error;
	error = attach(&set, rules, any, err);
	nl_socket_free(set.sk);
	return error;
}
