/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters for Wireshark, and refused ones. With the argument --print, prints the filters, one per line, for tshark (test-display.sh). With
 * --formats, prints their format texts.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/display.h"
#include "tests/filter/emitted.h"

static const struct {
	const char *text, *filter;
} golden[] = {
	{ "sched.sched_switch.prev_pid == 0 && cpu == 1", "trace.sched.sched_switch.prev_pid == 0 && trace.cpu == 1" },
	{ "cpu == 1", "trace.cpu == 1" },
	{ "not cpu == 1", "trace.event_id && !(trace.cpu == 1)" },
	{ "not comm == bash", "trace.event_id && !(trace.comm == \"bash\")" },
	{ "comm == \"<idle>\" or pid in {1,5..9}",
	  "trace.comm == \"<idle>\" || trace.pid == 1 || trace.pid in {5..9}" },
	{ "event == sched_switch", "trace.event == \"sched_switch\"" },
	{ "event != sched_switch",
	  "trace.system in {\"irq\", \"vendor-bus\"} || trace.event in {\"sched_wakeup\", \"kmalloc\", \"inet_sock_set_state\", \"relative\"}" },
	{ "!(event == sched_switch)", "trace.event_id && !(trace.event == \"sched_switch\")" },
	{ "system == sched", "trace.system == \"sched\"" },
	{ "system in {sched, irq}", "trace.system in {\"irq\", \"sched\"}" },
	{ "system == sched && cpu == 1 || event == kmalloc",
	  "(trace.system == \"sched\" && trace.cpu == 1) || trace.event == \"kmalloc\"" },
	{ "event == tiny or system == sched", "trace.system == \"sched\" || trace.event == \"tiny\"" },
	{ "comm == bash && not event == kmalloc", "!(trace.event == \"kmalloc\") && trace.comm == \"bash\"" },
	{ "prev_pid == 1", "trace.sched.sched_switch.prev_pid == 1" },
	{ "not prev_pid == 1",
	  "(trace.event_id && !(trace.event == \"sched_switch\")) || (trace.event == \"sched_switch\" && !(trace.sched.sched_switch.prev_pid == 1))" },
	{ "any.size == 5", "trace.vendor-bus.tiny.size == 5 || trace.vendor-bus.large.size == 5" },
	{ "any.size == 5 && flags & 1",
	  "(trace.vendor-bus.tiny.size == 5 && trace.flags & 1) || (trace.vendor-bus.large.size == 5 && trace.flags & 1)" },
	{ "softirq_raise.vec in {NET_RX, NET_TX} and not comm == \"ksoftirqd/0\"",
	  "(trace.irq.softirq_raise.vec == 3 || trace.irq.softirq_raise.vec == 2) && !(trace.comm == \"ksoftirqd/0\")" },
	{ "prev_state & 3 == 1", "trace.sched.sched_switch.prev_state & 3 == 1" },
	{ "prev_state & 0x8000000000000001",
	  "trace.sched.sched_switch.prev_state & 1 || trace.sched.sched_switch.prev_state < 0" },
	{ "prev_state & 0x8000000000000001 == 1",
	  "trace.sched.sched_switch.prev_state & 1 == 1 && trace.sched.sched_switch.prev_state >= 0" },
	{ "tiny.change == -128", "trace.vendor-bus.tiny.change < -127" },
	{ "tiny.change > -128", "trace.vendor-bus.tiny.change >= -127" },
	{ "tiny.change in {-128..5}", "trace.vendor-bus.tiny.change <= 5" },
	{ "tiny.on == true", "trace.vendor-bus.tiny.on == 1" },
	{ "tiny.on == 5", "!frame" },
	{ "levels == 3 && levels != 4 && levels > 2 && levels in {3..5}",
	  "trace.vendor-bus.tiny.levels == 3 && trace.vendor-bus.tiny.levels != 4 && trace.vendor-bus.tiny.levels > 2 && trace.vendor-bus.tiny.levels in {3..5}" },
	{ "levels & 1 == 1", "trace.vendor-bus.tiny.levels & 1 == 1" },
	{ "cpus == \"0-3\"", "trace.vendor-bus.tiny.cpus == \"0-3\"" },
	{ "saddr == 10.1.2.3", "trace.sock.inet_sock_set_state.saddr == 10.1.2.3" },
	{ "saddr == 10.0.0.0/8 or saddr_v6 == ::1",
	  "trace.sock.inet_sock_set_state.saddr == 10.0.0.0/8 || trace.sock.inet_sock_set_state.saddr_v6 == 0:0:0:0:0:0:0:1" },
	{ "saddr in {10.0.0.1..10.0.0.9}",
	  "trace.sock.inet_sock_set_state.saddr >= 10.0.0.1 && trace.sock.inet_sock_set_state.saddr <= 10.0.0.9" },
	{ "gateway == 10.0.0.0/8", "trace.sock.inet_sock_set_state.gateway & 255 == 10" },
	{ "mac == 01:02:03:04:05:06", "trace.sock.inet_sock_set_state.mac == 01:02:03:04:05:06" },
	{ "mac contains fc", "trace.sock.inet_sock_set_state.mac contains :fc" },
	{ "mac > 01", "trace.sock.inet_sock_set_state.mac > :01" },
	{ "time > 12.5", "trace.time > 12.500000000" },
	{ "time in {1..2.5}", "trace.time >= 1.000000000 && trace.time <= 2.500000000" },
	{ "host == alpha", "trace.host == \"alpha\"" },
	{ "ptr == 0xffff888000000000", "trace.kmem.kmalloc.ptr == 0xffff888000000000" },
	{ "prev_comm ~ \"kworker/*\"", "trace.sched.sched_switch.prev_comm matches r\"(?s-i)^kworker/\"" },
	{ "prev_comm ~ \"*a?[b-d]*\"", "trace.sched.sched_switch.prev_comm matches r\"(?s-i)a.[\\x62-\\x64]\"" },
	{ "prev_comm ~ \"*sh*\"", "trace.sched.sched_switch.prev_comm contains \"sh\"" },
	{ "prev_comm contains \"\\\"\\\\\"", "trace.sched.sched_switch.prev_comm contains \"\\\"\\\\\"" },
	{ "prev_comm matches r\"^a\\d\"", "trace.sched.sched_switch.prev_comm matches r\"^a\\d\"" },
	{ "prev_comm matches \"a.*b\"", "trace.sched.sched_switch.prev_comm matches \"a.*b\"" },
	{ "prev_comm > \"a\"", "trace.sched.sched_switch.prev_comm > \"a\"" },
	{ "prev_comm", "trace.sched.sched_switch.prev_comm" },
	{ "comm", "trace.comm" },
	{ "flags & 3 == 1", "trace.flags & 3 == 1" },
	{ "prev_prio > 5 || next_prio > 5 && cpu == 3 || event == kmalloc",
	  "(trace.sched.sched_switch.prev_prio > 5 || (trace.sched.sched_switch.next_prio > 5 && trace.cpu == 3)) || trace.event == \"kmalloc\"" },
};
#define N_GOLDEN (sizeof(golden) / sizeof(golden[0]))

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_GOLDEN; i++) {
		struct tw_bound *bound = bind_to(formats, golden[i].text, false);
		char buf[4096];
		struct tw_line line = tw_line__on(buf, sizeof(buf) - 1);
		struct tw_error err;

		if (tw_display__emit(bound, &line, &err))
			fail_msg("%s: %s", golden[i].text, err.text);
		*line.at = 0;
		emitted_is(golden[i].text, golden[i].filter, buf);
		tw_bound__free(bound);
	}
}

