/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters for the kernel, and refused ones. test_tracefs_kernel.c shows that the kernel accepts them with the same meaning. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/tracefs.h"
#include "tests/filter/emitted.h"

static const struct {
	const char *text;
	uint16_t id;
	const char *filter;
} golden[] = {
	{ "sched.sched_switch.prev_pid == 0 && cpu == 1", SWITCH, "prev_pid == 0 && CPU == 1" },
	{ "prev_pid == 1 || prev_pid == 2 and next_pid == 3", SWITCH,
	  "prev_pid == 1 || prev_pid == 2 && next_pid == 3" },
	{ "(prev_pid == 1 || prev_pid == 2) and next_pid == 3", SWITCH,
	  "(prev_pid == 1 || prev_pid == 2) && next_pid == 3" },
	{ "!(prev_pid == 1 && next_pid == 3)", SWITCH, "!(prev_pid == 1) || !(next_pid == 3)" },
	{ "prev_pid != -1 && prev_prio <= 100", SWITCH, "prev_pid != -1 && prev_prio <= 100" },
	{ "prev_pid in {1, 5..9} && cpu == 0", SWITCH,
	  "(prev_pid == 1 || (prev_pid >= 5 && prev_pid <= 9)) && CPU == 0" },
	{ "not prev_pid in {5..9}", SWITCH, "!(prev_pid >= 5 && prev_pid <= 9)" },
	{ "prev_pid", SWITCH, "common_type >= 0" },
	{ "pid == 0 && flags & 4 && common_preempt_count > 1", WAKEUP,
	  "common_pid == 0 && common_flags & 4 && common_preempt_count > 1" },
	{ "prev_state & 3", SWITCH, "prev_state & 3" },
	{ "prev_state & 3 == 0", SWITCH, "!(prev_state & 3)" },
	{ "prev_state & 7 == 5 && pid == 1", SWITCH,
	  "(!(prev_state & 2) && prev_state & 1 && prev_state & 4) && common_pid == 1" },
	{ "prev_state & 3 != 1", SWITCH, "!(!(prev_state & 2) && prev_state & 1)" },
	{ "!(prev_state & 3)", SWITCH, "!(prev_state & 3)" },
	{ "prev_state & 1 == 1", SWITCH, "prev_state & 1" },
	{ "large.change & 0x8000000000000000", LARGE, "change & -9223372036854775808" },
	{ "large.size >= 0xffffffffffffffff", LARGE, "size >= 18446744073709551615" },
	{ "tiny.change & 0x80", TINY, "change & -128" },
	{ "tiny.on == true", TINY, "on == 1" },
	{ "saddr == 10.1.2.3", SOCK, "saddr == 50462986" },
	{ "saddr != 10.1.2.3", SOCK, "saddr != 50462986" },
	{ "saddr == 10.0.0.0/8", SOCK, "!(saddr & 245) && saddr & 2 && saddr & 8" },
	{ "gateway == 10.1.2.3", SOCK, "gateway == 50462986" },
	{ "ptr == 0xffff888000000000", KMALLOC, "ptr == 18446612682070032384" },

	{ "prev_comm == \"bash\"", SWITCH, "prev_comm == \"bash\"" },
	{ "prev_comm != 'ba\"sh'", SWITCH, "prev_comm != 'ba\"sh'" },
	{ "prev_comm == \"sixteen bytes ..\"", SWITCH, "common_type < 0" },
	{ "prev_comm == \"\"", SWITCH, "prev_comm == \"\"" },
	{ "prev_comm ~ \"kworker/*\"", SWITCH, "prev_comm ~ \"kworker/*\"" },
	{ "prev_comm ~ \"bash\"", SWITCH, "prev_comm == \"bash\"" },
	{ "prev_comm ~ \"*\"", SWITCH, "common_type >= 0" },
	{ "prev_comm ~ \"*sh\"", SWITCH, "prev_comm ~ \"*\\sh\"" },
	{ "prev_comm ~ \"*as*\"", SWITCH, "prev_comm ~ \"*\\as*\"" },
	{ "prev_comm contains \"as\"", SWITCH, "prev_comm ~ \"*\\as*\"" },
	{ "prev_comm contains \"a*\"", SWITCH, "prev_comm ~ \"*\\a\\**\"" },
	{ "prev_comm ~ \"!a*\"", SWITCH, "prev_comm ~ \"\\!a*\"" },
	{ "prev_comm ~ \"1*\"", SWITCH, "prev_comm ~ \"\\1*\"" },
	{ "prev_comm ~ \"[!a-c]?*\"", SWITCH, "prev_comm ~ \"[!a-c]?*\" && prev_comm ~ \"??*\"" },
	/* a mask of no bits */
	{ "prev_pid & 0 == 0", SWITCH, "common_type >= 0" },
	{ "prev_pid & 0 != 0", SWITCH, "common_type < 0" },
	/* an array that need not end with a NUL */
	{ "tag ~ \"abcdefg*\"", TINY, "tag ~ \"abcdefg*\"" },
	{ "tag ~ \"abcdefgh*\"", TINY, "tag ~ \"abcdefgh*\"" },
	{ "tag ~ \"abcdefghi*\"", TINY, "common_type < 0" },
	{ "tag ~ \"abcdefg?\"", TINY, "tag ~ \"abcdefg?*\"" },
	{ "tag ~ \"*sh\"", TINY, "(tag ~ \"*\\sh\" && !(tag ~ \"????????*\")) || tag ~ \"??????sh*\"" },
	{ "tag ~ \"*sh\" && cpu == 1", TINY,
	  "((tag ~ \"*\\sh\" && !(tag ~ \"????????*\")) || tag ~ \"??????sh*\") && CPU == 1" },
	{ "!(tag ~ \"*sh\")", TINY, "!((tag ~ \"*\\sh\" && !(tag ~ \"????????*\")) || tag ~ \"??????sh*\")" },
	{ "tag ~ \"*sh*\"", TINY, "tag ~ \"*\\sh*\" && tag ~ \"*sh*\"" },
	{ "irq_handler_entry.name ~ \"*eth*\"", HANDLER, "name ~ \"*\\eth*\"" },

	{ "comm == \"bash\"", SWITCH, "COMM == \"bash\"" },
	{ "comm != \"bash\"", SWITCH, "COMM != \"bash\"" },
	{ "comm == \"<idle>\"", SWITCH, "common_pid == 0 || COMM == \"<idle>\"" },
	{ "comm != \"<idle>\" && cpu == 1", SWITCH, "(common_pid != 0 && COMM != \"<idle>\") && CPU == 1" },
	{ "comm == \"swapper/0\"", SWITCH, "common_pid != 0 && COMM == \"swapper/0\"" },
	{ "comm ~ \"kworker*\"", SWITCH, "COMM ~ \"kworker*\"" },
	{ "comm ~ \"*e*\"", SWITCH, "common_pid == 0 || COMM ~ \"*\\e*\"" },
	{ "comm contains \"kw\"", SWITCH, "COMM ~ \"*\\kw*\"" },
};

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		struct tw_bound *bound = bind_to(formats, golden[i].text, false);
		char buf[TW_TRACEFS_FILTER_MAX];
		struct tw_line line = tw_line__on(buf, sizeof(buf) - 1);
		struct tw_error err;

		if (tw_tracefs__emit(bound, tw_bound__root(bound, golden[i].id), &line, &err))
			fail_msg("%s: %s", golden[i].text, err.text);
		*line.at = 0;
		emitted_is(golden[i].text, golden[i].filter, buf);
		tw_bound__free(bound);
	}
}

