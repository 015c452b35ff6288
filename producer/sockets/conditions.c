/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/conditions.h"

#include <string.h>

#include "filter/capability.h"
#include "filter/compare.h"

#define BIT(name) (1u << TW_SOCKTS_FACT_##name)

/* Facts that are the same for all events of a connected socket */
#define OF_SOCKET                                                                                               \
	(BIT(cookie) | BIT(netns_cookie) | BIT(family) | BIT(protocol) | BIT(sport) | BIT(dport) | BIT(saddr) | \
	 BIT(daddr) | BIT(saddrv6) | BIT(daddrv6))
#define OF_TASK (BIT(pid) | BIT(cgroup) | BIT(comm))
#define OF_ALL  (OF_SOCKET | BIT(common_pid))

/* The facts that the programs know of each event; a format may have more fields of these names */
static const uint32_t known[TW_SOCKTS_EVENTS] = {
	[TW_SOCKTS_egress_ts] = OF_ALL | OF_TASK | BIT(type) | BIT(ifindex),
	[TW_SOCKTS_egress_stats] = OF_ALL,
	[TW_SOCKTS_ingress_ts] = OF_ALL | OF_TASK | BIT(type) | BIT(ifindex),
	[TW_SOCKTS_held] = OF_ALL | BIT(reason),
	[TW_SOCKTS_icmp_echo] = OF_ALL | BIT(type) | BIT(ifindex),
	[TW_SOCKTS_ecn_ce] = OF_ALL | BIT(direction) | BIT(ifindex),
	[TW_SOCKTS_tcp_reset] = OF_ALL | BIT(reason) | BIT(direction),
	[TW_SOCKTS_drop] = OF_ALL | BIT(reason) | BIT(ifindex),
};

