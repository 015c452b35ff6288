/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct tw_pair_table *table;

static int make(void **state)
{
	(void)state;
	table = tw_pair_table__new();
	return !table;
}

static int discard(void **state)
{
	(void)state;
	tw_pair_table__free(table);
	return 0;
}

static int parse(const char *text, struct tw_error *error)
{
	return tw_pair_table__parse(table, text, strlen(text), "x.pairs", error);
}

static void refused(const char *text, int err, const char *why)
{
	struct tw_error error = { "" };
	const size_t n = tw_pair_table__count(table);

	assert_int_equal(parse(text, &error), err);
	assert_string_equal(error.text, why);
	assert_int_equal(tw_pair_table__count(table), n);
}

#define A_PAIR "begin a\nend b\n"

static void test_all_lines(void **state)
{
	static const char text[] = "# what a task waits for\r\n"
				   "pair wait-1\n"
				   "\ttext  time that it waits  \n"
				   "\tbegin sched:sched_waking pid,cpu if pid != 0 and comm == \"a b\" \r\n"
				   "\tend   sched/sched_switch next_pid,cpu\n"
				   "\tcancel sched_process_exit pid,cpu\n"
				   "\tby prev_state,cpu\n"
				   "\tagain first\n"
				   "\tunit us\n"
				   "\n"
				   "pair other\n" A_PAIR;
	const struct tw_pair *pair;
	struct tw_error error = { "" };

	(void)state;
	assert_int_equal(parse(text, &error), 0);
	assert_int_equal(tw_pair_table__count(table), 2);
	pair = tw_pair_table__find(table, "wait-1", NULL);
	assert_ptr_equal(pair, tw_pair_table__at(table, 0));
	assert_string_equal(pair->text, "time that it waits");
	assert_string_equal(pair->source, "x.pairs");
	assert_int_equal(pair->line, 2);
	assert_int_equal(pair->n_by, 2);
	assert_string_equal(pair->by[0], "prev_state");
	assert_string_equal(pair->by[1], "cpu");
	assert_int_equal(pair->unit, TW_PAIR_US);
	assert_true(pair->keeps_first);
	assert_int_equal(pair->n_events, 3);
	assert_int_equal(pair->events[0].role, TW_PAIR_BEGIN);
	assert_string_equal(pair->events[0].system, "sched");
	assert_string_equal(pair->events[0].event, "sched_waking");
	assert_int_equal(pair->events[0].n_keys, 2);
	assert_string_equal(pair->events[0].keys[1], "cpu");
	assert_string_equal(pair->events[0].condition, "pid != 0 and comm == \"a b\"");
	assert_int_equal(pair->events[0].line, 4);
	assert_int_equal(pair->events[0].column, 8);
	assert_int_equal(pair->events[0].condition_column, 38);
	assert_int_equal(pair->events[1].role, TW_PAIR_END);
	assert_string_equal(pair->events[1].system, "sched");
	assert_string_equal(pair->events[1].event, "sched_switch");
	assert_null(pair->events[1].condition);
	assert_int_equal(pair->events[2].role, TW_PAIR_CANCEL);
	assert_null(pair->events[2].system);
	pair = tw_pair_table__at(table, 1);
	assert_string_equal(pair->text, "");
	assert_int_equal(pair->unit, TW_PAIR_NS);
	assert_false(pair->keeps_first);
	assert_int_equal(pair->events[0].n_keys, 0);
	assert_null(tw_pair_table__at(table, 2));
}

/* Events with values instead of beginnings and ends. */
static void test_values(void **state)
{
	struct tw_error error;
	const struct tw_pair *pair;

	(void)state;
	assert_int_equal(parse("pair net:net_dev_queue.len\nvalue net:net_dev_queue len if len > 0\nvalue b c\n",
			       &error),
			 0);
	pair = tw_pair_table__at(table, 0);
	assert_true(tw_pair__has_values(pair));
	assert_int_equal(pair->unit, TW_PAIR_NUMBER);
	assert_string_equal(pair->events[0].keys[0], "len");
	assert_null(tw_pair__lacks(pair, (bool[TW_PAIR_EVENTS_MAX]){ true, false }));
	assert_ptr_equal(tw_pair__lacks(pair, (bool[TW_PAIR_EVENTS_MAX]){ true, true }), &pair->events[1]);
	assert_int_equal(parse("pair b\nvalue b c\nunit bytes\n", &error), 0);
	assert_int_equal(tw_pair_table__at(table, 1)->unit, TW_PAIR_BYTES);
	refused("pair a\nvalue b c\nend d c\n", -EINVAL,
		"x.pairs:1:1: pair a has `value` together with `begin`, `end` or `cancel`: give it only `value`, or no `value`");
	refused("pair a\nvalue b\n", -EINVAL, "x.pairs:2:7: give one field, whose value is measured");
	refused("pair a\nvalue b c,d\n", -EINVAL, "x.pairs:2:7: give one field, whose value is measured");
	refused("pair a\nvalue b c\nby d,e,f,g\n", -EINVAL,
		"x.pairs:1:1: pair a with values has more than 3 fields in `by`");
}

