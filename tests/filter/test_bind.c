/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions, and their trees for an event. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/capability.h"
#include "filter/describe.h"
#include "filter/evaluate.h"
#include "tests/filter/bound.h"
#include "tests/filter/formats.h"

static int bind(const char *text, bool unknown_is_absent, struct tw_bound **ret, struct tw_error *err)
{
	const struct tw_bind_options options = { .schema = formats, .unknown_is_absent = unknown_is_absent };

	return bound__make(text, &options, ret, err);
}

static const struct {
	const char *text;
	uint16_t id;
	const char *tree;
} meanings[] = {
	{ "sched.sched_switch.prev_pid == 0 && cpu == 1", SWITCH, "prev_pid == 0 && cpu == 1" },
	{ "sched.sched_switch.prev_pid == 0 && cpu == 1", WAKEUP, "false" },
	{ "trace.sched.sched_switch.prev_pid == 0", SWITCH, "prev_pid == 0" },
	{ "sched_switch.prev_pid == 0x10", SWITCH, "prev_pid == 16" },
	{ "sched:sched_switch.prev_pid == 0X10", SWITCH, "prev_pid == 16" },
	{ "trace.sched:sched_switch.prev_pid == -0x10", SWITCH, "prev_pid == -16" },
	{ "prev_pid == 010", SWITCH, "prev_pid == 8" },
	{ "prev_pid == 0b101", SWITCH, "prev_pid == 5" },
	{ "prev_pid == -1", SWITCH, "prev_pid == -1" },
	{ "prev_pid == 'a'", SWITCH, "prev_pid == 97" },
	{ "any.prev_pid eq 1", SWITCH, "prev_pid == 1" },
	{ "prev_comm == \"bash\"", SWITCH, "prev_comm == \"bash\"" },
	{ "prev_comm == \"bash\"", UNKNOWN, "false" },
	{ "!(prev_comm == \"bash\")", UNKNOWN, "true" },
	{ "not prev_comm == bash", SWITCH, "!(prev_comm == \"bash\")" },
	{ "not prev_comm == bash", WAKEUP, "true" },
	{ "prev_comm != bash", WAKEUP, "false" },
	{ "prev_comm ~ \"ba*\" or next_comm ~ kworker/*", SWITCH, "prev_comm ~ \"ba*\" || next_comm ~ \"kworker/*\"" },
	{ "prev_comm contains \"\\x41\\\"\\101\"", SWITCH, "prev_comm contains \"A\\\"A\"" },
	{ "prev_comm matches r\"^a\\d\"", SWITCH, "prev_comm matches \"^a\\\\d\"" },
	{ "prev_comm in {\"a\", b}", SWITCH, "prev_comm == \"a\" || prev_comm == \"b\"" },
	{ "prev_pid in {1, 2, 5..9}", SWITCH, "prev_pid == 1 || prev_pid == 2 || prev_pid in {5..9}" },
	{ "prev_pid not in {1,-5..-2}", SWITCH, "!(prev_pid == 1) && !(prev_pid in {-5..-2})" },
	{ "prev_state & 0x3", SWITCH, "prev_state & 0x3" },
	{ "prev_state & 3 == 2", SWITCH, "prev_state & 0x3 == 0x2" },
	{ "prev_state == D", SWITCH, "prev_state == 2" },
	{ "prev_state in {R, S|I}", SWITCH, "prev_state == 0 || prev_state == 129" },
	{ "size & 3 != 300", TINY, "size" },
	{ "prev_comm == \"ba*\"", SWITCH, "prev_comm == \"ba*\"" },
	{ "prev_pid", SWITCH, "prev_pid" },
	{ "cpu", SWITCH, "true" },
	{ "softirq_raise.vec == NET_RX", SOFTIRQ, "vec == 3" },
	{ "vec in {\"NET_RX\", NET_TX}", SOFTIRQ, "vec == 3 || vec == 2" },
	{ "gfp_flags & GFP_ZERO|GFP_IO", KMALLOC, "gfp_flags & 0x500" },
	{ "gfp_flags == GFP_HIGH|GFP_IO", KMALLOC, "gfp_flags == 1056" },
	{ "gfp_flags == none", KMALLOC, "gfp_flags == 0" },
	{ "flags & softirq|hardirq", LARGE, "flags & 0x18" },
	{ "event == sched_switch", SWITCH, "true" },
	{ "event == sched_switch", WAKEUP, "false" },
	{ "event ~ \"sched_*\" and not event == sched_switch", WAKEUP, "true" },
	{ "event == sched_switch", UNKNOWN, "false" },
	{ "!(event == sched_switch)", UNKNOWN, "true" },
	{ "system in {sched, irq} && pid == 5", HANDLER, "pid == 5" },
	{ "common_pid == 5", UNKNOWN, "pid == 5" },
	{ "sched_wakeup.pid == 5", WAKEUP, "any.pid == 5" },
	{ "sched_wakeup.comm == a && comm == b", WAKEUP, "any.comm == \"a\" && comm == \"b\"" },
	{ "sched_wakeup.common_pid == 5", SWITCH, "false" },
	{ "COMM == \"x\" || CPU == 1", LARGE, "comm == \"x\" || cpu == 1" },
	{ "host == here", LARGE, "host == \"here\"" },
	{ "time >= 12.5 && time < 3600", LARGE, "time >= 12.500000000 && time < 3600.000000000" },
	{ "time in {1..2.000000001}", LARGE, "time in {1.000000000..2.000000001}" },
	{ "saddr == 10.1.2.3", SOCK, "saddr == 10.1.2.3" },
	{ "saddr != 10.0.0.0/8", SOCK, "saddr != 10.0.0.0/8" },
	{ "saddr_v6 == fe80::1", SOCK, "saddr_v6 == fe80::1" },
	{ "gateway == 10.1.2.3", SOCK, "gateway == 50462986" },
	{ "gateway == 10.0.0.0/8", SOCK, "gateway & 0xff == 0xa" },
	{ "mac == 02:00:5e:10:00:01", SOCK, "mac == 02:00:5e:10:00:01" },
	{ "mac contains 5e-10", SOCK, "mac contains 5e:10" },
	{ "vendor-bus.tiny.levels == 3", TINY, "levels == 3" },
	{ "on == true", TINY, "on == 1" },
	{ "cpus == \"0-3\"", TINY, "cpus == \"0-3\"" },
	/* if a value is outside of the range of an event's field, the result of the comparison is known for this event */
	{ "size == 300", TINY, "false" },
	{ "size == 300", LARGE, "size == 300" },
	{ "size != 300", TINY, "size" },
	{ "size < 300", TINY, "size" },
	{ "size > 300", TINY, "false" },
	{ "change < -200", TINY, "false" },
	{ "change > -200", TINY, "change" },
	{ "change in {-1000..5}", TINY, "change in {-128..5}" },
	{ "change in {-1000..5}", LARGE, "change in {-1000..5}" },
	{ "change in {500..600}", TINY, "false" },
	{ "change in {-600..-500}", TINY, "false" },
	{ "change not in {-600..-500} && cpu == 1", TINY, "cpu == 1" },
	{ "change in {-1000..1000}", TINY, "change in {-128..127}" },
	{ "size in {5, 300}", TINY, "size == 5" },
	{ "event != tiny && cpu == 1", LARGE, "cpu == 1" },
	{ "event != tiny && cpu == 1", TINY, "false" },
	/* AND, OR, NOT */
	{ "cpu == 1 || cpu == 2 && pid == 3", LARGE, "cpu == 1 || (cpu == 2 && pid == 3)" },
	{ "(cpu == 1 || cpu == 2) and pid == 3", LARGE, "(cpu == 1 || cpu == 2) && pid == 3" },
	{ "!(cpu == 1 || cpu == 2) and pid == 3", LARGE, "!(cpu == 1) && !(cpu == 2) && pid == 3" },
	{ "!(cpu == 1 && (cpu == 2 || pid == 3))", LARGE, "!(cpu == 1) || (!(cpu == 2) && !(pid == 3))" },
	{ "not not !cpu == 1", LARGE, "!(cpu == 1)" },
	{ "((((cpu == 1))))", LARGE, "cpu == 1" },
};