static const struct {
	const char *text, *why;
} refused[] = {
	{ "prev_comm == \"\\xff\"",
	  "column 1: display cannot express 'prev_comm == \"\\xff\"', because Wireshark shows control characters and invalid UTF-8 as \\xNN" },
	{ "prev_comm contains \"\\x01\"",
	  "column 1: display cannot express 'prev_comm contains \"\\x01\"', because Wireshark shows control characters and invalid UTF-8 as \\xNN" },
	{ "cpus contains \"3\"",
	  "column 1: display cannot express 'cpus contains \"3\"', because Wireshark shows only the beginning of a long list of bits" },
	{ "saddr contains 0a",
	  "column 1: display cannot express 'saddr contains 0a', because display filters cannot search in addresses" },
	{ "cpu == 1 and tiny.change & 0x80 > 1",
	  "column 14: display cannot express 'tiny.change & 0x80 > 1', because display filters cannot mask the sign of a number" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct tw_bound *bound = bind_to(formats, refused[i].text, false);
		char buf[4096];
		struct tw_line line = tw_line__on(buf, sizeof(buf));
		struct tw_error err;

		assert_int_equal(tw_display__emit(bound, &line, &err), -EOPNOTSUPP);
		emitted_is(refused[i].text, refused[i].why, err.text);
		assert_int_equal(tw_line__len(&line), 0);
		tw_bound__free(bound);
	}
}

static void test_too_long(void **state)
{
	struct tw_bound *bound = bind_to(formats, "prev_pid == 1 || prev_pid == 2", false);
	char buf[60];
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_display__emit(bound, &line, &err), -E2BIG);
	tw_bound__free(bound);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_long),
	};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		for (size_t i = 0; i < N_GOLDEN; i++)
			puts(golden[i].filter);
		return 0;
	}
	if (argc > 1) {
		formats__print(stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