static const struct {
	const char *name;
	uint8_t offset, size;
	bool is_of_socket, is_signed;
} facts[TW_SOCKTS_FACTS] = {
#define PLACE(type, name) #name, offsetof(type, name), sizeof(((type *)NULL)->name)
#define SOCKET(name)      [TW_SOCKTS_FACT_##name] = { PLACE(struct tw_sockts_socket, name), true, false },
#define OTHER(name)                                                                \
	[TW_SOCKTS_FACT_##name] = { PLACE(struct tw_sockts_facts, name), false,    \
				    TW_SOCKTS_FACT_##name == TW_SOCKTS_FACT_pid || \
					    TW_SOCKTS_FACT_##name == TW_SOCKTS_FACT_common_pid },
	TW_SOCKTS_FACT_LIST(SOCKET, OTHER)
#undef OTHER
#undef SOCKET
#undef PLACE
};

/* Return: the fact that a test compares; TW_SOCKTS_FACTS if it is none of them */
static enum tw_sockts_fact fact_of(const struct tw_test *test)
{
	enum tw_sockts_fact fact = 0;

	if (test->operand == TW_ON_PID)
		return TW_SOCKTS_FACT_common_pid;
	if (test->operand != TW_ON_FIELD)
		return TW_SOCKTS_FACTS;
	while (fact < TW_SOCKTS_FACTS && strcmp(facts[fact].name, test->field->name) != 0)
		fact++;
	return fact;
}

static bool is_equality(const struct tw_test *test)
{
	return test->op == TW_TEST_EQ || test->op == TW_TEST_NE;
}

/* Whether a program can do a test of bytes or text. A text has a NUL at its end, and programs know it with all zeros after it. */
static bool compares_bytes(const struct tw_test *test)
{
	const size_t size = test->field->size;

	if (!is_equality(test) || test->field->place != TW_PLACE_FIXED)
		return false;
	if (test->compared == TW_AS_TEXT)
		return test->len < size && !memchr(test->bytes, '\0', test->len);
	return test->len == size;
}

static const char *refusal(uint32_t known_facts, const struct tw_test *test)
{
	const enum tw_sockts_fact fact = fact_of(test);

	if (fact == TW_SOCKTS_FACTS || !(known_facts & 1u << fact))
		return "the BPF programs of socket events know it only when they have made the event";
	if (test->operand == TW_ON_FIELD && tw_test__is_array(test))
		return "the BPF programs of socket events cannot compare the elements of an array";
	if (test->compared != TW_AS_NUMBER && (test->field->size != facts[fact].size || !compares_bytes(test)))
		return "the BPF programs of socket events can compare texts and addresses only for equality";
	return NULL;
}

const char *tw_sockts_test__refusal(enum tw_sockts_event event, const struct tw_test *test)
{
	return refusal(known[event], test);
}

static bool can(const struct tw_test *test, void *ctx)
{
	const uint32_t *known_facts = ctx;

	return !refusal(*known_facts, test);
}

static uint8_t target(uint32_t branch)
{
	return branch == TW_BRANCH_TRUE    ? TW_SOCKTS_PASSES
	       : branch == TW_BRANCH_FALSE ? TW_SOCKTS_FAILS
					   : (uint8_t)branch;
}

/* Return: whether the test is true if the comparison fails */
static bool set_number(const struct tw_test *test, struct tw_sockts_test *ret)
{
	const uint32_t size = test->field ? test->field->size : sizeof(int32_t);
	const struct tw_range range = tw_range__of(test, size);

	ret->mask[0] = range.mask;
	ret->value[0] = range.low;
	ret->value[1] = range.span;
	return range.is_outside;
}

/* Return: as set_number() */
static bool set_bytes(const struct tw_test *test, struct tw_sockts_test *ret)
{
	const bool is_text = test->compared == TW_AS_TEXT;
	uint8_t mask[sizeof(ret->mask)] = { 0 }, value[sizeof(ret->value)] = { 0 };
	uint32_t short_mask, short_value;

	for (size_t i = 0; i < ret->size; i++) {
		mask[i] = is_text || !test->prefix ? 0xff : tw_prefix__mask(test->prefix, i);
		value[i] = i < test->len ? test->bytes[i] & mask[i] : 0;
	}
	memcpy(ret->mask, mask, sizeof(mask));
	memcpy(ret->value, value, sizeof(value));
	if (ret->size == sizeof(short_mask)) { /* seen as a number */
		memcpy(&short_mask, mask, sizeof(short_mask));
		memcpy(&short_value, value, sizeof(short_value));
		ret->mask[0] = short_mask;
		ret->value[0] = short_value;
		ret->value[1] = 0;
	}
	return test->op == TW_TEST_NE;
}

static void set_test(const struct tw_test *test, const struct tw_branches *to, struct tw_sockts_test *ret)
{
	const enum tw_sockts_fact fact = fact_of(test);
	bool is_inverse;

	*ret = (struct tw_sockts_test){
		.is_of_socket = facts[fact].is_of_socket,
		.offset = facts[fact].offset,
		.size = facts[fact].size,
		.is_signed = facts[fact].is_signed,
	};
	is_inverse = test->compared == TW_AS_NUMBER ? set_number(test, ret) : set_bytes(test, ret);
	ret->holds = target(is_inverse ? to->fails : to->holds);
	ret->fails = target(is_inverse ? to->holds : to->fails);
}

/* Makes a condition of the tests in a tree that compare these facts. Return: the tree with these tests only; NULL if out of memory */
static const struct tw_node *make(const struct tw_node *root, uint32_t of, struct tw_arena *arena,
				  struct tw_sockts_condition *ret)
{
	const struct tw_node *weak = tw_node__weaken_by(root, can, &of, arena, NULL);
	struct tw_branch_walk walk;
	struct tw_branches to;
	const struct tw_test *test;

	memset(ret, 0, sizeof(*ret));
	if (!weak || weak->kind == TW_NODE_TRUE)
		return weak;
	if (weak->kind == TW_NODE_FALSE || weak->n_tests > TW_SOCKTS_TESTS_MAX)
		return tw_node__certain(arena, true);
	tw_branch_walk__init(&walk, weak);
	while ((test = tw_branch_walk__next(&walk, &to))) {
		set_test(test, &to, &ret->tests[ret->n++]);
		ret->facts |= 1u << fact_of(test);
	}
	return weak;
}

const struct tw_node *tw_sockts_conditions__make(enum tw_sockts_event event, const struct tw_node *root,
						 struct tw_arena *arena, struct tw_sockts_conditions *ret)
{
	if (!make(root, known[event] & OF_SOCKET, arena, &ret->socket)) {
		memset(ret, 0, sizeof(*ret));
		return NULL;
	}
	return make(root, known[event], arena, &ret->event);
}

/* The target of a test when @n tests were put before it */
static uint8_t shift(uint8_t target, uint32_t n)
{
	return target < TW_SOCKTS_FAILS ? (uint8_t)(target + n) : target;
}

/* Puts tests that the fact has one of @n values before the tests of a condition, which has room for them. */
static void require(struct tw_sockts_condition *condition, enum tw_sockts_fact fact, const uint64_t *values, uint32_t n)
{
	struct tw_sockts_condition before = *condition;

	if (!n)
		return;
	memset(condition, 0, sizeof(*condition));
	for (uint32_t i = 0; i < n; i++) {
		struct tw_sockts_test *test = &condition->tests[i];

		*test = (struct tw_sockts_test){
			.is_of_socket = facts[fact].is_of_socket,
			.offset = facts[fact].offset,
			.size = facts[fact].size,
			.holds = before.n ? (uint8_t)n : TW_SOCKTS_PASSES,
			.fails = i + 1 < n ? (uint8_t)(i + 1) : TW_SOCKTS_FAILS,
			.mask = { UINT64_MAX },
			.value = { values[i] },
		};
	}
	for (uint32_t i = 0; i < before.n; i++) {
		struct tw_sockts_test *test = &condition->tests[n + i];

		*test = before.tests[i];
		test->holds = shift(test->holds, n);
		test->fails = shift(test->fails, n);
	}
	condition->n = before.n + n;
	condition->facts = before.facts | 1u << fact;
}

/* Makes room for @n tests. Without the filter's own tests, the producer makes these for each event. */
static void make_room(struct tw_sockts_condition *condition, uint32_t n)
{
	if (condition->n + n > TW_SOCKTS_TESTS_MAX)
		memset(condition, 0, sizeof(*condition));
}

uint32_t tw_socket_selected__events(const struct tw_socket_selected *selected)
{
	uint32_t events = 0;

	for (enum tw_sockts_event event = 0; event < TW_SOCKTS_EVENTS; event++)
		if (!selected->n_ifindexes || known[event] & BIT(ifindex))
			events |= 1u << event;
	return events;
}

void tw_sockts_conditions__select(enum tw_sockts_event event, const struct tw_socket_selected *selected,
				  struct tw_sockts_conditions *conditions)
{
	const uint32_t n_netns = (selected->own_netns != 0) + selected->n_netns;
	uint64_t ifindexes[TW_SOCKET_NAMES_MAX];

	make_room(&conditions->event, n_netns + (known[event] & BIT(ifindex) ? selected->n_ifindexes : 0));
	make_room(&conditions->socket, n_netns);
	for (uint32_t i = 0; i < selected->n_ifindexes; i++)
		ifindexes[i] = selected->ifindexes[i];
	if (known[event] & BIT(ifindex))
		require(&conditions->event, TW_SOCKTS_FACT_ifindex, ifindexes, selected->n_ifindexes);
	/* the interfaces are those of one namespace */
	require(&conditions->event, TW_SOCKTS_FACT_netns_cookie, &selected->own_netns, selected->own_netns != 0);
	require(&conditions->socket, TW_SOCKTS_FACT_netns_cookie, &selected->own_netns, selected->own_netns != 0);
	require(&conditions->event, TW_SOCKTS_FACT_netns_cookie, selected->netns_cookies, selected->n_netns);
	require(&conditions->socket, TW_SOCKTS_FACT_netns_cookie, selected->netns_cookies, selected->n_netns);
}