static void describe_leaf(const struct tw_node *node, struct tw_line *line)
{
	if (node->kind != TW_NODE_TEST) {
		tw_line__str(line, node->kind == TW_NODE_TRUE ? "true" : "false");
		return;
	}
	tw_line__str(line, node->negated ? "!(" : "");
	tw_test__describe(node->test, line);
	tw_line__str(line, node->negated ? ")" : "");
}

/*
 * Append a tree, for example `(a == 1 || !(b == 2)) && c > 3`, `true` or `false`. Parentheses around an AND inside an OR are not
 * necessary, but make the text easier to read.
 */
static void describe_tree(const struct tw_node *root, struct tw_line *line)
{
	struct tw_walk walk = tw_walk__on(root);
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		if (at == TW_WALK_LEAF)
			describe_leaf(walk.node, line);
		else if (at == TW_WALK_BETWEEN)
			tw_line__str(line, walk.node->kind == TW_NODE_AND ? " && " : " || ");
		else if (walk.node != root)
			tw_line__char(line, at == TW_WALK_OPEN ? '(' : ')');
	}
}

static void describe(const struct tw_bound *bound, uint16_t id, char *buf, size_t size)
{
	struct tw_line line = tw_line__on(buf, size - 1);

	describe_tree(tw_bound__root(bound, id), &line);
	*line.at = '\0';
}