static const struct {
	const char *text;
	uint16_t id;
	const char *why;
} refused[] = {
	{ "time > 1", SWITCH,
	  "column 1: tracefs cannot express 'time > 1', because the kernel's filters cannot compare the time" },
	{ "prev_pid == 1 && host == alpha", SWITCH,
	  "column 18: tracefs cannot express 'host == alpha', because the kernel's filters cannot compare the host's name" },
	{ "cpu & 1", SWITCH,
	  "column 1: tracefs cannot express 'cpu & 1', because the kernel's filters support no mask for the CPU" },
	{ "prev_state & 3 > 1", SWITCH,
	  "column 1: tracefs cannot express 'prev_state & 3 > 1', because the kernel's filters can compare masked "
	  "values only for equality" },
	{ "levels == 1", TINY,
	  "column 1: tracefs cannot express 'levels == 1', because the kernel's filters cannot compare arrays" },
	{ "cpus == \"0-3\"", TINY,
	  "column 1: tracefs cannot express 'cpus == \"0-3\"', because the kernel's filters cannot compare a list of bits as text" },
	{ "saddr_v6 == ::1", SOCK,
	  "column 1: tracefs cannot express 'saddr_v6 == ::1', because the kernel's filters can compare only single integers" },
	{ "saddr > 10.0.0.1", SOCK,
	  "column 1: tracefs cannot express 'saddr > 10.0.0.1', because the kernel's filters compare bytes for equality only" },
	{ "prev_comm > a", SWITCH,
	  "column 1: tracefs cannot express 'prev_comm > a', because the kernel's filters cannot order texts" },
	{ "prev_comm matches a", SWITCH,
	  "column 1: tracefs cannot express 'prev_comm matches a', because the kernel's filters have no regular expressions" },
	{ "comm", SWITCH,
	  "column 1: tracefs cannot express 'comm', because the kernel may know a task name that Tracewire does not know" },
	{ "prev_comm == \"a'\\\"\"", SWITCH,
	  "column 1: tracefs cannot express 'prev_comm == \"a'\\\"\"', because the kernel's filters cannot quote a "
	  "text that has both kinds of quotes" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct tw_bound *bound = bind_to(formats, refused[i].text, false);
		char buf[TW_TRACEFS_FILTER_MAX];
		struct tw_line line = tw_line__on(buf, sizeof(buf));
		struct tw_error err;

		assert_int_equal(tw_tracefs__emit(bound, tw_bound__root(bound, refused[i].id), &line, &err),
				 -EOPNOTSUPP);
		emitted_is(refused[i].text, refused[i].why, err.text);
		assert_int_equal(tw_line__len(&line), 0);
		tw_bound__free(bound);
	}
}

static void test_too_long(void **state)
{
	char text[4096], buf[TW_TRACEFS_FILTER_MAX * 2];
	struct tw_line line = tw_line__on(text, sizeof(text) - 1), out = tw_line__on(buf, sizeof(buf));
	struct tw_bound *bound;
	struct tw_error err;

	(void)state;
	for (unsigned int i = 0; i < 120; i++)
		tw_line__str(&line, i ? "||prev_comm contains zq" : "prev_comm contains zq");
	for (unsigned int i = 0; i < 100; i++)
		tw_line__str(&line, "||next_pid==1");
	*line.at = 0;
	bound = bind_to(formats, text, false);
	assert_int_equal(tw_tracefs__emit(bound, tw_bound__root(bound, SWITCH), &out, &err), -E2BIG);
	emitted_is(text, "the filter of an event needs more than 4000 bytes, the limit for filters in the kernel",
		   err.text);
	tw_bound__free(bound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
