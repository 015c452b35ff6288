/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that -e selects from a list of available events. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/events.h"

/* Not sorted, as in the kernel's available_events. */
static const char available[] = "sched:sched_waking\n"
				"sched:sched_switch\n"
				"irq:softirq_raise\n"
				"irq:softirq_entry\n"
				"irq:irq_handler_entry\n"
				"net:netif_rx\n"
				"netlink:netlink_extack\n"
				"timer:timer_start\n"
				"bridge:fdb_delete\n"
				"vendor:sched_switch\n";

static struct tw_event_list all;

static int read_all(void **state)
{
	char dir[] = "/tmp/tracewire-test-XXXXXX", path[64];
	struct tw_error err;
	FILE *file;
	int error;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/available_events", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(available, file);
	fclose(file);
	error = tw_event_list__read(dir, &all, &err);
	unlink(path);
	rmdir(dir);
	return error;
}

static int free_all(void **state)
{
	(void)state;
	tw_event_list__fini(&all);
	return 0;
}

/* The list as one text: "system:name system:name". */
static const char *text_of(const struct tw_event_list *list)
{
	static char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < list->n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s:%s", i ? " " : "", list->names[i].system,
					list->names[i].name);
	return text;
}

static void test_specifications(void **state)
{
	static const struct {
		const char *spec, *events;
	} cases[] = {
		{ "sched:sched_switch", "sched:sched_switch" },
		{ "sched/sched_switch", "sched:sched_switch" },
		{ "sched", "sched:sched_switch sched:sched_waking" },
		{ "sched:", "sched:sched_switch sched:sched_waking" },
		{ "sched_switch", "sched:sched_switch vendor:sched_switch" },
		{ "*:*switch", "sched:sched_switch vendor:sched_switch" },
		{ "sched:*wak*", "sched:sched_waking" },
		{ "net*", "net:netif_rx netlink:netlink_extack" },
		{ "net?ink", "netlink:netlink_extack" },
		{ "[ab]*:*", "bridge:fdb_delete" },
		{ "timer,net", "timer:timer_start net:netif_rx" },
		{ " net, timer", "net:netif_rx timer:timer_start" },
		{ "sockts:drop", "sockts:drop" },
		{ "tcp_reset", "sockts:tcp_reset" },
		{ "sockts:*gress_ts", "sockts:egress_ts sockts:ingress_ts" },
		{ "irq:softirq_raise,irq", "irq:softirq_raise irq:irq_handler_entry irq:softirq_entry" },
	};
	struct tw_event_list list = { 0 };
	struct tw_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tw_event_list__select(&list, &all, cases[i].spec, &err), 0);
		assert_string_equal(text_of(&list), cases[i].events);
		tw_event_list__fini(&list);
	}
}

static void test_all(void **state)
{
	struct tw_event_list list = { 0 };
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_event_list__select(&list, &all, "timer", &err), 0);
	assert_int_equal(tw_event_list__select(&list, &all, "all", &err), 0);
	assert_int_equal(list.n, all.n - TW_SOCKTS_EVENTS); /* socket events have to be named */
	assert_string_equal(list.names[0].system, "timer");
	tw_event_list__fini(&list);
}

static void test_unknown(void **state)
{
	static const struct {
		const char *spec, *sentence;
	} cases[] = {
		{ "sched:sched_swich", "no event 'sched:sched_swich'; did you mean sched:sched_switch?" },
		{ "shced", "no event 'shced'; did you mean sched?" },
		{ "timer_strat", "no event 'timer_strat'; did you mean timer_start?" },
		{ "sched,irk", "no event 'irk'; did you mean irq?" },
		{ "sched:zzzzzzzzz", "no event 'sched:zzzzzzzzz'; `tracewire list` shows all events of this kernel" },
		{ "softirq", "no event 'softirq'; did you mean irq:softirq_entry or irq:softirq_raise? '*softirq*' "
			     "selects all of them" },
		{ "irq:soft", "no event 'irq:soft'; did you mean irq:softirq_entry or irq:softirq_raise? 'irq:*soft*' "
			      "selects all of them" },
		{ "irq_handler", "no event 'irq_handler'; did you mean irq:irq_handler_entry?" },
		{ "irq/handler", "no event 'irq/handler'; did you mean irq:irq_handler_entry?" },
		{ "_sw",
		  "no event '_sw'; did you mean sched:sched_switch or vendor:sched_switch? '*_sw*' selects all of "
		  "them" },
		{ "d_s",
		  "no event 'd_s'; did you mean sched:sched_switch or vendor:sched_switch? '*d_s*' selects all of "
		  "them" },
		{ "ched_",
		  "no event 'ched_'; did you mean sched:sched_switch, sched:sched_waking or vendor:sched_switch? "
		  "'*ched_*' selects all of them" },
		{ "r*_",
		  "no event 'r*_'; did you mean irq:irq_handler_entry, irq:softirq_entry, irq:softirq_raise or 1 "
		  "other? '*r*_*' selects all of them" },
		{ "chd", "no event 'chd'; `tracewire list` shows all events of this kernel" },
		{ "etl", "no event 'etl'; did you mean netlink:netlink_extack?" },
		{ "timer:*switch", "no event 'timer:*switch'; `tracewire list` shows all events of this kernel" },
		{ "_s", "no event '_s'; `tracewire list` shows all events of this kernel" },
		{ "*:*drop",
		  "'*:*drop' selects no event: name the system of socket events, as in sockts:drop, because wildcards do not "
		  "select it" },
		{ "", "no event is named; `tracewire list` shows all events of this kernel" },
		{ " ,", "no event is named; `tracewire list` shows all events of this kernel" },
	};
	struct tw_event_list list = { 0 };
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_event_list__select(&list, &all, "timer", &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tw_event_list__select(&list, &all, cases[i].spec, &err), -ENOENT);
		assert_string_equal(err.text, cases[i].sentence);
		assert_string_equal(text_of(&list), "timer:timer_start");
	}
	tw_event_list__fini(&list);
}

static void test_no_directory(void **state)
{
	struct tw_event_list list = { 0 };
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_event_list__read("/nonexistent", &list, &err), -ENOENT);
	assert_string_equal(err.text, "cannot open /nonexistent/available_events: No such file or directory");
	assert_int_equal(list.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_specifications),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests(tests, read_all, free_all);
}