static void test_meanings(void **state)
{
	char buf[512];

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct tw_error err = { "" };
		struct tw_bound *bound;

		if (bind(meanings[i].text, false, &bound, &err))
			fail_msg("%s: %s", meanings[i].text, err.text);
		describe(bound, meanings[i].id, buf, sizeof(buf));
		if (strcmp(buf, meanings[i].tree) != 0)
			fail_msg("%s for %u: '%s', not '%s'", meanings[i].text, meanings[i].id, buf, meanings[i].tree);
		tw_bound__free(bound);
	}
}

/* A tree as text is an expression again, with the same meaning. */
static void test_words_are_language(void **state)
{
	char first[512], second[512];

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		struct tw_error err = { "" };
		struct tw_bound *bound;

		if (!strcmp(meanings[i].tree, "true") || !strcmp(meanings[i].tree, "false"))
			continue;
		assert_int_equal(bind(meanings[i].text, false, &bound, &err), 0);
		describe(bound, meanings[i].id, first, sizeof(first));
		tw_bound__free(bound);
		if (bind(first, false, &bound, &err))
			fail_msg("%s: %s", first, err.text);
		describe(bound, meanings[i].id, second, sizeof(second));
		assert_string_equal(first, second);
		tw_bound__free(bound);
	}
}

static void test_unknown_is_absent(void **state)
{
	struct tw_error err = { "" };
	struct tw_bound *bound;

	(void)state;
	assert_int_equal(bind("nowhere == 1 || cpu == 1", true, &bound, &err), 0);
	assert_non_null(strstr(bound->absent[0], "nowhere"));
	assert_null(bound->absent[1]);
	assert_int_equal(tw_bound__root(bound, SWITCH)->kind, TW_NODE_TEST);
	tw_bound__free(bound);
	/* if one value of a set is known, the predicate is not absent */
	assert_int_equal(bind("event in {tiny, gone} || vec in {3, 4294967296} || event == gone", true, &bound, &err),
			 0);
	assert_null(bound->absent[0]);
	assert_null(bound->absent[1]);
	assert_non_null(strstr(bound->absent[2], "there is no event 'gone'"));
	tw_bound__free(bound);
}