/* A pair of a later text replaces the pair of the same name, at the same position. The other pairs stay. */
static void test_replaced(void **state)
{
	struct tw_error error;

	(void)state;
	assert_int_equal(parse("pair a\n" A_PAIR "pair b\n" A_PAIR, &error), 0);
	assert_int_equal(parse("pair c\n" A_PAIR "pair a\nbegin x k\nend y k\n", &error), 0);
	assert_int_equal(tw_pair_table__count(table), 3);
	assert_string_equal(tw_pair_table__at(table, 0)->name, "a");
	assert_string_equal(tw_pair_table__at(table, 0)->events[0].event, "x");
	assert_string_equal(tw_pair_table__at(table, 1)->name, "b");
	assert_string_equal(tw_pair_table__at(table, 2)->name, "c");
}

static void test_no_last_newline(void **state)
{
	struct tw_error error;

	(void)state;
	assert_int_equal(parse("pair a\nbegin a\nend b if x == 1", &error), 0);
	assert_string_equal(tw_pair_table__at(table, 0)->events[1].condition, "x == 1");
	assert_int_equal(parse("", &error), 0);
	assert_int_equal(tw_pair_table__parse(table, "pair b\nbegin a\nend bcd", 21, "short", &error), 0);
	assert_string_equal(tw_pair_table__find(table, "b", NULL)->events[1].event, "bc");
}

static void test_refused(void **state)
{
	(void)state;
	refused("begin a\n", -EINVAL, "x.pairs:1:1: 'begin' is before the first `pair NAME`");
	refused("pair a\n  bgin a\n", -EINVAL,
		"x.pairs:2:3: 'bgin' is none of pair, text, begin, end, cancel, value, again, by and unit; did you mean begin?");
	refused("pair a\nfor ever\n", -EINVAL,
		"x.pairs:2:1: 'for' is none of pair, text, begin, end, cancel, value, again, by and unit");
	refused("pair\n", -EINVAL, "x.pairs:1:5: give the pair a name of letters, digits and - _ . :");
	refused("pair a/b\n", -EINVAL, "x.pairs:1:6: give the pair a name of letters, digits and - _ . :");
	refused("pair a b\n", -EINVAL, "x.pairs:1:8: 'b' is not expected: nothing may follow here");
	refused("pair a\n" A_PAIR "pair a\n" A_PAIR, -EINVAL, "x.pairs:4:6: pair a is defined in line 1 already");
	refused("pair a\nbegin\n", -EINVAL, "x.pairs:2:6: an event is missing, for example sched:sched_switch");
	refused("pair a\nbegin sched: pid\n", -EINVAL,
		"x.pairs:2:7: give an event as SYSTEM:EVENT, for example sched:sched_switch");
	refused("pair a\nbegin a:b:c pid\n", -EINVAL,
		"x.pairs:2:7: give an event as SYSTEM:EVENT, for example sched:sched_switch");
	refused("pair a\nbegin a pid,,x\n", -EINVAL, "x.pairs:2:13: '' is not the name of a field");
	refused("pair a\nbegin a pid, x\n", -EINVAL, "x.pairs:2:13: '' is not the name of a field");
	refused("pair a\nbegin a b c\n", -EINVAL,
		"x.pairs:2:11: 'c' is not expected: only `if` and an expression may follow; keys are separated by commas without blanks");
	refused("pair a\nbegin a b if \n", -EINVAL, "x.pairs:2:14: the expression after `if` is missing");
	refused("pair a\nbegin a a,b,c,d,e\n", -E2BIG, "x.pairs:2:17: more than 4 names");
	refused("pair a\nby\n", -EINVAL, "x.pairs:2:3: the name of a field is missing");
	refused("pair a\nby a b\n", -EINVAL, "x.pairs:2:6: 'b' is not expected: nothing may follow here");
	refused("pair a\nunit s\n", -EINVAL,
		"x.pairs:2:6: give a unit: ns, us or ms for times, bytes or number for values");
	refused("pair a\nagain\n", -EINVAL,
		"x.pairs:2:6: give `first` or `last`: the begin that counts if there are several");
	refused("pair a\nbegin a\n", -EINVAL, "x.pairs:1:1: pair a has no line `end`");
	refused("pair a\nend a\npair b\n" A_PAIR, -EINVAL, "x.pairs:1:1: pair a has no line `begin`");
	refused("pair a\nbegin a k\nend b\n", -EINVAL,
		"x.pairs:3:5: b has 0 keys, but the first event of pair a has 1: all events of a pair need the same number");
}