/* Only integers and enums are signed. If a format declares another field as signed, its range and its bytes stay the same. */
static void test_odd_sign(void **state)
{
	static const char text[] = "name: odd\nID: 10\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
				   "\tfield:bool on;\toffset:8;\tsize:1;\tsigned:1;\n\nprint fmt: \"\"\n";
	static const uint8_t record[9] = { [8] = 255 };
	const struct tw_filter_event event = { .record = record, .len = sizeof(record), .id = 10 };
	struct tw_schema *odd = tw_schema__new();
	const struct tw_bind_options options = { .schema = odd };
	struct tw_test_place place;
	struct tw_bound *bound;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_schema__add(odd, "odd", text, strlen(text), NULL, &err), 0);
	assert_int_equal(bound__make_ready("on == 255", &options, &bound, &err), 0);
	assert_true(tw_bound__matches(bound, &event));
	assert_true(tw_test__place(tw_bound__root(bound, 10)->test, &place));
	assert_false(place.is_signed);
	tw_bound__free(bound);
	tw_schema__free(odd);
}

static void test_weaken(void **state)
{
	static const struct {
		const char *text, *weak, *rest;
		bool exact;
	} cases[] = {
		{ "cpu == 1", "cpu == 1", "true", true },
		{ "comm == \"x\"", "true", "comm == \"x\"", false },
		{ "cpu == 1 && comm == \"x\"", "cpu == 1", "comm == \"x\"", false },
		{ "cpu == 1 && !(comm == \"x\")", "cpu == 1", "!(comm == \"x\")", false },
		{ "cpu == 1 || comm == \"x\"", "true", "cpu == 1 || comm == \"x\"", false },
		{ "cpu == 2 && (cpu == 1 || comm == \"x\")", "cpu == 2", "cpu == 1 || comm == \"x\"", false },
		{ "cpu == 2 && (cpu == 1 || (comm == \"x\" && time > 1))",
		  "cpu == 2 && (cpu == 1 || time > 1.000000000)", "cpu == 1 || (comm == \"x\" && time > 1.000000000)",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char weak[256] = "", rest[256] = "";
		struct tw_line weak_line = tw_line__on(weak, 255), rest_line = tw_line__on(rest, 255);
		struct tw_error err;
		struct tw_bound *bound;
		bool exact;

		assert_int_equal(bind(cases[i].text, false, &bound, &err), 0);
		describe_tree(tw_node__weaken(bound->unknown, TW_BACK_END_PRODUCER, bound->arena, &exact), &weak_line);
		describe_tree(tw_node__rest(bound->unknown, TW_BACK_END_PRODUCER, bound->arena), &rest_line);
		assert_string_equal(weak, cases[i].weak);
		assert_string_equal(rest, cases[i].rest);
		assert_int_equal(exact, cases[i].exact);
		tw_bound__free(bound);
	}
}

static void test_ambiguous_keys(void **state)
{
	static const struct {
		const char *text, *note; /* NULL = none */
	} cases[] = {
		{ "cpu == 1 && pid == 5",
		  "column 13: pid is the pid of the task that was running; for the field of sched_wakeup, write "
		  "sched_wakeup.pid; for the field of any event, write any.pid" },
		{ "time > 1 and (comm == a or pid == 5)",
		  "column 15: comm is the name of the task that was running; for the field of sched_wakeup, write "
		  "sched_wakeup.comm; for the field of any event, write any.comm" },
		{ "sched_wakeup.pid == 5 or any.comm == a", NULL },
		{ "common_pid == 5 or COMM == a or cpu == 1 or flags == 0", NULL },
		{ "prev_comm == a", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_error note = { .text = "" };
		struct tw_filter *filter;

		assert_int_equal(tw_filter__parse(cases[i].text, &filter, NULL), 0);
		assert_int_equal(tw_filter__ambiguous_key(filter, formats, &note), cases[i].note != NULL);
		assert_string_equal(note.text, cases[i].note ? cases[i].note : "");
		tw_filter__free(filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meanings),
		cmocka_unit_test(test_words_are_language),
		cmocka_unit_test(test_unknown_is_absent),
		cmocka_unit_test(test_odd_sign),
		cmocka_unit_test(test_weaken),
		cmocka_unit_test(test_ambiguous_keys),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