static void test_limits(void **state)
{
	static char text[TW_PAIR_TEXT_MAX + 1];
	struct tw_error error;
	size_t len = 0;

	(void)state;
	memset(text, ' ', sizeof(text));
	assert_int_equal(tw_pair_table__parse(table, text, TW_PAIR_TEXT_MAX, "big", &error), 0);
	assert_int_equal(tw_pair_table__parse(table, text, TW_PAIR_TEXT_MAX + 1, "big", &error), -E2BIG);
	assert_int_equal(tw_pair_table__parse(table, "pair \0a", 7, "nul", &error), -EINVAL);
	assert_string_equal(error.text, "nul: not a text, because there is a NUL byte");
	assert_int_equal(tw_pair_table__parse(table, "pair a\nbogus", 12, NULL, &error),
			 -EINVAL); /* no place is named */
	assert_string_equal(error.text, "'bogus' is none of pair, text, begin, end, cancel, value, again, by and unit");

	len = (size_t)sprintf(text, "pair many\nend e\n");
	for (int i = 1; i < TW_PAIR_EVENTS_MAX; i++)
		len += (size_t)sprintf(text + len, "begin e%d\n", i);
	assert_int_equal(parse(text, &error), 0);
	sprintf(text + len, "begin one\n");
	refused(text, -E2BIG, "x.pairs:18:7: pair many has more than 16 events");

	len = 0;
	for (int i = 0; i < TW_PAIRS_MAX; i++)
		len += (size_t)sprintf(text + len, "pair p%d\n" A_PAIR, i);
	refused(text, -E2BIG, "x.pairs: this file and earlier files have more than 512 pairs");
	sprintf(text + len, "pair one\n" A_PAIR);
	refused(text, -E2BIG, "x.pairs:1537:6: more than 512 pairs");
}

/* The built-in pairs are valid, and the error for a misspelt name suggests the right one. */
static void test_shipped(void **state)
{
	struct tw_error error = { "" };

	(void)state;
	if (tw_pair_table__ship(table, &error))
		fail_msg("%s", error.text);
	assert_non_null(tw_pair_table__find(table, "runqlat", &error));
	assert_null(tw_pair_table__find(table, "runqlta", &error));
	assert_string_equal(error.text, "there is no pair 'runqlta'; did you mean runqlat?");
	assert_null(tw_pair_table__find(table, "zzz", &error));
	assert_string_equal(error.text, "there is no pair 'zzz'");
}

/* The built-in pairs of `tracewire time` are valid. */
static void test_ordered(void **state)
{
	struct tw_error error = { "" };

	(void)state;
	if (tw_pair_table__ship_ordered(table, &error))
		fail_msg("%s", error.text);
	assert_non_null(tw_pair_table__find(table, "tcp-established", &error));
	for (size_t i = 0; i < tw_pair_table__count(table); i++) {
		const struct tw_pair *pair = tw_pair_table__at(table, i);

		assert_int_equal(pair->n_events, 2);
		assert_int_equal(pair->events[0].role, TW_PAIR_BEGIN);
		assert_int_equal(pair->events[1].role, TW_PAIR_END);
		assert_true(*pair->text != '\0' && pair->events[0].n_keys > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_lines, make, discard),
		cmocka_unit_test_setup_teardown(test_values, make, discard),
		cmocka_unit_test_setup_teardown(test_replaced, make, discard),
		cmocka_unit_test_setup_teardown(test_no_last_newline, make, discard),
		cmocka_unit_test_setup_teardown(test_refused, make, discard),
		cmocka_unit_test_setup_teardown(test_limits, make, discard),
		cmocka_unit_test_setup_teardown(test_shipped, make, discard),
		cmocka_unit_test_setup_teardown(test_ordered, make, discard),
	};

	return cmocka_run_group_tests_name("pair table", tests, NULL, NULL);
}
